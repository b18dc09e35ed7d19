import { describe, expect, it } from 'vitest';
import type { Mirror } from './mirror';
import { seeded, snapshotOf, stateOf, testMirror, write } from './testing';
import type { ScreenBuffer } from './xterm-internals';

const E = '\x1b';
const random = seeded(11);
const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;
const number = (): string => pick(['', '0', '1', '2', '3', '5', '9', '24', '80', '999', '99999999999']);

const makers: (() => string)[] = [
  () => pick(['hello world ', 'x'.repeat(random(60)), 'é', 'e\u0301', '\t', '─│']),
  () => pick(['\r', '\n', '\r\n', '\b', '\x0e', '\x0f', '\x07', '\x0b', '\x0c', '\x18']),
  () => `${E}[${number()};${number()}${pick([...'ABCDEFGHIJKLMPSTXZ@`abdefgrstu'])}`,
  () => `${E}[${number()}${pick([...'ABCDEFGHIJKLMPSTXZ@`abdefgrstu'])}`,
  () =>
    `${E}[?${pick([1, 3, 5, 6, 7, 9, 12, 25, 45, 47, 66, 80, 1000, 1002, 1003, 1004, 1006, 1016, 1047, 1048, 1049, 2004, 2026])}${pick(['h', 'l'])}`,
  () => `${E}[${pick([4, 20])}${pick(['h', 'l'])}`,
  () =>
    `${E}[${pick([0, 1, 2, 3, 4, 7, 9, 22, 24, 31, 42, 97, 105, 53, 39, 49])};${pick(['38;5;200', '48;2;1;2;3', '58:5:3', '4:3', '0', ''])}m`,
  () => `${E}[${pick(['!p', '1"q', '0"q', '2"q', '3 q', '0 q', "2'}", "1'~", ' @', ' A'])}`,
  () => `${E}${pick(['7', '8', 'c', 'D', 'E', 'H', 'M', '=', '>', '(0', '(B', ')0', '*A', 'n', 'o', '#8'])}`,
  () =>
    `${E}]${pick(['0;t', '2;title', '8;;http://a/', '8;id=1;http://b/', '8;;', '4;1;#102030', '104', '11;#000000', '111', '133;A', '133;C', '133;D;1'])}\x07`,
  () => `${E}P${pick(['q"1;1;30;40~~~', '$qm', '1$r'])}${E}\\`,
  () => `${E}[${pick(['>1u', '>3u', '<u', '<99999999999u', '=5;2u', '>4;2m'])}`,
  () => String.fromCharCode(random(256)),
];

/**
 * Words of colour and style differ in bits that nothing shows (left behind by DECRC, DECALN or an earlier colour), so
 * rows are compared as text here; styles have the table of snapshot.test.ts and the fuzz of flood.test.ts.
 */
function comparable(mirror: Mirror): Record<string, unknown> {
  const { normal, alt, active } = mirror.core._bufferService.buffers;
  const textOf = (buffer: ScreenBuffer): string[] =>
    Array.from({ length: buffer.lines.length }, (_, y) => buffer.lines.get(y)!.translateToString(true).trimEnd());
  return {
    ...stateOf(mirror),
    saved: undefined,
    pen: undefined,
    normal: textOf(normal),
    alt: active === alt ? textOf(alt) : [],
  };
}

// No wide characters here: sequences that cut them in two leave cells that no output can make again.
describe('noise', () => {
  it('of any kind leaves a state that a snapshot carries over, and never throws', () => {
    let rounds = 0;
    for (const end = performance.now() + 10_000; rounds < 400 && performance.now() < end; rounds++) {
      const ours = testMirror(10 + random(60), 2 + random(20), pick([0, 20, 200]));
      const { cols, rows, options } = ours.mirror.terminal;
      for (let i = random(200); i > 0; i--)
        write(ours.mirror, Buffer.from(pick(makers)(), random(20) ? 'utf8' : 'latin1'));
      const theirs = testMirror(cols, rows, options.scrollback);
      write(theirs.mirror, snapshotOf(ours.mirror));
      const again = testMirror(cols, rows, options.scrollback);
      write(again.mirror, snapshotOf(theirs.mirror));
      expect(comparable(theirs.mirror), `round ${rounds}`).toEqual(comparable(ours.mirror));
      expect(stateOf(again.mirror), `round ${rounds}`).toEqual(stateOf(theirs.mirror));
    }
    expect(rounds).toBeGreaterThan(50);
  }, 30_000);
});
