import { expect, test } from 'vitest';
import { pasteText } from './paste-text';

test('line ends become Enter', () => {
  expect(pasteText('a\r\nb\nc\r', false)).toBe('a\rb\rc\r');
});

test('pain 9: end markers inside a bracketed paste are taken out, also nested ones', () => {
  const hostile = 'a\x1b[201~rm\n\x1b[20\x1b[201~1~x\x9b201~y';
  expect(pasteText(hostile, true)).toBe('\x1b[200~arm\rxy\x1b[201~');
});

test('a paste that is not bracketed is left as it is', () => {
  expect(pasteText('x\x1b[201~y', false)).toBe('x\x1b[201~y');
});
