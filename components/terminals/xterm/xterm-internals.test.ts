import xterm from '@xterm/headless';
import type { Terminal } from '@xterm/xterm';
import { expect, test } from 'vitest';
import { MAX_CELL_LENGTH } from '../../../schemas/terminals';
import { limitCells } from './xterm-internals';

test('no cell grows without end, and what comes after it keeps its place', async () => {
  const term = new xterm.Terminal({ allowProposedApi: true, cols: 40, rows: 5 });
  expect(limitCells(term as unknown as Terminal)).toBe(true);
  expect(limitCells(term as unknown as Terminal)).toBe(true);
  await new Promise<void>((done) => term.write(`a${'\u0301'.repeat(10_000)}bc`, done));
  const cells = [0, 1, 2].map((x) => term.buffer.active.getLine(0)!.getCell(x)!.getChars());
  expect(cells).toEqual([`a${'\u0301'.repeat(MAX_CELL_LENGTH - 1)}`, 'b', 'c']);
});
