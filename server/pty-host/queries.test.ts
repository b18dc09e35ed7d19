import { describe, expect, it } from 'vitest';
import { defaultTheme } from './colours';
import { pictureSize, sixelSize } from './images';
import { screenOf, testMirror, write } from './testing';

const E = '\x1b';
const ST = `${E}\\`;

describe('queries are answered by the host', () => {
  it.each([
    ['DA1', `${E}[c`, `${E}[?62;4;9;22c`],
    ['DA2', `${E}[>c`, /^\x1b\[>0;\d+;0c$/],
    ['DA3', `${E}[=c`, `${E}P!|00000000${ST}`],
    ['DSR', `${E}[5n`, `${E}[0n`],
    ['CPR', `${E}[3;4H${E}[6n`, `${E}[3;4R`],
    ['DECXCPR', `${E}[2;5H${E}[?6n`, `${E}[?2;5R`],
    ['DECRQM ansi', `${E}[4$p`, `${E}[4;2$y`],
    ['DECRQM private', `${E}[?2004h${E}[?2004$p`, `${E}[?2004;1$y`],
    ['DECRQSS SGR', `${E}[1;38;2;1;2;3m${E}P$qm${ST}`, `${E}P1$r0;1;38:2::1:2:3m${ST}`],
    ['DECRQSS margins', `${E}[2;4r${E}P$qr${ST}`, `${E}P1$r2;4r${ST}`],
    ['DECRQSS cursor', `${E}[5 q${E}P$q q${ST}`, `${E}P1$r5 q${ST}`],
    ['DECRQSS of nonsense is not echoed', `${E}P$qrm -rf ~${ST}`, `${E}P0$r${ST}`],
    ['OSC 4', `${E}]4;1;?${ST}`, `${E}]4;1;rgb:cccc/0000/0000${ST}`],
    ['OSC 4 beyond 16', `${E}]4;21;?${ST}`, `${E}]4;21;rgb:0000/0000/ffff${ST}`],
    ['OSC 4 grey', `${E}]4;232;?${ST}`, `${E}]4;232;rgb:0808/0808/0808${ST}`],
    ['OSC 4 changed', `${E}]4;1;#102030${ST}${E}]4;1;?${ST}`, `${E}]4;1;rgb:1010/2020/3030${ST}`],
    ['OSC 10', `${E}]10;?${ST}`, `${E}]10;rgb:d8d8/dede/e9e9${ST}`],
    ['OSC 11', `${E}]11;?${ST}`, `${E}]11;rgb:1b1b/1d1d/2222${ST}`],
    ['OSC 12', `${E}]12;?${ST}`, `${E}]12;rgb:d8d8/dede/e9e9${ST}`],
    ['XTVERSION', `${E}[>q`, `${E}P>|Tessera(0.1.0)${ST}`],
    ['CSI 14 t', `${E}[14t`, `${E}[4;102;160t`],
    ['CSI 16 t', `${E}[16t`, `${E}[6;17;8t`],
    ['CSI 18 t', `${E}[18t`, `${E}[8;6;20t`],
    ['XTSMGRAPHICS', `${E}[?1;1;0S`, `${E}[?1;0;256S`],
    ['title report (never)', `${E}]2;evil${ST}${E}[21t${E}[20t`, ''],
    ['clipboard read (never)', `${E}]52;c;?${ST}`, ''],
    ['kitty keyboard (not supported)', `${E}[?u`, ''],
    ['ENQ', '\x05', ''],
  ])('%s', (_, query, answer) => {
    const { mirror, answers } = testMirror();
    write(mirror, query);
    if (typeof answer === 'string') expect(answers.join('')).toBe(answer);
    else expect(answers.join('')).toMatch(answer);
  });

  it('with the colours of the page', () => {
    const { mirror, answers } = testMirror();
    mirror.colours.theme = { ...defaultTheme, background: '#ffffff' };
    write(mirror, `${E}]11;?${ST}`);
    expect(answers).toEqual([`${E}]11;rgb:ffff/ffff/ffff${ST}`]);
  });
});

describe('what programs tell', () => {
  const told = (text: string): unknown[] => {
    const { mirror, signals } = testMirror();
    write(mirror, text);
    return signals;
  };

  it('notifications, without control characters and capped', () => {
    expect(told(`${E}]9;hello\x7f1m${ST}`)).toEqual([{ type: 'notification', title: '', body: 'hello1m' }]);
    expect(told(`${E}]777;notify;T;b;c${ST}`)).toEqual([{ type: 'notification', title: 'T', body: 'b;c' }]);
    const [long] = told(`${E}]777;notify;${'t'.repeat(999)};${'b'.repeat(9999)}${ST}`) as {
      title: string;
      body: string;
    }[];
    expect([long!.title.length, long!.body.length]).toEqual([200, 1000]);
  });

  it('not more than a few at once', () => {
    expect(told('\x07'.repeat(1000))).toHaveLength(5);
    expect(told(`${E}]9;x${ST}`.repeat(1000))).toHaveLength(5);
  });

  it('pain 27: a clipboard text as a signal, a large one as its refusal, a question never', () => {
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    expect(told(`${E}]52;c;${base64('hé')}${ST}`)).toEqual([{ type: 'clipboard', text: 'hé' }]);
    expect(told(`${E}]52;c;?${ST}`)).toEqual([]);
    expect(told(`${E}]52;c;${base64('x'.repeat(2_000_000))}${ST}`)).toEqual([
      { type: 'clipboard-refused', bytes: 2_000_001 },
    ]);
  });
});

describe('inline images', () => {
  const png = (width: number, height: number): string => {
    const bytes = Buffer.alloc(40);
    Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(bytes);
    bytes.writeUInt32BE(width, 16);
    bytes.writeUInt32BE(height, 20);
    return bytes.toString('base64');
  };

  it('a sixel takes its rows and says what it was', () => {
    const { mirror } = testMirror(40, 10);
    write(mirror, `ab${E}Pq"1;1;160;51~${ST}cd\r\nef`);
    expect(screenOf(mirror).slice(0, 4)).toEqual([
      'ab[image 160×51]      ',
      '  '.padEnd(22).replace(/^ {2}/, `${E}[2C`),
      `${E}[2Ccd${' '.repeat(18)}`,
      'ef',
    ]);
  });

  it('an iTerm image takes the rows of its header, or those that it asks for', () => {
    const { mirror } = testMirror(40, 10);
    write(mirror, `${E}]1337;File=inline=1;size=40:${png(80, 34)}\x07\r\nx`);
    expect(screenOf(mirror)[2]).toBe('x');
    write(mirror, `\r\n${E}]1337;File=inline=1;size=40;height=4:${png(80, 34)}\x07\r\ny`);
    expect(screenOf(mirror)[3]).toContain('[image 80×34]');
    expect(screenOf(mirror)[7]).toBe('y');
  });

  it.each([
    ['not inline', `size=40:${png(80, 34)}`],
    ['without a size', `inline=1:${png(80, 34)}`],
    ['far too large', `inline=1;size=40:${png(90_000, 90_000)}`],
    ['not a picture', `inline=1;size=40:${Buffer.alloc(40).toString('base64')}`],
  ])('%s: takes no room', (_, args) => {
    const { mirror } = testMirror(40, 10);
    write(mirror, `a${E}]1337;File=${args}\x07b`);
    expect(screenOf(mirror)[0]).toBe('ab');
  });

  it('sizes of sixel data and of picture files', () => {
    expect(sixelSize('#0~~~$-#1!20~-')).toEqual({ width: 20, height: 12 });
    expect(sixelSize('"1;1;30;40#0~')).toEqual({ width: 30, height: 40 });
    expect(sixelSize('#0BB')).toEqual({ width: 2, height: 2 });
    const gif = Buffer.alloc(30);
    gif.write('GIF89a', 'latin1');
    gif.writeUInt16LE(7, 6);
    gif.writeUInt16LE(9, 8);
    expect(pictureSize(gif)).toEqual({ width: 7, height: 9 });
    const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0001108000500060301', 'hex');
    expect(pictureSize(jpeg)).toEqual({ width: 6, height: 5 });
  });
});
