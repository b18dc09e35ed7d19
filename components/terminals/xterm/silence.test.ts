import xtermHeadless from '@xterm/headless';
import type { Terminal } from '@xterm/xterm';
import { expect, test } from 'vitest';
import { KeyProtocol } from './key-protocol';
import { silenceQueries } from './silence';

/** The page's emulator without the page: parser and answers are the same code. */
function newTerminal(): { term: Terminal; answers: string[]; write(text: string): Promise<void> } {
  const term = new xtermHeadless.Terminal({ allowProposedApi: true, cols: 80, rows: 24 }) as unknown as Terminal;
  const answers: string[] = [];
  term.onData((data) => answers.push(data));
  return { term, answers, write: (text) => new Promise((done) => term.write(text, done)) };
}

const queries = [
  ['primary attributes', '\x1b[c'],
  ['secondary attributes', '\x1b[>c'],
  ['tertiary attributes', '\x1b[=c'],
  ['status', '\x1b[5n'],
  ['cursor position', '\x1b[6n'],
  ['extended cursor position', '\x1b[?6n'],
  ['mode', '\x1b[4$p'],
  ['private mode', '\x1b[?2004$p'],
  ['version', '\x1b[>q'],
  ['window size', '\x1b[18t'],
  ['setting', '\x1bP$qm\x1b\\'],
  ['capability', '\x1bP+q544e\x1b\\'],
  ['graphics', '\x1b[?1;1;0S'],
  ['colour', '\x1b]4;1;?\x07'],
  ['foreground', '\x1b]10;?\x07'],
  ['background', '\x1b]11;?\x1b\\'],
  ['cursor colour', '\x1b]12;?\x07'],
  ['clipboard', '\x1b]52;c;?\x07'],
] as const;

test.each(queries)('stream:one-answer: the page says nothing when a program asks for %s', async (_name, query) => {
  const { term, answers, write } = newTerminal();
  silenceQueries(term);
  await write(`${query}text`);
  expect(answers).toEqual([]);
  expect(term.buffer.active.getLine(0)?.translateToString(true)).toBe('text');
});

test('keys can be told apart only while a program asked for it', async () => {
  const { term, write } = newTerminal();
  const protocol = new KeyProtocol(term);
  const after = async (text: string) => {
    await write(text);
    return protocol.distinctKeys;
  };
  expect(await after('plain shell \x1b[?2004h\x1b[u')).toBe(false);
  expect(await after('\x1b[>1u')).toBe(true);
  expect(await after('\x1b[<u')).toBe(false);
  expect(await after('\x1b[=5;1u')).toBe(true);
  expect(await after('\x1b[=1;3u')).toBe(false);
  expect(await after('\x1b[>4;2m')).toBe(true);
  expect(await after('\x1bc')).toBe(false);
});
