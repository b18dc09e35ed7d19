import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { safeName, Uploads } from './uploads';

let dataDir: string;
let uploads: Uploads;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'tessera-uploads-'));
  uploads = new Uploads(dataDir, 100_000);
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const bytes = (...chunks: string[]) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

it('saves a file for its owner only, each under a name of its own, and removes them with the card', async () => {
  const first = await uploads.save('session-1', 'отчёт 1.tar.gz', bytes('a', 'b'));
  const second = await uploads.save('session-1', 'отчёт 1.tar.gz', bytes('c'));
  expect(first.path).toBe(join(dataDir, 'uploads', 'session-1', 'отчёт 1.tar.gz'));
  expect(basename(second.path)).toBe('отчёт 1.tar-2.gz');
  expect([readFileSync(first.path, 'utf8'), readFileSync(second.path, 'utf8')]).toEqual(['ab', 'c']);
  expect(statSync(first.path).mode & 0o777).toBe(0o600);
  expect(statSync(join(first.path, '..')).mode & 0o777).toBe(0o700);
  await uploads.removeSession('session-1');
  expect(readdirSync(join(dataDir, 'uploads'))).toEqual([]);
});

it('leaves nothing of a file that is too large or breaks off', async () => {
  await expect(uploads.save('session-1', 'big', bytes('x'.repeat(60_000), 'x'.repeat(60_000)))).rejects.toMatchObject({
    code: 'upload-too-large',
  });
  const broken = new Readable({
    read() {
      this.push('some');
      this.destroy(new Error('the page went away'));
    },
  });
  await expect(uploads.save('session-1', 'half', broken)).rejects.toMatchObject({ code: 'upload-failed' });
  expect(readdirSync(join(dataDir, 'uploads', 'session-1'))).toEqual([]);
});

it('a file has its name once it is whole, and what a killed server left of one is swept away', async () => {
  const folder = join(dataDir, 'uploads', 'session-1');
  mkdirSync(folder, { recursive: true });
  for (const name of ['.left-over.part', 'mine.part', '.hidden']) writeFileSync(join(folder, name), 'x');
  const stream = new Readable({ read: () => undefined });
  const saving = uploads.save('session-1', 'a.png', stream);
  stream.push('half');
  const started = () => readdirSync(folder).some((name) => name.endsWith('.part') && name.length > 20);
  while (!started()) await new Promise((next) => setImmediate(next));
  expect(readdirSync(folder)).not.toContain('a.png');
  await uploads.sweep(() => true);
  expect(readdirSync(folder)).toHaveLength(3);
  expect(readdirSync(folder)).not.toContain('.left-over.part');
  stream.push('whole');
  stream.push(null);
  expect(readFileSync((await saving).path, 'utf8')).toBe('halfwhole');
  expect(readdirSync(folder).sort()).toEqual(['.hidden', 'a.png', 'mine.part']);
});

it('says that the disk is full', async () => {
  const full = new Readable({
    read() {
      this.destroy(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
    },
  });
  await expect(uploads.save('session-1', 'a.png', full)).rejects.toMatchObject({
    code: 'disk-full',
    message: expect.stringContaining('disk is full'),
  });
});

it('S16: follows no link that somebody put in its way', async () => {
  mkdirSync(join(dataDir, 'uploads', 'session-1'), { recursive: true });
  symlinkSync(join(dataDir, 'target'), join(dataDir, 'uploads', 'session-1', 'a'));
  expect(basename((await uploads.save('session-1', 'a', bytes('x'))).path)).toBe('a-2');
  symlinkSync('/tmp', join(dataDir, 'uploads', 'session-2'));
  await expect(uploads.save('session-2', 'a', bytes('x'))).rejects.toMatchObject({ code: 'upload-failed' });
});

it.each([
  ['../../etc/passwd', 'passwd'],
  ['C:\\dir\\a.txt', 'a.txt'],
  ['-rf', 'rf'],
  ['.bashrc', 'bashrc'],
  ['a\nb\u202Etxt.exe', 'a_b_txt.exe'],
  ['...', 'file'],
  ['', 'file'],
  [`${'я'.repeat(300)}.txt`, `${'я'.repeat(98)}.txt`],
  ["it's $HOME `x`.png", "it's $HOME `x`.png"],
])('names %j as %j', (given, named) => {
  expect(safeName(given)).toBe(named);
});
