import { describe, expect, it } from 'vitest';
import { snapshotOf, stateOf, testMirror, write } from './testing';

const E = '\x1b';
const COLS = 20;
const lines = (count: number): string => Array.from({ length: count }, (_, i) => `l${i}`).join('\r\n');

/** A state, how to get there, and what a program might send next. */
const table: [name: string, setup: string, probe: string][] = [
  ['plain and a colour', `a\r\n${E}[31mred${E}[0m x`, 'y'],
  ['pen left on: bold, 256 colours, background', `${E}[1;38;5;200;44mab`, 'cd\r\n'],
  ['pen: true colour', `${E}[38;2;10;20;30;48;2;1;2;3mab`, 'cd'],
  ['pen: bright colours, italic, inverse, blink, hidden', `${E}[95;103;3;7;5;8mab`, 'cd'],
  ['pen: curly underline with a colour', `${E}[4:3m${E}[58:5:9mab`, 'cd'],
  ['pen: double underline, rgb underline colour', `${E}[21m${E}[58:2::1:2:3mab`, 'cd'],
  ['cells: curly underline', `${E}[4:3mab${E}[0mcd`, 'x'],
  ['cells: dotted, dashed underline', `${E}[4:4mab${E}[4:5mcd${E}[0m`, 'x'],
  ['cells: true colour, overline, dim, strike', `${E}[38;2;1;2;3;53;2;9mab${E}[0m`, 'x'],
  ['cells: OSC 8 link', `${E}]8;;http://x/${E}\\link${E}]8;;${E}\\ z`, 'x'],
  [
    'cells: OSC 8 link with an id',
    `${E}]8;id=a;http://x/${E}\\li${E}]8;;${E}\\ ${E}]8;id=a;http://x/${E}\\nk${E}]8;;${E}\\`,
    'x',
  ],
  ['cells: a wrapped link', `${E}]8;;http://x/${E}\\${'k'.repeat(30)}${E}]8;;${E}\\`, 'x'],
  ['pen: an open link', `${E}]8;;http://x/${E}\\li`, 'nk'],
  ['pen: an open link in colour', `${E}[31;4m${E}]8;;http://x/;y${E}\\li`, 'nk'],
  ['protected cells (DECSCA)', `${E}[1"qab${E}[0"qcd`, `${E}[?2K`],
  ['pen: protected', `${E}[32m${E}[1"qab`, `cd${E}[0"qef${E}[?2J`],
  ['alternate screen', `norm${E}[?1049h${E}[2;3Halt`, `${E}[?1049lQ`],
  ['alternate screen, the cursor of the normal one', `a\r\nb\r\nccc${E}[?1049h${E}[2;3Halt`, `${E}[?1049lQ`],
  ['alternate screen by ?47', `a\r\nbbb${E}[?47h${E}[Hxx`, `${E}[?47lQ`],
  ['alternate screen over a scrolled one', `${lines(12)}${E}[?1049h${E}[Hxx`, `${E}[?1049lQ`],
  ['alternate screen with a coloured pen', `a${E}[44m${E}[?1049h${E}[2;2Hxx`, `${E}[?1049lQ`],
  [
    'alternate screen with margins in both',
    `${E}[2;5r${E}[?1049h${E}[3;4r${E}[Hxx`,
    `${E}[4;1H\n\nq${E}[?1049l\n\n\nQ`,
  ],
  ['alternate screen, tab stops', `${E}[?1049h${E}[3g${E}[1;4H${E}H\r`, `\tQ${E}[?1049l\r\tQ`],
  ['bracketed paste', `${E}[?2004h`, ''],
  ['application cursor keys', `${E}[?1h`, ''],
  ['application keypad (DECNKM)', `${E}[?66h`, ''],
  ['application keypad (ESC =)', `${E}=`, ''],
  ['focus reports', `${E}[?1004h`, ''],
  ['mouse 9', `${E}[?9h`, ''],
  ['mouse 1000', `${E}[?1000h`, ''],
  ['mouse 1002', `${E}[?1002h`, ''],
  ['mouse 1003', `${E}[?1003h`, ''],
  ['mouse encoding 1006', `${E}[?1003h${E}[?1006h`, ''],
  ['mouse encoding 1016', `${E}[?1000h${E}[?1016h`, ''],
  ['cursor hidden', `${E}[?25l`, ''],
  ['cursor style bar', `${E}[6 q`, ''],
  ['cursor style blinking block', `${E}[1 q`, ''],
  ['cursor style underline, set and reset', `${E}[4 q${E}[0 q`, ''],
  ['cursor blinking (?12)', `${E}[?12h`, ''],
  ['cursor not blinking (?12)', `${E}[?12h${E}[?12l`, ''],
  ['origin mode, the cursor in the region', `${E}[2;4r${E}[?6h${E}[2;3H`, 'Q'],
  ['origin mode without a region', `ab\r\ncd${E}[?6h${E}[2;2H`, 'Q'],
  ['scroll region', `1\r\n2\r\n3\r\n4${E}[2;3r${E}[3;1H`, '\r\nQ'],
  ['saved cursor (DECSC)', `abc${E}7\r\nzz`, `${E}8Q`],
  ['saved cursor with a pen', `abc${E}[31m${E}7${E}[0m\r\nzz`, `${E}8Q`],
  ['saved cursor (SCOSC)', `abc${E}[s\r\nzz`, `${E}[uQ`],
  ['saved cursor with a charset', `abc${E}(0${E}7${E}(B\r\nzz`, `${E}8qq`],
  ['saved cursor at the edge', `${'x'.repeat(COLS)}${E}7\r\nzz`, `${E}8Q`],
  ['saved cursor of both screens', `ab${E}7${E}[?47h${E}[3;3H${E}[32m${E}7${E}[m${E}[5;5H`, `${E}8Q${E}[?47l${E}8R`],
  ['insert mode', `abc${E}[4h${E}[1;1H`, 'Q'],
  ['no autowrap', `${E}[?7l`, 'x'.repeat(30)],
  ['no autowrap, at the edge', `${E}[?7l${'x'.repeat(30)}`, 'yz'],
  ['reverse wrap ?45', `${'y'.repeat(COLS + 1)}${E}[?45h`, '\b\b\bQ'],
  ['newline mode (LNM)', `${E}[20h`, 'a\nb'],
  ['newline mode off again', `${E}[20h${E}[20l`, 'a\nb'],
  ['charset G0: line drawing', `${E}(0qq`, 'qx'],
  ['charset G1 and SO', `${E})0\x0eqq`, 'qx'],
  ['charset G2 and LS2', `${E}*0${E}nqq`, 'qx'],
  ['charset UK', `${E}(A##`, '##'],
  ['charset German in G1', `${E})K\x0e[[`, '[\\]\x0f['],
  ['tab stops', `${E}[3g${E}[1;4H${E}H\r`, '\tQ'],
  ['no tab stops', `${E}[3g\r`, 'a\tQ'],
  ['kitty keyboard flags', `${E}[=5u`, `${E}[<u`],
  ['kitty keyboard flags, pushed', `${E}[=1u${E}[>3u${E}[>15u`, `${E}[<u`],
  ['modifyOtherKeys', `${E}[>4;2m`, ''],
  ['title', `${E}]2;hello ☃${E}\\`, ''],
  ['synchronized output open', `ab${E}[?2026hcd`, `e${E}[?2026l`],
  [
    'colours by OSC 4, 10, 11, 12',
    `${E}]4;1;#102030;2;rgb:11/22/33${E}\\${E}]10;#abcdef${E}\\${E}]11;#010203${E}\\${E}]12;#ff0000${E}\\`,
    'x',
  ],
  ['colours set and reset', `${E}]4;1;#102030${E}\\${E}]104;1${E}\\${E}]11;#010203${E}\\${E}]111${E}\\`, 'x'],
  ['full row, wrap pending', 'x'.repeat(COLS), 'Q'],
  ['full row, then CR LF', `${'x'.repeat(COLS)}\r\n`, 'Q'],
  ['full row, then CR', `${'x'.repeat(COLS)}\r`, 'Q'],
  ['full row, the cursor on its last cell', `${'x'.repeat(COLS)}${E}[D`, 'Q'],
  ['full row, the cursor below', `${'x'.repeat(COLS)}${E}[3;5H`, 'Q'],
  ['full row, the cursor above', `ab\r\n${'x'.repeat(COLS)}${E}[1;5H`, 'Q'],
  ['full row in colour, wrap pending', `${E}[41m${'x'.repeat(COLS)}${E}[0m`, 'Q'],
  ['wide character, wrap pending', `${'x'.repeat(COLS - 2)}漢`, 'Q'],
  ['wide character that does not fit', `${'x'.repeat(COLS - 1)}漢`, 'Q'],
  ['full last row, wrap pending', `${E}[6;1H${'x'.repeat(COLS)}`, 'Q'],
  ['wrapped line', 'y'.repeat(COLS + 5), 'Q'],
  ['wrapped line in colour', `${E}[44m${'y'.repeat(COLS * 2 + 5)}${E}[0m`, 'Q'],
  ['wrapped line that scrolled, in colour', `${lines(8)}\r\n${E}[44m${'y'.repeat(COLS * 2 + 5)}${E}[0mab`, 'Q'],
  ['wrapped, the cursor at column 0', `${'y'.repeat(COLS + 1)}\b`, 'Q'],
  ['wrapped over an empty last cell', `${'x'.repeat(COLS + 3)}${E}[1;${COLS}H${E}[X${E}[2;4H`, 'Q'],
  ['wrapped into an empty first cell', `${'x'.repeat(COLS + 3)}${E}[2;1H${E}[X${E}[2;4H`, 'Q'],
  ['cursor far right of the text', `ab${E}[3;15H`, 'Q'],
  ['cursor above the text', `1\r\n2\r\n3${E}[1;1H`, 'Q'],
  ['cursor below the text', `1${E}[5;2H`, 'Q'],
  ['coloured empty cells', `${E}[44m${E}[2J${E}[0mab`, 'Q'],
  ['coloured to the end of the row', `ab${E}[41m${E}[K${E}[0m\r\ncd`, 'Q'],
  ['gaps and tabs', `a\tb${E}[4Cc${E}[45m${E}[3X${E}[m`, 'Q'],
  ['combining characters and emoji', 'e\u0301 👍 漢字 👩‍👩‍👧 🇷🇺', 'Q'],
  ['a combining character to come', 'abe', '\u0301x'],
  ['an emoji sequence to come', 'ab👩', '\u200d👧x'],
  ['scrolled, the cursor in the middle', `${lines(12)}${E}[3;2H`, 'Q'],
  ['more lines than the scrollback', `${lines(90)}`, '\r\nQ'],
  ['half a character', Buffer.from('ab\xe2\x94', 'latin1').toString('latin1'), '\x80 Q'],
  ['half an escape sequence', `ab${E}[3`, '1mred'],
  ['half a title', `ab${E}]2;ti`, `tle${E}\\Q`],
  ['half a string terminator', `ab${E}]2;title${E}`, '\\Q'],
  [
    'shell marks',
    `${E}]133;A${E}\\$ ${E}]133;B${E}\\ls\r\n${E}]133;C${E}\\out\r\n${E}]133;D;3${E}\\${E}]133;A${E}\\$ `,
    'Q',
  ],
  ['shell marks on a full row', `${'x'.repeat(COLS - 1)}${E}]133;B${E}\\xyz`, 'Q'],
  [
    'shell marks that scrolled',
    `${lines(9)}\r\n${E}]133;A${E}\\$ ${E}]133;B${E}\\ls\r\n${lines(5)}`,
    `\r\n${E}]133;D;0${E}\\Q`,
  ],
];

const bytes = (name: string, text: string): Buffer =>
  Buffer.from(text, name === 'half a character' ? 'latin1' : 'utf8');

describe('stream:snapshot-modes: a snapshot makes another terminal equal, for every mode', () => {
  it.each(table)('%s', (name, setup, probe) => {
    const ours = testMirror(COLS);
    const theirs = testMirror(COLS);
    write(ours.mirror, bytes(name, setup));
    write(theirs.mirror, `GARBAGE${E}[31m${E}[20h${E}[?7l${E}[?1049hmore`);
    write(theirs.mirror, snapshotOf(ours.mirror));
    expect(stateOf(theirs.mirror)).toEqual(stateOf(ours.mirror));
    write(ours.mirror, bytes(name, probe));
    write(theirs.mirror, bytes(name, probe));
    expect(stateOf(theirs.mirror)).toEqual(stateOf(ours.mirror));
  });

  it('holds only as much history as asked for', () => {
    const ours = testMirror();
    const theirs = testMirror();
    write(ours.mirror, lines(40));
    write(theirs.mirror, snapshotOf(ours.mirror, 10));
    expect(theirs.mirror.text(100)[0]).toBe('l24');
    expect(theirs.mirror.text(100)).toHaveLength(16);
  });
});
