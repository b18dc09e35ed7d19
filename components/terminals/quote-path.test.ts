import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { quotePath } from './quote-path';

const paths = [
  '/a/b.txt',
  '/a b/c',
  "/it's",
  '/$HOME/`id`',
  '/a"b!c\\d',
  "/'!$",
  '/a\nb',
  '/\x1b[201~',
  '/имя/文',
  '/-n',
  '/*?[x]',
];

test.each(['bash', 'zsh'])('a quoted path is read back unchanged by %s', (shell) => {
  const read = paths.map((path) => execFileSync(shell, ['-c', `printf '%s' ${quotePath(path)}`], { encoding: 'utf8' }));
  expect(read).toEqual(paths);
});

test('no control character is ever pasted', () => {
  expect(paths.map(quotePath).join('')).not.toMatch(/[\x00-\x1f\x7f]/);
  expect(quotePath('-rf')).toBe("'-rf'");
});
