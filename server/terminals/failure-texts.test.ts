import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
/** What is thrown there reaches a page. */
const rooms = ['canvas', 'project', 'settings', 'terminals', 'pty-host'];
/** Said at the start of the server only, or between it and the pty host. */
const neverOnAPage = new Set(['no-journal', 'no-hello', 'invalid-params', 'session-exists', 'sessions-running']);

const codes = rooms.flatMap((room) =>
  readdirSync(join(root, 'server', room), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|fake|testing/.test(file))
    .flatMap((file) => {
      const source = readFileSync(join(root, 'server', room, file), 'utf8');
      return [...source.matchAll(/FailureError\(\s*'([a-z-]+)'/g)].map(([, code]) => code!);
    }),
);

it.each(['en', 'ru'])('every failure that a person may meet has a sentence in the page, %s', (locale) => {
  const texts = new Set<string>();
  for (const file of readdirSync(join(root, 'messages')).filter((name) => name.endsWith(`${locale}.json`))) {
    const { errors } = JSON.parse(readFileSync(join(root, 'messages', file), 'utf8')) as { errors?: object };
    for (const code of Object.keys(errors ?? {})) texts.add(code);
  }
  expect([...new Set(codes)].filter((code) => !texts.has(code) && !neverOnAPage.has(code))).toEqual([]);
});
