import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createTranslator } from 'use-intl/core';
import { describe, expect, it } from 'vitest';
import { mergeMessages, messageAt, messageKeys } from './merge';
import { messages } from './messages';

const root = path.resolve(import.meta.dirname, '../..');
const sources = ['components', 'app'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
    .map((file) => ({ file: path.join(folder, file), source: readFileSync(path.join(root, folder, file), 'utf8') })),
);

/** The keys that a file uses literally, with the namespaces that its `useTranslations('…')` name. */
function keysOf(source: string): { key: string; namespaces: string[] }[] {
  const namespaces = ['', ...[...source.matchAll(/useTranslations\('([^']+)'\)/g)].map((match) => `${match[1]}.`)];
  const used = [...source.matchAll(/(?<![\w.])(?:t|tr|text|hasText)\(\s*'([\w.-]+)'/g)].map((match) => match[1]!);
  return used.map((key) => ({ key, namespaces }));
}

const placeholders = (message: string) =>
  [...new Set([...message.matchAll(/\{\s*(\w+)/g)].map((match) => match[1]!))]
    .filter((name) => !/^\d/.test(name))
    .sort();

describe('the texts of the page', () => {
  it('has the same keys in English and in Russian', () => {
    expect(messageKeys(messages.ru).sort()).toEqual(messageKeys(messages.en).sort());
  });

  it('has every key that a component uses', () => {
    const missing = sources.flatMap(({ file, source }) =>
      keysOf(source)
        .filter(
          ({ key, namespaces }) =>
            !namespaces.some((namespace) => messageAt(messages.en, namespace + key) !== undefined),
        )
        .map(({ key }) => `${file}: ${key}`),
    );
    expect(missing).toEqual([]);
  });

  it.each(['en', 'ru'] as const)('has only well-formed texts in %s, with the values of the English ones', (locale) => {
    const errors: string[] = [];
    const t = createTranslator({ locale, messages: messages[locale], onError: (error) => errors.push(error.message) });
    for (const key of messageKeys(messages.en)) {
      const english = messageAt(messages.en, key)!;
      const values = Object.fromEntries(placeholders(english).map((name) => [name, 3]));
      (t as (key: string, values: Record<string, number>) => string)(key, values);
    }
    expect(errors).toEqual([]);
  });

  it('merges trees deeply, the second one winning', () => {
    expect(mergeMessages({ a: { b: '1', c: '2' } }, { a: { c: '3', d: '4' }, e: '5' })).toEqual({
      a: { b: '1', c: '3', d: '4' },
      e: '5',
    });
  });

  it('has a sentence for every failure that the server can answer with', () => {
    const rooms = ['auth', 'canvas', 'project', 'realtime', 'settings', 'storage', 'terminals', 'pty-host'];
    const codes = rooms.flatMap((room) =>
      readdirSync(path.join(root, 'server', room), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.ts$/.test(file) && !/(\.test|testing|fake-pty-host)\.ts$/.test(file))
        .flatMap((file) => [
          ...readFileSync(path.join(root, 'server', room, file), 'utf8').matchAll(/new FailureError\(\s*'([\w.-]+)'/g),
        ])
        .map((match) => match[1]!),
    );
    expect(codes.length).toBeGreaterThan(20);
    expect([...new Set(codes)].filter((code) => messageAt(messages.en, `errors.${code}`) === undefined)).toEqual([]);
  });
});
