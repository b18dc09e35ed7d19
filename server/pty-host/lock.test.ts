import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readLock, releaseLock, takeLock } from './lock';
import { startedOf } from './processes';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tess-lock-'));
  path = join(folder, 'host.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const own = async () => ({ pid: process.pid, started: await startedOf(process.pid), socket: '/s', directory: '/d' });

describe('the lock of a data folder', () => {
  it('is held by one that lives, and free again when it is released', async () => {
    expect(await takeLock(path, await own())).toBe(true);
    expect(await readLock(path)).toEqual({ lock: await own(), alive: true });
    expect(await takeLock(path, await own())).toBe(false);
    releaseLock(path);
    expect(existsSync(path)).toBe(false);
    expect(await takeLock(path, await own())).toBe(true);
    expect(readdirSync(folder)).toEqual(['host.json']);
  });

  it.each([
    ['of a process that is gone', { pid: 2 ** 22 - 3, started: '1' }],
    ['of a process whose pid another one has now', { pid: process.pid, started: 'long ago' }],
  ])('%s is taken over', async (_, dead) => {
    writeFileSync(path, JSON.stringify({ ...dead, socket: '/s', directory: '/d' }));
    expect((await readLock(path))!.alive).toBe(false);
    expect(await takeLock(path, await own())).toBe(true);
  });

  it.each(['{"pid":', 'null', '7', '{"pid":"1"}', `{"pid":${process.pid},"started":1,"socket":null}`])(
    'that is not readable is taken over: %s',
    async (text) => {
      writeFileSync(path, text);
      expect(await readLock(path)).toBeUndefined();
      expect(await takeLock(path, await own())).toBe(true);
    },
  );

  it('a half written mark of one that tidied up keeps nobody out', async () => {
    writeFileSync(path, JSON.stringify({ pid: 2 ** 22 - 3, started: '1', socket: '/s', directory: '/d' }));
    writeFileSync(`${path}.broom`, '');
    expect(await takeLock(path, await own())).toBe(true);
  });

  it('a folder in its place is said', async () => {
    mkdirSync(path);
    expect(await readLock(path)).toBeUndefined();
    await expect(takeLock(path, await own())).rejects.toThrow(/is a folder where a file belongs/);
  });

  it('is not taken away from another by release', async () => {
    writeFileSync(path, JSON.stringify({ pid: 1, started: '1', socket: '/s', directory: '/d' }));
    releaseLock(path);
    expect(existsSync(path)).toBe(true);
  });
});
