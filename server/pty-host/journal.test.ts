import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { diskFiles, Journal, type JournalFiles, type JournalMeta, readJournal } from './journal';
import { replayOf } from './replay';

let base: string;
let directory: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'tess-journal-'));
  directory = join(base, 'session');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const metaOf = (): JournalMeta => ({ v: 1, sizes: [{ offset: 0, cols: 80, rows: 24 }], startedAt: 1 });
let changes = 0;
const open = (options: Partial<ConstructorParameters<typeof Journal>[0]> = {}): Journal =>
  new Journal({ directory, meta: metaOf(), offset: 0, changed: () => changes++, ...options });

async function everything(): Promise<{ offset: number; end: number; text: string; sizes: string[] }> {
  const replay = await replayOf((await readJournal(directory))!, { cols: 1, rows: 1 });
  let text = '';
  const sizes = [`${replay.size.cols}x${replay.size.rows}`];
  for await (const item of replay.items) {
    if ('bytes' in item) text += item.bytes.toString();
    else sizes.push(`${item.cols}x${item.rows}@${text.length}`);
  }
  return { offset: replay.offset, end: replay.end, text, sizes };
}

describe('a journal', () => {
  it('keeps what it is given, in order, for its owner only', async () => {
    const journal = open();
    for (let i = 0; i < 500; i++) journal.append(Buffer.from(`line ${i}\r\n`));
    await journal.close();
    expect((await everything()).text).toBe(Array.from({ length: 500 }, (_, i) => `line ${i}\r\n`).join(''));
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(directory)) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
  });

  it('journal:bounded: stays within its limit and begins again with a whole line', async () => {
    const journal = open({ limit: 3 * 1024 * 1024 });
    const line = `${'x'.repeat(997)}\r\n`;
    for (let i = 0; i < 10_000; i++) journal.append(Buffer.from(String(i).padStart(1) + line.slice(String(i).length)));
    await journal.close();
    const size = readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
    expect(size).toBeLessThanOrEqual(3.1 * 1024 * 1024);
    const stored = await everything();
    expect(stored.end).toBe(10_000 * 999);
    expect(stored.offset).toBeGreaterThanOrEqual(journal.keptFrom);
    const numbers = stored.text
      .trim()
      .split('\r\n')
      .map((text) => Number(/^\d+/.exec(text)![0]));
    expect(numbers).toEqual(numbers.map((_, index) => numbers[0]! + index));
    expect(numbers.at(-1)).toBe(9999);
  });

  it('brings the sizes back at their places', async () => {
    const journal = open();
    journal.append(Buffer.from('wide'));
    journal.size(4, 40, 10);
    journal.append(Buffer.from('narrow'));
    journal.size(10, 50, 12);
    await journal.close();
    expect(await everything()).toEqual({
      offset: 0,
      end: 10,
      text: 'widenarrow',
      sizes: ['80x24', '40x10@4', '50x12@10'],
    });
  });

  it('goes on where an earlier one ended', async () => {
    const first = open();
    first.append(Buffer.from('one '));
    await first.close();
    const stored = (await readJournal(directory))!;
    const second = open({ offset: 4, segments: stored.segments, meta: stored.meta! });
    second.append(Buffer.from('two'));
    await second.close();
    expect((await everything()).text).toBe('one two');
  });

  it.each([
    ['meta is missing', () => rmSync(join(directory, 'meta.json'))],
    ['meta is half written', () => writeFileSync(join(directory, 'meta.json'), '{"v":1,"siz')],
    ['meta says nonsense', () => writeFileSync(join(directory, 'meta.json'), '{"v":1,"sizes":[],"startedAt":"x"}')],
    ['meta is a folder of bytes', () => writeFileSync(join(directory, 'meta.json'), Buffer.from([0, 255, 1]))],
  ])('damaged, gives what can be read: %s', async (_, damage) => {
    const journal = open();
    journal.append(Buffer.from('all of it'));
    await journal.close();
    damage();
    expect((await readJournal(directory))!.damaged).toBe(true);
    expect((await everything()).text).toBe('all of it');
  });

  it('with a hole, gives the part after it', async () => {
    writeFileSync(join(base, 'x'), '');
    const journal = open();
    for (let i = 0; i < 3100; i++) journal.append(Buffer.from(`${String(i).padEnd(1022)}\r\n`));
    await journal.close();
    const [, second] = readdirSync(directory)
      .filter((name) => name.endsWith('.log'))
      .sort();
    rmSync(join(directory, second!));
    const stored = await everything();
    expect(stored.end).toBe(3100 * 1024);
    expect(stored.text.endsWith(`${'3099'.padEnd(1022)}\r\n`)).toBe(true);
  });

  it('is nothing where there is none', async () => {
    expect(await readJournal(join(base, 'nobody'))).toBeUndefined();
  });

  it('journal:failure: on a full disk says so, keeps nothing in memory, and goes on when there is room', async () => {
    let full = true;
    changes = 0;
    const error = Object.assign(new Error('no space'), { code: 'ENOSPC' });
    const files: JournalFiles = {
      ...diskFiles,
      create: async (path) => {
        const handle = await diskFiles.create(path);
        const write = ((...args: Parameters<typeof handle.write>) => {
          if (full) throw error;
          return handle.write(...args);
        }) as typeof handle.write;
        return { write, close: () => handle.close() };
      },
    };
    let retry: (() => void) | undefined;
    const journal = open({
      files,
      later: (_ms, run) => {
        retry = run;
        return () => {};
      },
    });
    journal.append(Buffer.from('lost\r\n'));
    await journal.flush();
    expect(journal.state).toEqual({ state: 'failed', reason: 'The disk is full' });
    expect(changes).toBe(1);
    for (let i = 0; i < 1000; i++) journal.append(Buffer.alloc(65_536));
    expect(journal.lag).toBe(0);
    full = false;
    retry!();
    journal.append(Buffer.from('kept\r\n'));
    await journal.flush();
    expect(journal.state).toEqual({ state: 'on' });
    journal.append(Buffer.from('and more\r\n'));
    await journal.close();
    const stored = (await readJournal(directory))!;
    expect(stored.segments).toHaveLength(1);
    expect(stored.segments[0]!.start).toBeGreaterThan(65_536_000);
    const name = readdirSync(directory).find((one) => one.endsWith('.log'))!;
    expect(readFileSync(join(directory, name), 'utf8')).toMatch(/and more\r\n$/);
  });

  it('deleted in the middle of writing leaves nothing behind', async () => {
    const journal = open();
    for (let i = 0; i < 2000; i++) journal.append(Buffer.alloc(10_000));
    await journal.delete();
    journal.append(Buffer.from('late'));
    await journal.flush();
    expect(readdirSync(base)).toEqual([]);
  });
});
