import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

test('every dependency has one line that says why, and no line is left over', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
  const lines = [...read('docs/dependencies.md').matchAll(/^\| (\S+) +\| .+ \|$/gm)]
    .map(([, name]) => name)
    .filter((name) => name !== 'package' && !/^-+$/.test(name ?? ''));
  expect(lines.sort()).toEqual([...Object.keys(dependencies ?? {}), ...Object.keys(devDependencies ?? {})].sort());
});
