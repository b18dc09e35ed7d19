import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { requirements } from './requirements';

const root = path.resolve(import.meta.dirname, '..');
const self = path.join(import.meta.dirname, 'requirements.test.ts');

function testFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const at = path.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : testFiles(at);
    return /\.(test|spec)\.tsx?$/.test(entry.name) && at !== self ? [at] : [];
  });
}

const families = [...new Set(requirements.map(({ id }) => id.match(/^([a-z]+):/)?.[1]).filter(Boolean))];
const cited = new RegExp(`\\b(?:pain \\d+|S\\d{1,2}(?=[:,. ])|(?:${families.join('|')}):[a-z-]+)`, 'gi');

/** Titles of tests and of the blocks round them; template literals keep their text up to the first placeholder. */
function titles(source: string): string[] {
  const call =
    /\b(?:test|it|describe)(?:\.[a-zA-Z]+)*(?:\([^()'"`]*\))?\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g;
  return [...source.matchAll(call)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

const citations = ['schemas', 'server', 'components', 'app', 'e2e', 'scripts', 'bench']
  .map((folder) => path.join(root, folder))
  .flatMap(testFiles)
  .flatMap((file) =>
    titles(readFileSync(file, 'utf8')).flatMap((title) =>
      [...title.matchAll(cited)].map(([id]) => ({
        id: /^s\d/i.test(id) ? id.toUpperCase() : id.toLowerCase(),
        title,
        file: path.relative(root, file),
      })),
    ),
  );

describe('the ledger of requirements', () => {
  const known = new Set(requirements.map(({ id }) => id));

  test('no id stands in it twice', () => {
    expect(known.size).toBe(requirements.length);
  });

  test('every requirement has a test that names it', () => {
    const proven = new Set(citations.map(({ id }) => id));
    const open = requirements.filter(({ id }) => !proven.has(id)).map(({ id, says }) => `${id}: ${says}`);
    expect(open).toEqual([]);
  });

  test('no test names a requirement that does not exist', () => {
    expect(citations.filter(({ id }) => !known.has(id))).toEqual([]);
  });
});
