import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { MAX_CELL_LENGTH } from '../../schemas/terminals';
import { testMirror, write } from './testing';
import { atRest, createTerminal, internalsOf } from './xterm-internals';

const packageOf = (name: string): { version: string } =>
  createRequire(import.meta.url)(`${name}/package.json`) as { version: string };

describe('the private parts of xterm.js that the mirror uses', () => {
  it('are those of the pinned version', () => {
    expect(packageOf('@xterm/headless').version).toBe('6.0.0');
    expect(packageOf('@xterm/addon-unicode-graphemes').version).toBe('0.4.0');
    const core = internalsOf(createTerminal({ cols: 10, rows: 3, scrollback: 10 }));
    expect(core._bufferService.buffers.active.lines.length).toBe(3);
  });

  it('are asked for: another terminal is refused', () => {
    expect(() => internalsOf({ _core: {} } as never)).toThrow(/not the one/);
  });

  it('pain 4: widths are those of the browser: emoji and sequences take two columns', () => {
    const terminal = createTerminal({ cols: 20, rows: 3, scrollback: 0 });
    const core = internalsOf(terminal);
    core._inputHandler.parse('│⚡🤖│\r\n│1234│\r\n👩‍👩‍👧x');
    const column = (row: number, text: string): number => {
      const line = terminal.buffer.active.getLine(row)!;
      for (let x = 1; x < 20; x++) if (line.getCell(x)!.getChars() === text) return x;
      return -1;
    };
    expect([column(0, '│'), column(1, '│'), column(2, 'x')]).toEqual([5, 5, 2]);
  });

  it('tell whether the parser is in the middle of something', () => {
    const core = internalsOf(createTerminal({ cols: 20, rows: 3, scrollback: 0 }));
    const restAfter = (bytes: string): boolean => {
      core._inputHandler.parse(Buffer.from(bytes, 'latin1'));
      return atRest(core);
    };
    expect([
      restAfter('a'),
      restAfter('\x1b'),
      restAfter('[3'),
      restAfter('1m'),
      restAfter('\x1b]2;t'),
      restAfter('\x07'),
      restAfter('\xe2'),
      restAfter('\x94\x80'),
    ]).toEqual([true, false, false, true, false, true, false, true]);
  });

  it('let no cell grow without end, and keep its width and what comes after', () => {
    const { mirror } = testMirror(20, 3, 0);
    write(mirror, Buffer.from(`a${'\u0301'.repeat(300_000)}b 👩‍👩‍👧‍👦x 🏴󠁧󠁢󠁥󠁮󠁧󠁿y`));
    const line = mirror.terminal.buffer.active.getLine(0)!;
    const cells = Array.from({ length: 9 }, (_, x) => line.getCell(x)!.getChars());
    expect(cells[0]).toBe(`a${'\u0301'.repeat(MAX_CELL_LENGTH - 1)}`);
    expect(cells.slice(1)).toEqual(['b', ' ', '👩‍👩‍👧‍👦', '', 'x', ' ', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '']);
  });
});
