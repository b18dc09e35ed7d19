import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Journal } from './journal';
import { diskFiles, type JournalFiles } from './journal-files';
import { replayOf } from './replay';
import { type JournalMeta, readJournal } from './stored-journal';
import { until } from './testing';

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

/** A disk that can be full, and slow: then `hold` names the steps that wait until `go`. */
class Disk {
  full = false;
  hold: string | undefined;
  waiting: (() => void)[] = [];
  retries: (() => void)[] = [];
  syncs: (() => void)[] = [];
  synced: string[] = [];

  readonly files: JournalFiles = {
    ...diskFiles,
    create: async (path) => this.file(await diskFiles.create(path)),
    goOn: async (path, length) => {
      await this.step('open');
      return this.file(await diskFiles.goOn(path, length));
    },
    sync: async (path) => {
      this.synced.push(path);
      await diskFiles.sync(path);
    },
  };

  readonly later = (ms: number, run: () => void): (() => void) => {
    const timers = ms > 5000 ? this.retries : this.syncs;
    timers.push(run);
    return () => void timers.splice(timers.indexOf(run), 1);
  };

  go(): void {
    this.hold = undefined;
    for (const run of this.waiting.splice(0)) run();
  }

  retry(): void {
    for (const run of this.retries.splice(0)) run();
  }

  private async step(name: string): Promise<void> {
    if (this.hold === name) await new Promise<void>((resolve) => this.waiting.push(resolve));
    if (this.full && name === 'write') throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
  }

  private file(handle: Awaited<ReturnType<JournalFiles['create']>>): typeof handle {
    const write = (async (...args: Parameters<typeof handle.write>) => {
      await this.step('write');
      return handle.write(...args);
    }) as typeof handle.write;
    return { write, close: () => handle.close() };
  }
}

async function everything(): Promise<{ offset: number; end: number; text: string; sizes: string[]; missing: number }> {
  const replay = await replayOf((await readJournal(directory))!, { cols: 1, rows: 1 });
  let missing = 0;
  let text = '';
  const sizes = [`${replay.size.cols}x${replay.size.rows}`];
  for await (const item of replay.items) {
    if ('bytes' in item) text += item.bytes.toString();
    else if ('missing' in item) missing += item.missing;
    else sizes.push(`${item.cols}x${item.rows}@${text.length}`);
  }
  return { offset: replay.offset, end: replay.end, text, sizes, missing };
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
      missing: 0,
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
    expect((await readJournal(directory))!.meta).toBeUndefined();
    expect((await everything()).text).toBe('all of it');
  });

  it('with a hole, gives what is left, whole lines at their offsets', async () => {
    const journal = open();
    for (let i = 0; i < 3100; i++) journal.append(Buffer.from(`${String(i).padEnd(1022)}\r\n`));
    await journal.close();
    const [, second] = readdirSync(directory)
      .filter((name) => name.endsWith('.log'))
      .sort();
    rmSync(join(directory, second!));
    const stored = await everything();
    expect(stored.end).toBe(3100 * 1024);
    expect(stored.missing).toBe(1025 * 1024);
    expect(stored.text.length + stored.missing).toBe(3100 * 1024);
    expect(stored.text).toContain(`${'1023'.padEnd(1022)}\r\n${'2049'.padEnd(1022)}\r\n`);
    expect(stored.text.endsWith(`${'3099'.padEnd(1022)}\r\n`)).toBe(true);
  });

  it.each<[string, (segment: string) => void, object]>([
    ['was deleted', (segment) => rmSync(segment), { bytes: 9 }],
    ['was emptied', (segment) => writeFileSync(segment, ''), { bytes: 9 }],
    ['was cut', (segment) => truncateSync(segment, 4), { bytes: 5 }],
  ])('says how much is missing when its only file %s', async (_, damage, lost) => {
    const journal = open();
    journal.append(Buffer.from('all of it'));
    await journal.flush();
    damage(join(directory, `${'0'.repeat(16)}.log`));
    expect((await readJournal(directory))!.lost).toEqual(lost);
    await journal.close();
  });

  it('says how much of it could not be read, and why', async () => {
    const journal = open();
    for (let i = 0; i < 20; i++) journal.append(Buffer.from('y'.repeat(65_534).concat('\r\n')));
    await journal.close();
    const stored = (await readJournal(directory))!;
    // As a disk that fails.
    rmSync(join(directory, `${'0'.repeat(16)}.log`));
    mkdirSync(join(directory, `${'0'.repeat(16)}.log`));
    const replay = await replayOf(stored, { cols: 80, rows: 24 });
    let shown = 0;
    let missing = 0;
    for await (const item of replay.items) {
      if ('bytes' in item) shown += item.bytes.length;
      if ('missing' in item) missing += item.missing;
    }
    expect(stored.lost).toEqual({ bytes: 1024 * 1024, reason: 'EISDIR' });
    expect([shown + missing, shown]).toEqual([20 * 65_536, 3 * 65_536]);
  });

  it('says nothing of output that it dropped itself', async () => {
    const journal = open({ limit: 3 * 1024 * 1024 });
    for (let i = 0; i < 100; i++) journal.append(Buffer.alloc(65_536, 0x0a));
    await journal.close();
    const stored = (await readJournal(directory))!;
    expect([stored.segments[0]!.start > 0, stored.lost]).toEqual([true, { bytes: 0 }]);
    rmSync(join(directory, `${String(stored.segments[0]!.start).padStart(16, '0')}.log`));
    expect((await readJournal(directory))!.lost).toEqual({ bytes: 1024 * 1024 });
  });

  it('ignores a file whose offset is none', async () => {
    const journal = open();
    journal.append(Buffer.from('all of it'));
    await journal.close();
    writeFileSync(join(directory, '9999999999999999.log'), 'zzz');
    expect(await readJournal(directory)).toMatchObject({ ignored: ['9999999999999999.log'], lost: { bytes: 0 } });
    expect(await everything()).toMatchObject({ text: 'all of it', end: 9 });
  });

  it('journal:failure: whose folder was removed is begun anew, with the next output or with the next note', async () => {
    const disk = new Disk();
    const journal = open(disk);
    journal.append(Buffer.from('before\r\n'));
    await journal.flush();
    rmSync(directory, { recursive: true });
    journal.append(Buffer.from('unseen\r\n'));
    await journal.flush();
    disk.syncs.shift()!();
    await until('it is begun anew', () => existsSync(join(directory, 'meta.json')));
    journal.append(Buffer.from('half a line\r\nafter\r\n'));
    await journal.flush();
    expect((await everything()).text).toBe('after\r\n');
    expect((await readJournal(directory))!.lost).toEqual({ bytes: 16 });
    rmSync(directory, { recursive: true });
    journal.update({ title: 'a note' });
    journal.append(Buffer.from('half a line\r\nand on\r\n'));
    await journal.flush();
    expect([journal.state, (await everything()).text]).toEqual([{ state: 'on' }, 'and on\r\n']);
    await journal.close();
  });

  it('is nothing where there is none', async () => {
    expect(await readJournal(join(base, 'nobody'))).toBeUndefined();
  });

  it('journal:failure: on a full disk says so, and what came meanwhile is written when there is room', async () => {
    const disk = new Disk();
    changes = 0;
    const journal = open(disk);
    journal.append(Buffer.from('before\r\n'));
    await journal.flush();
    disk.full = true;
    journal.append(Buffer.from('meanwhile\r\n'));
    await journal.flush();
    expect(journal.state).toEqual({ state: 'failed', reason: 'The disk is full' });
    expect([changes, journal.lag]).toEqual([1, 0]);
    journal.append(Buffer.from('and this\r\n'));
    disk.retry();
    await journal.flush();
    expect([changes, journal.state.state]).toEqual([1, 'failed']);
    disk.full = false;
    disk.retry();
    await journal.flush();
    expect(journal.state).toEqual({ state: 'on' });
    journal.append(Buffer.from('after\r\n'));
    await journal.close();
    expect(await everything()).toMatchObject({
      text: 'before\r\nmeanwhile\r\nand this\r\nafter\r\n',
      missing: 0,
      end: 36,
    });
  });

  it('journal:failure: keeps little in memory for a full disk, and all of what was on it', async () => {
    const disk = new Disk();
    const journal = open(disk);
    journal.append(Buffer.from('before\r\n'));
    await journal.flush();
    disk.full = true;
    for (let i = 0; i < 1000; i++) journal.append(Buffer.from(`${String(i).padEnd(65_534)}\r\n`));
    await journal.flush();
    for (let i = 1000; i < 1100; i++) journal.append(Buffer.from(`${String(i).padEnd(65_534)}\r\n`));
    expect(journal.lag).toBe(0);
    disk.full = false;
    disk.retry();
    await journal.flush();
    await journal.close();
    const stored = await everything();
    expect(stored.end).toBe(8 + 1100 * 65_536);
    expect(stored.text.length + stored.missing).toBe(stored.end);
    expect(stored.text).toMatch(/^before\r\n108\d +\r\n[\s\S]+\n1099 +\r\n$/);
    expect(stored.text.length).toBeLessThanOrEqual(8 + 1024 * 1024);
  });

  it('journal:bounded: what lies before a gap goes too when there is too much', async () => {
    const disk = new Disk();
    const journal = open({ files: disk.files, later: disk.later, limit: 3 * 1024 * 1024 });
    for (let round = 0; round < 6; round++) {
      for (let i = 0; i < 10; i++) journal.append(Buffer.alloc(65_536, 0x61 + round));
      await journal.flush();
      disk.full = true;
      for (let i = 0; i < 40; i++) journal.append(Buffer.alloc(65_536, 0x2e));
      await journal.flush();
      disk.full = false;
      disk.retry();
      await journal.flush();
    }
    await journal.close();
    const files = readdirSync(directory).filter((name) => name.endsWith('.log'));
    const size = files.reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
    expect(size).toBeGreaterThan(1.5 * 1024 * 1024);
    expect(size).toBeLessThanOrEqual(3 * 1024 * 1024);
    expect((await everything()).end).toBe(6 * 50 * 65_536);
    expect(Math.min(...files.map((name) => Number(name.slice(0, 16))))).toBe(journal.keptFrom);
  });

  it('journal:bounded: what goes is on record as not kept before it goes', async () => {
    const disk = new Disk();
    const gone: { end: number; keptFrom: number }[] = [];
    const remove: JournalFiles['remove'] = async (path) => {
      const { keptFrom = 0 } = JSON.parse(readFileSync(join(directory, 'meta.json'), 'utf8'));
      gone.push({ end: Number(path.split('/').at(-1)!.slice(0, 16)) + statSync(path).size, keptFrom });
      await diskFiles.remove(path);
    };
    const journal = open({ files: { ...disk.files, remove }, later: disk.later, limit: 3 * 1024 * 1024 });
    for (let i = 0; i < 100; i++) {
      journal.append(Buffer.alloc(65_536, 0x61));
      await journal.flush();
    }
    await journal.close();
    expect(gone.length).toBeGreaterThan(2);
    for (const { end, keptFrom } of gone) expect(keptFrom).toBeGreaterThanOrEqual(end);
  });

  it('journal:exact: what comes while a retry opens its file has its true offset', async () => {
    const disk = new Disk();
    const journal = open(disk);
    journal.append(Buffer.from('one\r\n'));
    await journal.flush();
    disk.full = true;
    journal.append(Buffer.from('two\r\n'));
    await journal.flush();
    disk.full = false;
    disk.hold = 'open';
    disk.retry();
    await until('it opens its file', () => disk.waiting.length > 0);
    journal.append(Buffer.from('three\r\n'));
    disk.go();
    await journal.close();
    expect(await everything()).toMatchObject({ text: 'one\r\ntwo\r\nthree\r\n', missing: 0, end: 17 });
  });

  it('journal:failure: deleted while a write fails, does not come back', async () => {
    const disk = new Disk();
    const journal = open(disk);
    disk.hold = 'write';
    disk.full = true;
    journal.append(Buffer.from('x'));
    await until('it writes', () => disk.waiting.length > 0);
    const deleted = journal.delete();
    disk.go();
    await deleted;
    disk.full = false;
    disk.retry();
    await journal.flush();
    expect([readdirSync(base), disk.retries]).toEqual([[], []]);
  });

  it('tells when the disk has taken something, and when it takes nothing any more', async () => {
    const disk = new Disk();
    const lags: number[] = [];
    const journal: Journal = open({ files: disk.files, later: disk.later, written: () => lags.push(journal.lag) });
    journal.append(Buffer.alloc(3 * 1024 * 1024));
    await journal.flush();
    expect(lags).toEqual([2 * 1024 * 1024, 1024 * 1024, 0, 0]);
    disk.full = true;
    journal.append(Buffer.alloc(3 * 1024 * 1024));
    expect(journal.lag).toBe(3 * 1024 * 1024);
    await journal.flush();
    expect(lags.at(-1)).toBe(0);
    await journal.delete();
  });

  it('journal:exact: is made to outlast a loss of power a second after it was written, each part once', async () => {
    const disk = new Disk();
    const journal = open(disk);
    for (let i = 0; i < 50; i++) {
      journal.append(Buffer.alloc(65_536));
      await journal.flush();
    }
    expect([disk.synced, disk.syncs.length]).toEqual([[], 1]);
    disk.syncs.shift()!();
    await until('it is done', () => disk.synced.length === 4);
    expect(new Set(disk.synced).size).toBe(4);
    await journal.close();
    expect(disk.synced).toHaveLength(4);
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
