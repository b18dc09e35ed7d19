import { expect, it } from 'vitest';
import { sessionScreen } from './session-screen';

it('a screen goes on counting where it was, answers what a program asks, and tells of its shell', () => {
  const answers: string[] = [];
  const signals: unknown[] = [];
  let changes = 0;
  const { mirror, shell } = sessionScreen({ cols: 20, rows: 6, scrollback: 50 }, 1000, {
    now: () => 0,
    answer: (reply) => answers.push(reply),
    changed: () => changes++,
    signal: (signal) => signals.push(signal),
    failed: (error) => {
      throw error;
    },
  });
  const printed = Buffer.from('\x1b]2;a title\x07\x1b[6n\x07');
  mirror.write(printed);
  mirror.drain();
  expect(mirror.offset).toBe(1000 + printed.length);
  expect(answers).toEqual(['\x1b[1;1R']);
  expect(shell.title).toBe('a title');
  expect(changes).toBeGreaterThan(0);
  expect(signals).toEqual([{ type: 'bell' }]);
});
