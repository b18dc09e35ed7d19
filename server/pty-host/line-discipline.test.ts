import { describe, expect, it } from 'vitest';
import { keysIn } from './line-discipline';

/** As `stty -a` prints it on Linux. */
const LINUX = `speed 38400 baud; rows 24; columns 80; line = 0;
intr = ^C; quit = ^\\; erase = ^?; kill = ^U; eof = ^D; eol = <undef>; eol2 = <undef>; swtch = <undef>; start = ^Q;
stop = ^S; susp = ^Z; rprnt = ^R; werase = ^W; lnext = ^V; discard = ^O; min = 1; time = 0;
-parenb -parodd -cmspar cs8 -hupcl -cstopb cread -clocal -crtscts
opost -olcuc -ocrnl onlcr -onocr -onlret -ofill -ofdel nl0 cr0 tab0 bs0 vt0 ff0
isig icanon iexten echo echoe echok -echonl -noflsh -xcase -tostop -echoprt echoctl echoke -flusho -extproc
`;

/** And on macOS. */
const MACOS = `speed 9600 baud; 24 rows; 80 columns;
lflags: icanon isig iexten echo echoe -echok echoke -echonl echoctl
	-echoprt -altwerase -noflsh -tostop -flusho pendin -nokerninfo
	-extproc
iflags: -istrip icrnl -inlcr -igncr ixon -ixoff ixany imaxbel iutf8
cchars: discard = ^O; dsusp = ^Y; eof = ^D; eol = <undef>;
	eol2 = <undef>; erase = ^?; intr = ^C; kill = ^U; lnext = ^V;
	min = 1; quit = ^\\; reprint = ^R; start = ^Q; status = ^T;
	stop = ^S; susp = ^Z; time = 0; werase = ^W;
`;

const keys = (settings: string): number[] => [...keysIn(settings)].sort((a, b) => a - b);

describe('the keys at which a terminal sends a signal', () => {
  it('are read from stty, on both systems', () => {
    expect(keys(LINUX)).toEqual([0x03, 0x1a, 0x1c]);
    expect(keys(MACOS)).toEqual([0x03, 0x1a, 0x1c]);
  });

  it('are those that were chosen', () => {
    expect(keys(LINUX.replace('intr = ^C', 'intr = ^?').replace('susp = ^Z', 'susp = <undef>'))).toEqual([0x1c, 0x7f]);
    expect(keys(LINUX.replace('intr = ^C', 'intr = x'))).toEqual([0x1a, 0x1c, 0x78]);
  });

  it('are none where a program takes them for itself, or wants its input kept', () => {
    expect(keys(LINUX.replace('isig', '-isig'))).toEqual([]);
    expect(keys(MACOS.replace(' isig', ' -isig'))).toEqual([]);
    expect(keys(LINUX.replace('-noflsh', 'noflsh'))).toEqual([]);
    expect(keys('')).toEqual([]);
  });
});
