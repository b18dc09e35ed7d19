import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
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
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Closers } from './closers';
import { dataFolders, defaultDataDir, prepareDataFolders, socketsDir } from './data-dir';
import { removeInstance, runningInstance, writeInstance } from './instance-file';
import { acquireLock } from './lock';
import { openLog } from './log';
import { PortBook, randomPort } from './ports';
import { processStartTime } from './process-time';
import { userEnvironment } from './user-env';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tessera-instance-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The pid of a process that was there and is gone. */
async function endedPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await new Promise((done) => child.on('exit', done));
  return child.pid!;
}
const instance = (pid: number, startTime: string) => ({
  v: 1 as const,
  pid,
  startTime,
  url: 'http://127.0.0.1:4000',
  control: 'bearer',
  version: '0',
  dataDir: folder,
});

describe('the data folder', () => {
  it('follows XDG, also on a Mac', () => {
    expect(defaultDataDir({ XDG_DATA_HOME: '/x', HOME: '/h' } as never)).toBe('/x/tessera');
    expect(defaultDataDir({ XDG_DATA_HOME: 'relative', HOME: '/h' } as never)).toBe('/h/.local/share/tessera');
    expect(defaultDataDir({ HOME: '/h' } as never)).toBe('/h/.local/share/tessera');
  });

  it('is made for its owner alone, and closed when it was open', () => {
    const dataDir = path.join(folder, 'data');
    mkdirSync(dataDir, { mode: 0o755 });
    const folders = prepareDataFolders(dataDir);
    for (const one of Object.values(folders)) expect(statSync(one).mode & 0o777).toBe(0o700);
  });

  it('is one folder, however it was spelt', () => {
    const dataDir = path.join(folder, 'data');
    const link = path.join(folder, 'link');
    mkdirSync(dataDir);
    symlinkSync(dataDir, link);
    expect(prepareDataFolders(link)).toEqual(prepareDataFolders(dataDir));
  });

  it('has its sockets in the runtime folder of the person, or beside it where that is of no use', () => {
    const folders = dataFolders(path.join(folder, 'data'));
    const runtime = path.join(folder, 'runtime');
    const env = { XDG_RUNTIME_DIR: runtime };
    const beside = path.join(folder, 'data/run');
    expect([socketsDir(folders, {}), socketsDir(folders, env)]).toEqual([beside, beside]);
    mkdirSync(runtime, { mode: 0o755 });
    expect(socketsDir(folders, env)).toBe(beside);
    chmodSync(runtime, 0o700);
    const sockets = socketsDir(folders, env);
    expect([path.dirname(sockets), statSync(sockets).mode & 0o777]).toEqual([runtime, 0o700]);
    expect(socketsDir(dataFolders(path.join(folder, 'other')), env)).not.toBe(sockets);
    const long = path.join(runtime, 'x'.repeat(100));
    mkdirSync(long, { mode: 0o700 });
    expect(socketsDir(folders, { XDG_RUNTIME_DIR: long })).toBe(beside);
    expect(path.dirname(socketsDir(dataFolders(path.join(folder, 'x'.repeat(120))), {}))).toBe(tmpdir());
  });

  it('refuses a folder for its sockets that is another’s', () => {
    const long = dataFolders(path.join(folder, 'x'.repeat(120)));
    const short = socketsDir(long, { XDG_RUNTIME_DIR: folder });
    expect(short).toMatch(/\/tessera-[0-9a-f]{16}$/);
    expect([path.dirname(short), statSync(short).mode & 0o777]).toEqual([folder, 0o700]);
    rmSync(short, { recursive: true });
    symlinkSync('/tmp', short);
    expect(() => socketsDir(long, { XDG_RUNTIME_DIR: folder })).toThrow(/belongs to somebody else/);
  });

  it('is refused with a sentence when it is a file', () => {
    const file = path.join(folder, 'file');
    writeFileSync(file, '');
    expect(() => prepareDataFolders(file)).toThrow(/cannot be used.*--data-dir/);
  });
});

describe('the running instance', () => {
  it('S4: is told in a file that only its owner reads', () => {
    const own = instance(process.pid, processStartTime(process.pid)!);
    writeInstance(folder, own);
    expect(statSync(path.join(folder, 'instance.json')).mode & 0o777).toBe(0o600);
    expect(runningInstance(folder)).toEqual(own);
    removeInstance(folder);
    expect(runningInstance(folder)).toBeNull();
  });

  it('is not one that ended, nor another program with its number', async () => {
    writeInstance(folder, instance(await endedPid(), '1'));
    expect(runningInstance(folder)).toBeNull();
    writeInstance(folder, instance(process.pid, 'another time'));
    expect(runningInstance(folder)).toBeNull();
    expect(processStartTime(-1)).toBeNull();
  });

  it('is none when the file is half or wrong', () => {
    for (const text of ['{"v":1,', '{"v":2}', '[]']) {
      writeFileSync(path.join(folder, 'instance.json'), text);
      expect(runningInstance(folder)).toBeNull();
    }
  });
});

describe('the lock of a data folder', () => {
  it('is held by one, given back, and leaves nothing behind', () => {
    const unlock = acquireLock(folder);
    expect(unlock).not.toBeNull();
    expect(acquireLock(folder)).toBeNull();
    unlock!();
    const again = acquireLock(folder);
    expect(again).not.toBeNull();
    again!();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is taken over from a server that was killed', async () => {
    writeFileSync(path.join(folder, 'server.lock'), `${await endedPid()} 123`);
    const unlock = acquireLock(folder);
    expect(unlock).not.toBeNull();
    unlock!();
    expect(existsSync(path.join(folder, 'server.lock'))).toBe(false);
  });
});

describe('ports', () => {
  it('are chosen once and kept', () => {
    const book = new PortBook(folder);
    expect(book.read()).toEqual({ v: 1 });
    book.keep({ app: 4000 });
    book.keep({ content: 4001 });
    expect(new PortBook(folder).read()).toEqual({ v: 1, app: 4000, content: 4001 });
    writeFileSync(path.join(folder, 'ports.json'), 'rubbish');
    expect(book.read()).toEqual({ v: 1 });
  });

  it('lie below those that systems use for outgoing connections', () => {
    for (const value of [0, 0.5, 0.999_999]) {
      expect(randomPort(() => value)).toBeGreaterThanOrEqual(20_000);
      expect(randomPort(() => value)).toBeLessThan(32_000);
    }
  });
});

describe('the environment that shells get', () => {
  const npm = {
    npm_execpath: '/usr/lib/npm-cli.js',
    npm_config_cache: '/c',
    NPM_TOKEN: 'from npm or not, it starts like one',
    INIT_CWD: '/clone',
    NODE: '/usr/bin/node',
    COLOR: '1',
    EDITOR: 'vi',
    NODE_ENV: 'production',
    PATH: '/clone/node_modules/.bin:/node_modules/.bin:/usr/lib/node-gyp-bin:/home/me/bin:/usr/bin',
    HOME: '/home/me',
    LANG: 'C.UTF-8',
  };

  it('pain 17: is that of the person, without what npm and Node added', () => {
    expect(userEnvironment(npm, { PATH: '/home/me/bin:/usr/bin', HOME: '/home/me' })).toEqual({
      PATH: '/home/me/bin:/usr/bin',
      HOME: '/home/me',
      LANG: 'C.UTF-8',
    });
  });

  it('keeps what the person had under the names that npm uses', () => {
    const before = { PATH: '/my/node_modules/.bin:/usr/bin', EDITOR: 'vim', NODE_OPTIONS: '--max-old-space-size=99' };
    expect(
      userEnvironment({ ...npm, NODE_OPTIONS: 'x', PATH: `/clone/node_modules/.bin:${before.PATH}` }, before),
    ).toEqual({
      PATH: before.PATH,
      EDITOR: 'vim',
      NODE_OPTIONS: '--max-old-space-size=99',
      HOME: '/home/me',
      LANG: 'C.UTF-8',
    });
  });

  it('does its best where the environment before npm is not known', () => {
    expect(userEnvironment({ ...npm, EDITOR: 'nano' }, null)).toEqual({
      PATH: '/home/me/bin:/usr/bin',
      HOME: '/home/me',
      LANG: 'C.UTF-8',
      EDITOR: 'nano',
    });
  });

  it('is left alone where npm had no part', () => {
    const own = { PATH: '/my/node_modules/.bin', EDITOR: 'vi', NODE: 'x', HOME: '/h' };
    expect(userEnvironment({ ...own, NODE_ENV: 'test' }, null)).toEqual(own);
  });
});

describe('the log', () => {
  it('S12: holds no token, key, cookie or authorization, wherever they turn up', () => {
    const { log, flush } = openLog(folder, 'debug');
    const secret = 'S3CR3T-VALUE';
    log.info({ token: secret, key: secret, cookie: secret, authorization: secret, control: secret }, 'flat');
    log.info(
      { headers: { cookie: secret, authorization: secret, 'x-tessera-key': secret, 'set-cookie': secret } },
      'headers',
    );
    log.error({ req: { headers: { cookie: secret, authorization: secret, 'x-tessera-key': secret } } }, 'request');
    log.error({ err: Object.assign(new Error('broken'), { token: secret, key: secret }) }, 'error');
    log.info({ handshake: { auth: { key: secret } }, deep: { er: { token: secret } } }, 'deep');
    flush();
    const text = readFileSync(path.join(folder, 'server.log'), 'utf8');
    expect(text).not.toContain(secret);
    expect(text.trim().split('\n')).toHaveLength(5);
    expect(statSync(path.join(folder, 'server.log')).mode & 0o777).toBe(0o600);
  });
});

describe('what a start took', () => {
  it('is given back newest first, once, and one failure stops no other', async () => {
    const done: string[] = [];
    const closers = new Closers((name) => done.push(`${name} failed`));
    closers.add('a', () => done.push('a'));
    closers.add('b', async () => Promise.reject(new Error('no')));
    closers.add('c', async () => done.push('c'));
    await Promise.all([closers.close(), closers.close()]);
    expect(done).toEqual(['c', 'b failed', 'a']);
  });
});
