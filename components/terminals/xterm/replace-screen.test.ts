import xtermHeadless from '@xterm/headless';
import type { Terminal } from '@xterm/xterm';
import { expect, test } from 'vitest';
import { findPlace } from './replace-screen';

async function holding(lines: string[]): Promise<Terminal> {
  const term = new xtermHeadless.Terminal({ allowProposedApi: true, cols: 40, rows: 5, scrollback: 1000 });
  await new Promise<void>((done) => term.write(lines.join('\r\n'), done));
  return term as unknown as Terminal;
}
const numbered = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}`);

test('the place is found by its text when older lines came in front and newer ones behind', async () => {
  const term = await holding(numbered(1, 300));
  const place = { top: 10, fromEnd: 85, rows: ['line 111', 'line 112', 'line 113', 'line 114'] };
  expect(findPlace(term, place)).toBe(110);
});

test('among equal texts the one at the same distance from the end is taken', async () => {
  const term = await holding(Array(300).fill('y'));
  expect(findPlace(term, { top: 0, fromEnd: 100, rows: ['y', 'y'] })).toBe(term.buffer.active.baseY - 100);
});

test('a text that is gone leaves the distance from the end, inside the buffer', async () => {
  const term = await holding(numbered(1, 50));
  expect(findPlace(term, { top: 0, fromEnd: 20, rows: ['gone'] })).toBe(term.buffer.active.baseY - 20);
  expect(findPlace(term, { top: 0, fromEnd: 500, rows: ['gone'] })).toBe(0);
});
