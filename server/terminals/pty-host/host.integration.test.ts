import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { join } from 'node:path';
import { nanoid } from 'nanoid';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PtyHostClient } from '../../../schemas/pty-host';
import type { SessionInfo, SessionSignal } from '../../../schemas/terminals';
import { connectPtyHost } from './index';
import { bundleHost, dataFolder, FakeViewer, isAlive, PROMPT, shellSpec, until } from './testing-host';

/** A real host with real shells, driven over its socket as the server does. */

const quiet = { info() {}, error() {} };
let bundle: Awaited<ReturnType<typeof bundleHost>>;
let folder: ReturnType<typeof dataFolder>;
let clients: PtyHostClient[];

beforeAll(async () => {
  bundle = await bundleHost();
});
afterAll(() => bundle.remove());
beforeEach(() => {
  folder = dataFolder();
  clients = [];
});
afterEach(async () => {
  for (const client of clients) client.close();
  await folder.remove();
});

async function connect(): Promise<PtyHostClient> {
  const client = await connectPtyHost({
    dataDir: folder.dataDir,
    runDir: folder.runDir,
    bundleDir: bundle.directory,
    log: quiet,
  });
  clients.push(client);
  return client;
}

async function shell(client: PtyHostClient, change: Parameters<typeof shellSpec>[0] = {}): Promise<string> {
  const sessionId = nanoid();
  await client.call('start', { sessionId, spec: shellSpec(change) });
  return sessionId;
}

async function infoOf(client: PtyHostClient, sessionId: string): Promise<SessionInfo> {
  const { sessions } = await client.call('list', {});
  return sessions.find((one) => one.sessionId === sessionId)!;
}

describe('the host process', () => {
  it('host:copy, host:private, host:adopt: is started from a versioned copy, listens privately, and is adopted by the next server', async () => {
    const first = await connect();
    const sessionId = await shell(first);
    const { pid } = await infoOf(first, sessionId);
    expect(statSync(folder.runDir).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder.runDir, 'pty-host.sock')).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder.dataDir, 'logs/pty-host.log')).mode & 0o777).toBe(0o600);
    const hostPid = folder.hostPid()!;
    expect(readFileSync(`/proc/${hostPid}/cmdline`, 'utf8')).toContain(join(folder.dataDir, 'pty-host'));
    first.close();
    const second = await connect();
    expect((await infoOf(second, sessionId)).pid).toBe(pid);
    expect(folder.hostPid()).toBe(hostPid);
  });

  it('two servers that start at once get one and the same host', async () => {
    const both = await Promise.all([connect(), connect(), connect()]);
    const sessionId = await shell(both[0]!);
    for (const client of both) expect(await infoOf(client, sessionId)).toMatchObject({ state: 'running' });
    expect(folder.log().match(/"listening"/g)).toHaveLength(1);
  });

  it('after kill -9 a new one takes over the stale lock and socket', async () => {
    const first = await connect();
    const gone = new Promise<string>((resolve) => first.on('gone', resolve));
    const pid = folder.hostPid()!;
    process.kill(pid, 'SIGKILL');
    await gone;
    await connect();
    expect(folder.hostPid()).not.toBe(pid);
  });

  it('host:adopt: is found again when the folder of its socket was removed, as at the last logout', async () => {
    const first = await connect();
    const sessionId = await shell(first);
    const host = folder.hostPid();
    rmSync(folder.runDir, { recursive: true });
    const second = await connect();
    expect(folder.hostPid()).toBe(host);
    const viewer = await FakeViewer.attach(second, sessionId);
    await viewer.type('echo found-$((1+1))\r');
    await viewer.sees('found-2');
    expect(await infoOf(first, sessionId)).toMatchObject({ state: 'running' });
    expect(statSync(join(folder.runDir, 'pty-host.sock')).mode & 0o777).toBe(0o600);
  });

  it('host:adopt: is found by its socket when its lock file was deleted, and writes the file again', async () => {
    const first = await connect();
    const sessionId = await shell(first);
    const { pid } = await infoOf(first, sessionId);
    const host = folder.hostPid();
    first.close();
    rmSync(join(folder.dataDir, 'pty-host/host.json'));
    const second = await connect();
    expect((await infoOf(second, sessionId)).pid).toBe(pid);
    expect(folder.log().match(/"listening"/g)).toHaveLength(1);
    await until('the lock file is back', () => folder.hostPid() === host);
  });

  it('host:mismatch: another version is told of and left alone', async () => {
    await connect();
    const pid = folder.hostPid()!;
    const raw = connectSocket(join(folder.runDir, 'pty-host.sock'));
    const text = JSON.stringify({
      type: 'request',
      id: 1,
      method: 'hello',
      params: { major: 99, minor: 0, dataDir: folder.dataDir },
    });
    raw.write(frameOf(Buffer.from(text)));
    const reply = await new Promise<string>((resolve) => raw.once('data', (data) => resolve(data.toString())));
    expect(reply).toContain('pty-host-mismatch');
    raw.destroy();
    expect(isAlive(pid)).toBe(true);
  });

  it('host:private, host:additive: a malformed, unknown or oversized message ends that connection and nothing else', async () => {
    const client = await connect();
    const sessionId = await shell(client);
    const viewer = await FakeViewer.attach(client, sessionId);
    await viewer.sees(PROMPT);
    const bad = [
      Buffer.from('GET / HTTP/1.1\r\n\r\n'),
      Buffer.from([0, 0, 0, 0]),
      Buffer.from([0xff, 0xff, 0xff, 0xff, 0]),
      frameOf(Buffer.from('{"type":"request"')),
      frameOf(Buffer.from('{"type":"launch","id":1}')),
      frameOf(Buffer.from('[]')),
      Buffer.concat([Buffer.from([0, 0, 0, 5, 1, 0xff, 0xff]), Buffer.from('{}')]),
      Buffer.from([0, 0, 0, 2, 9, 0]),
      frameOf(Buffer.from('{"type":"notice","notice":"ack","params":{"viewerId":1}}')),
    ];
    for (const bytes of bad) {
      const raw = connectSocket(join(folder.runDir, 'pty-host.sock'));
      raw.on('error', () => {});
      const closed = new Promise((resolve) => raw.once('close', resolve));
      raw.write(bytes);
      await closed;
    }
    expect(folder.log().match(/malformed/g)).toHaveLength(bad.length);
    await viewer.type('echo still-$((40+2))\r');
    await viewer.sees('still-42');
    await expect(client.call('size', { viewerId: viewer.id, cols: 0, rows: 1e9 })).rejects.toMatchObject({
      code: 'invalid-params',
    });
    await expect(client.call('fly' as 'list', {})).rejects.toMatchObject({ code: 'unknown-method' });
  });

  it('host:lonely: ends by itself when it has nothing to do and nobody is there', async () => {
    process.env.TESSERA_PTY_HOST_LONELY_MS = '150';
    try {
      const client = await connect();
      // Not on disk either: it had its chance while it ran.
      const sessionId = await shell(client, { journal: false });
      const pid = folder.hostPid()!;
      client.close();
      const again = await connect();
      expect(await infoOf(again, sessionId)).toMatchObject({ state: 'running' });
      await again.call('end', { sessionId, graceMs: 500 });
      again.close();
      await until('the host ends', () => !isAlive(pid));
      expect(existsSync(join(folder.dataDir, 'pty-host/host.json'))).toBe(false);
      expect(existsSync(join(folder.runDir, 'pty-host.sock'))).toBe(false);
    } finally {
      delete process.env.TESSERA_PTY_HOST_LONELY_MS;
    }
  });

  it('SIGTERM ends it in order: shells are told, and what they printed is on disk', async () => {
    const client = await connect();
    const sessionId = await shell(client);
    const viewer = await FakeViewer.attach(client, sessionId);
    await viewer.type('echo kept-$((1+1))\r');
    await viewer.sees('kept-2');
    const { pid } = await infoOf(client, sessionId);
    const host = folder.hostPid()!;
    process.kill(host, 'SIGTERM');
    await until('host and shell end', () => !isAlive(host) && !isAlive(pid!));
    const next = await connect();
    await next.call('restore', { sessionId, cols: 100, rows: 30, scrollback: 1000 });
    expect((await next.call('text', { sessionId, lines: 50 })).lines.join('\n')).toContain('kept-2');
  });

  it('shutdown is refused while something runs, unless that is to be ended', async () => {
    const client = await connect();
    const sessionId = await shell(client);
    const { pid } = await infoOf(client, sessionId);
    const host = folder.hostPid()!;
    await expect(client.call('shutdown', { endSessions: false })).rejects.toMatchObject({ code: 'sessions-running' });
    await client.call('shutdown', { endSessions: true });
    await until('host and shell end', () => !isAlive(host) && !isAlive(pid!));
  });

  it('while it ends it starts nothing that would be lost', async () => {
    const client = await connect();
    const sessionId = await shell(client);
    const viewer = await FakeViewer.attach(client, sessionId);
    await viewer.type("trap '' HUP TERM; echo stub$((1+1))born; while :; do sleep 1; done\r");
    await viewer.sees('stub2born');
    const host = folder.hostPid()!;
    await client.call('shutdown', { endSessions: true });
    let refused: unknown;
    await until('a start to be refused', async () => {
      const id = nanoid();
      refused = await client.call('start', { sessionId: id, spec: shellSpec({}) }).catch((error: unknown) => error);
      return refused instanceof Error;
    });
    expect(refused).toMatchObject({ code: 'pty-host-gone', message: 'The pty host is ending' });
    await until('the host ends', () => !isAlive(host));
  });
});

describe('a session', () => {
  it('says what is missing instead of starting', async () => {
    const client = await connect();
    const start = (change: object) => client.call('start', { sessionId: nanoid(), spec: shellSpec(change) });
    await expect(start({ cwd: '/no/such/folder' })).rejects.toMatchObject({ code: 'folder-missing' });
    await expect(start({ cwd: '/etc/passwd' })).rejects.toMatchObject({ code: 'folder-missing' });
    await expect(start({ program: '/no/such/shell' })).rejects.toMatchObject({ code: 'program-missing' });
    await expect(start({ program: '/etc/passwd' })).rejects.toMatchObject({ code: 'program-missing' });
    expect((await client.call('list', {})).sessions).toEqual([]);
    expect(
      existsSync(join(folder.dataDir, 'scrollback')) ? readdirSync(join(folder.dataDir, 'scrollback')) : [],
    ).toEqual([]);
  });

  it('pain 13: resizes after the exit do no harm, and the exit code is told', async () => {
    const client = await connect();
    const host = folder.hostPid();
    for (let round = 0; round < 5; round++) {
      const sessionId = await shell(client);
      const viewer = await FakeViewer.attach(client, sessionId);
      await viewer.sees(PROMPT);
      const resizes: Promise<unknown>[] = [viewer.type(`exit ${round}\r`)];
      for (let i = 0; i < 200; i++)
        resizes.push(client.call('size', { viewerId: viewer.id, cols: 40 + i, rows: 10 + (i % 30) }));
      await Promise.all(resizes);
      await until('the exit is told', () => viewer.ended !== undefined);
      expect(viewer.ended).toEqual({ code: round });
    }
    expect(folder.hostPid()).toBe(host);
    expect(folder.log()).not.toContain('"error"');
  });

  it('pain 16: killed from outside it keeps its screen, tells the signal and restarts', async () => {
    const client = await connect();
    const sessionId = await shell(client);
    const viewer = await FakeViewer.attach(client, sessionId);
    await viewer.type('echo before-$((1+1))\r');
    await viewer.sees('before-2');
    process.kill((await infoOf(client, sessionId)).pid!, 'SIGKILL');
    await until('the end is told', () => viewer.ended !== undefined);
    expect(viewer.ended).toEqual({ signal: 'SIGKILL' });
    expect(await infoOf(client, sessionId)).toMatchObject({ state: 'ended', exit: { signal: 'SIGKILL' } });
    await expect(viewer.type('x')).rejects.toMatchObject({ code: 'session-ended' });
    await client.call('restart', { sessionId, spec: shellSpec() });
    await viewer.type('echo after-$((1+1))\r');
    await viewer.sees('after-2');
    expect(viewer.lines().some((line) => line.includes('before-2'))).toBe(true);
    expect(viewer.faults).toEqual([]);
  });

  it('pain 14, stream:close: end ends every process of the session, and lists what has left it', async () => {
    const client = await connect();
    const sessionId = await shell(client);
    const viewer = await FakeViewer.attach(client, sessionId);
    const pids = join(folder.dataDir, 'pids');
    await viewer.type(
      `(sh -c 'echo $$ >> ${pids}; trap "" TERM HUP; while :; do sleep 1; done' &) ; sleep 999 & echo $! >> ${pids}; setsid sh -c 'echo $$ > ${pids}.out; exec sleep 997' & sleep 998\r`,
    );
    const numbers = (path: string): number[] =>
      existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').map(Number) : [];
    await until('all run', () => numbers(pids).length === 2 && numbers(`${pids}.out`).length === 1);
    const inside = numbers(pids);
    const [outside] = numbers(`${pids}.out`);
    const listed = (await client.call('processes', { sessionId })).processes.map((one) => one.pid);
    expect(listed).toEqual(expect.arrayContaining([...inside, outside]));
    const { survivors } = await client.call('end', { sessionId, graceMs: 300 });
    expect(survivors).toEqual([{ pid: outside, command: 'sleep 997' }]);
    for (const pid of inside) expect(isAlive(pid)).toBe(false);
    process.kill(outside!, 'SIGKILL');
    expect(await infoOf(client, sessionId)).toMatchObject({ state: 'ended' });
    await client.call('forget', { sessionId });
    expect(existsSync(join(folder.dataDir, 'scrollback', sessionId))).toBe(false);
  });

  it('pain 8: a paste of 1 MiB arrives whole, also when the program reads late', async () => {
    const client = await connect();
    const sessionId = await shell(client);
    const viewer = await FakeViewer.attach(client, sessionId);
    await viewer.sees(PROMPT);
    const text = Array.from({ length: 149_797 }, (_, i) => `${String(i).padStart(6, '0')}\n`).join('');
    const bytes = Buffer.from(text);
    const target = join(folder.dataDir, 'pasted');
    await viewer.type(`stty -echo; sleep 1; cat > ${target}; stty echo\r`);
    await until('cat is there', async () => (await client.call('processes', { sessionId })).processes.length > 0);
    const inputId = nanoid();
    const size = 64 * 1024;
    const count = Math.ceil(bytes.length / size);
    for (let seq = 1; seq <= count; seq++) {
      const paste = seq === 1 ? 'first' : seq === count ? 'last' : 'more';
      const piece = bytes.subarray((seq - 1) * size, seq * size);
      const send = () => client.call('input', { sessionId, viewerId: viewer.id, inputId, seq, paste }, piece);
      // A key in the middle of it waits, and a repeated piece is not typed again.
      if (seq === 5) await viewer.type('');
      await send();
      if (seq % 7 === 0) await send();
    }
    await viewer.type('\x04');
    const sha = (data: Buffer): string => createHash('sha256').update(data).digest('hex');
    await until('all is written', () => existsSync(target) && statSync(target).size >= bytes.length, 30_000);
    expect(sha(readFileSync(target))).toBe(sha(bytes));
  }, 60_000);

  it('stream:input-once: input is typed exactly once over a reconnect', async () => {
    const first = await connect();
    const sessionId = await shell(first);
    const inputId = nanoid();
    const type = (client: PtyHostClient, seq: number, text: string) =>
      client.call('input', { sessionId, inputId, seq }, Buffer.from(text));
    await type(first, 1, 'echo a');
    await type(first, 2, 'b');
    first.close();
    const second = await connect();
    await type(second, 2, 'b');
    await type(second, 3, 'c | tr a-z A-Z\r');
    await type(second, 3, 'c | tr a-z A-Z\r');
    await expect(type(second, 5, 'x')).rejects.toMatchObject({ code: 'input-gap' });
    const viewer = await FakeViewer.attach(second, sessionId);
    await viewer.sees(/^ABC$/);
    expect(viewer.lines().filter((line) => line === 'ABC')).toHaveLength(1);
  });

  it('pain 21: a viewer that comes and goes in the middle of output has each line once, in order', async () => {
    const client = await connect();
    const sessionId = await shell(client);
    const watcher = await FakeViewer.attach(client, sessionId);
    await watcher.type('for i in $(seq 1 20000); do echo L$i; done; echo done-$((1+1))\r');
    for (let i = 0; i < 10; i++) {
      const brief = await FakeViewer.attach(client, sessionId);
      await until('it has its snapshot', () => brief.received.snapshots > 0);
      await client.call('detach', { viewerId: brief.id });
      expect(brief.faults).toEqual([]);
    }
    await watcher.sees('done-2');
    const late = await FakeViewer.attach(client, sessionId);
    await late.sees('done-2');
    await until('the watcher is live again', () => watcher.lines().join() === late.lines().join());
    const numbers = late
      .lines()
      .filter((line) => /^L\d+$/.test(line))
      .map((line) => Number(line.slice(1)));
    expect(numbers.at(-1)).toBe(20_000);
    expect(numbers.length).toBeGreaterThan(9_900);
    expect(numbers).toEqual(numbers.map((_, index) => numbers[0]! + index));
    expect(watcher.faults).toEqual([]);
  });

  it('pain 20: a viewer that comes while vim is open gets the lines below it when vim is left', async () => {
    const client = await connect();
    const sessionId = await shell(client);
    const first = await FakeViewer.attach(client, sessionId);
    await first.type('seq 1 50; vim -u NONE /etc/passwd\r');
    await first.sees('root:');
    const second = await FakeViewer.attach(client, sessionId);
    await second.sees('root:');
    await second.type(':q\r');
    await until('both are back in the shell', () =>
      [first, second].every((viewer) => viewer.lines().at(-1)?.startsWith(PROMPT) === true),
    );
    expect(second.lines()).toEqual(first.lines());
    expect(
      second
        .lines()
        .filter((line) => /^\d+$/.test(line))
        .map(Number),
    ).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
  });

  it('pain 22: a query is answered once, with any number of viewers, and never again after a reload', async () => {
    const client = await connect();
    const sessionId = await shell(client);
    const viewers = [await FakeViewer.attach(client, sessionId), await FakeViewer.attach(client, sessionId)];
    await viewers[0]!.sees(PROMPT);
    await viewers[0]!.type("printf '\\e[c\\e[6n\\e]11;?\\a'; cat -v\r");
    await viewers[1]!.sees('rgb:');
    for (let i = 0; i < 3; i++) viewers.push(await FakeViewer.attach(client, sessionId));
    await viewers.at(-1)!.sees('rgb:');
    await viewers[0]!.type('\x03');
    await viewers[0]!.sees(/\^C/);
    const all = viewers[0]!.lines().join('\n');
    expect(all.match(/\^\[\[\?62;4;9;22c/g)).toHaveLength(1);
    expect(all.match(/\^\[\[\d+;\d+R/g)).toHaveLength(1);
    expect(all.match(/\^\[\]11;rgb:/g)).toHaveLength(1);
  });

  it('pain 23: a character that comes in two halves is one, live and in a snapshot', async () => {
    const client = await connect();
    const sessionId = await shell(client);
    const live = await FakeViewer.attach(client, sessionId);
    await live.sees(PROMPT);
    const script =
      "import os,time;os.write(1,b'A \\xe2');time.sleep(.3);os.write(1,b'\\x94\\x80 B \\xe2\\x80');time.sleep(.3);os.write(1,b'\\xba C\\n')";
    await live.type(`python3 -c "${script}"\r`);
    await live.sees(/^A $|^A$/);
    const between = await FakeViewer.attach(client, sessionId);
    await live.sees('A ─ B › C');
    await between.sees('A ─ B › C');
    expect((await client.call('text', { sessionId, lines: 10 })).lines).toContain('A ─ B › C');
  });

  it('pain 25: a drag of 60 steps tells the program at most three sizes, and none when nothing changed', async () => {
    const client = await connect();
    const sessionId = await shell(client);
    const viewer = await FakeViewer.attach(client, sessionId);
    await viewer.sees(PROMPT);
    const told = join(folder.dataDir, 'told');
    await viewer.type(`trap 'echo W >> ${told}' WINCH; echo set\r`);
    await viewer.sees(/^set$/);
    for (let i = 1; i <= 60; i++) {
      await client.call('size', { viewerId: viewer.id, cols: 100 - Math.floor(i / 2), rows: 30 });
      await new Promise((resolve) => setTimeout(resolve, 8));
    }
    await until('the last size is there', async () => (await infoOf(client, sessionId)).cols === 70);
    await viewer.type('stty size\r');
    await viewer.sees('30 70');
    for (let i = 0; i < 10; i++) await client.call('size', { viewerId: viewer.id, cols: 70, rows: 30 });
    await viewer.type('echo again-$((1+1))\r');
    await viewer.sees('again-2');
    const times = readFileSync(told, 'utf8').trim().split('\n').length;
    expect(times).toBeLessThanOrEqual(3);
    expect(viewer.terminal.cols).toBe(70);
  });

  it('pain 24: under yes the memory stays bounded and Ctrl-C works at once', async () => {
    const client = await connect();
    const sessionId = await shell(client);
    const fast = await FakeViewer.attach(client, sessionId);
    const stuck = await FakeViewer.attach(client, sessionId);
    await fast.sees(PROMPT);
    stuck.acking = false;
    const rss = (): number =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${folder.hostPid()}/status`, 'utf8'))![1]) / 1024;
    const before = rss();
    await fast.type('yes\r');
    await until('it has flooded', async () => (await infoOf(client, sessionId)).produced > 50e6, 30_000);
    expect(rss() - before).toBeLessThan(150);
    const start = performance.now();
    await fast.type('\x03');
    await until('the prompt is back', () => fast.lines().at(-1)?.startsWith(PROMPT) === true);
    expect(performance.now() - start).toBeLessThan(1000);
    expect(stuck.received.raw).toBeLessThan(300 * 1024);
    expect(stuck.received.frames).toBeLessThanOrEqual(1);
  }, 40_000);

  it('stream:hidden: hidden viewers get nothing, and all of it when they are shown', async () => {
    const client = await connect();
    const sessionId = await shell(client);
    const hidden = await FakeViewer.attach(client, sessionId, { visibility: 'hidden' });
    const live = await FakeViewer.attach(client, sessionId);
    await live.type('seq 1 3000; echo done-$((1+1))\r');
    await live.sees('done-2');
    expect(hidden.received).toMatchObject({ raw: 0, frames: 0, snapshots: 0 });
    await client.call('visibility', { viewerId: hidden.id, visibility: 'background' });
    await hidden.sees('done-2');
    await until('both show the same', () => live.lines().join() === hidden.lines().join());
    await client.call('visibility', { viewerId: hidden.id, visibility: 'hidden' });
    const before = hidden.received.raw;
    await live.type('echo more-$((1+1))\r');
    await live.sees('more-2');
    expect(hidden.received.raw).toBe(before);
  });

  it('tells title, folder, marks, progress, notifications and clipboard', async () => {
    const client = await connect();
    const signals: SessionSignal[] = [];
    client.on('signal', (signal) => signals.push(signal));
    const sessionId = await shell(client);
    const viewer = await FakeViewer.attach(client, sessionId);
    await viewer.sees(PROMPT);
    await viewer.type(
      "printf '\\e]2;my\\ttitle\\a\\e]7;file://localhost/usr/lib\\a\\e]133;C\\a\\e]9;4;1;40\\a\\e]9;built\\a\\e]777;notify;Tests;passed\\a\\e]52;c;%s\\a\\a' $(printf hi | base64)\r",
    );
    await until('it is told', async () => (await infoOf(client, sessionId)).progress?.percent === 40);
    expect(await infoOf(client, sessionId)).toMatchObject({
      title: 'mytitle',
      cwd: '/usr/lib',
      busy: true,
      progress: { state: 'normal', percent: 40 },
    });
    await until('the signals came', () => signals.length >= 4);
    expect(signals).toEqual([
      { sessionId, type: 'notification', title: '', body: 'built' },
      { sessionId, type: 'notification', title: 'Tests', body: 'passed' },
      { sessionId, type: 'clipboard', text: 'hi' },
      { sessionId, type: 'bell' },
    ]);
    await viewer.type("printf '\\e]133;D;3\\a\\e]9;4;0\\a'\r");
    await until('the end is told', async () => (await infoOf(client, sessionId)).lastStatus === 3);
    expect(await infoOf(client, sessionId)).not.toHaveProperty('progress');
  });

  it('pain 18: the folder is known without shell integration', async () => {
    const client = await connect();
    mkdirSync(join(folder.dataDir, 'a/b'), { recursive: true });
    const sessionId = await shell(client);
    const viewer = await FakeViewer.attach(client, sessionId);
    await viewer.sees(PROMPT);
    await viewer.type(`cd ${join(folder.dataDir, 'a/b')}\r`);
    await until(
      'the folder is told',
      async () => (await infoOf(client, sessionId)).cwd === join(folder.dataDir, 'a/b'),
    );
  });
});

describe('the journal', () => {
  const journalOf = (sessionId: string): string => join(folder.dataDir, 'scrollback', sessionId);
  const killHost = async (): Promise<void> => {
    const pid = folder.hostPid()!;
    process.kill(pid, 'SIGKILL');
    await until('the host is gone', () => !isAlive(pid));
  };

  it('pain 19, journal:restore: after the host died the screen comes back, and a restart has a visible cursor and a fresh line', async () => {
    const first = await connect();
    const sessionId = await shell(first);
    const viewer = await FakeViewer.attach(first, sessionId);
    await viewer.type("seq 1 200; printf '\\e[?25l\\e[?1000h\\e[2;5r\\e[31m'; printf 'last words'\r");
    await viewer.sees('last words');
    await until('it is on disk', () =>
      readdirSync(journalOf(sessionId)).some(
        (name) => name.endsWith('.log') && statSync(join(journalOf(sessionId), name)).size > 700,
      ),
    );
    const { produced } = await infoOf(first, sessionId);
    expect(statSync(journalOf(sessionId)).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(journalOf(sessionId)))
      expect(statSync(join(journalOf(sessionId), name)).mode & 0o777).toBe(0o600);
    await killHost();

    const second = await connect();
    const { info } = await second.call('restore', { sessionId, cols: 100, rows: 30, scrollback: 10_000 });
    expect(info).toMatchObject({ state: 'ended', exit: {}, produced, keptFrom: 0 });
    const restored = await FakeViewer.attach(second, sessionId);
    await restored.sees('last words');
    expect(restored.lines()).toEqual(viewer.lines());
    expect(restored.core.coreService.isCursorHidden).toBe(true);
    await second.call('restart', { sessionId, spec: shellSpec() });
    await restored.sees(/^ready> $|^ready>$/);
    expect(restored.core.coreService.isCursorHidden).toBe(false);
    expect(restored.core.coreMouseService.activeProtocol).toBe('NONE');
    expect(restored.core._bufferService.buffers.active.scrollTop).toBe(0);
    await restored.type('echo alive-$((1+1))\r');
    await restored.sees('alive-2');
    expect(restored.lines().filter((line) => line === '200')).toHaveLength(1);
    expect((await infoOf(second, sessionId)).produced).toBeGreaterThan(produced);
    expect(restored.faults).toEqual([]);
  });

  it('pain 14: what a killed host left running is ended when its session is restored', async () => {
    const first = await connect();
    const sessionId = await shell(first);
    const other = await shell(first);
    const viewer = await FakeViewer.attach(first, sessionId);
    const file = join(folder.dataDir, 'pid');
    await viewer.type(`trap '' HUP TERM; (while :; do echo tick; sleep 0.05; done) & echo $! > ${file}; echo $!-\r`);
    await viewer.sees(/^\d+-$/);
    const { pid } = await infoOf(first, sessionId);
    const child = Number(readFileSync(file, 'utf8'));
    const meta = join(journalOf(sessionId), 'meta.json');
    await until('it is written down', () => existsSync(meta) && readFileSync(meta, 'utf8').includes(`"pid":${pid}`));
    await killHost();
    // The shell itself ends at the end of its input, now or later.
    expect(isAlive(child)).toBe(true);
    const second = await connect();
    const size = { cols: 100, rows: 30, scrollback: 1000 };
    await second.call('restore', { sessionId: other, ...size });
    expect(isAlive(child)).toBe(true);
    await second.call('restore', { sessionId, ...size });
    expect([isAlive(pid!), isAlive(child)]).toEqual([false, false]);
    expect(folder.log()).toContain('ended what an earlier host left behind');
  });

  it('journal:bounded, journal:exact: is bounded, and its bytes are the program’s own', async () => {
    const client = await connect();
    const sessionId = await shell(client);
    const viewer = await FakeViewer.attach(client, sessionId);
    await viewer.type('seq 1 2000000 | tee /dev/null; echo done-$((1+1))\r');
    await viewer.sees('done-2', 30_000);
    const size = (): number =>
      readdirSync(journalOf(sessionId)).reduce((sum, name) => sum + statSync(join(journalOf(sessionId), name)).size, 0);
    await until('the writer has caught up', async () => {
      const { produced, keptFrom } = await infoOf(client, sessionId);
      return produced - keptFrom < 9e6 && size() < 9e6 && size() > 6e6;
    });
    const { produced, keptFrom } = await infoOf(client, sessionId);
    const names = readdirSync(journalOf(sessionId))
      .filter((name) => name.endsWith('.log'))
      .sort();
    const bytes = Buffer.concat(names.map((name) => readFileSync(join(journalOf(sessionId), name))));
    expect(bytes.length).toBe(produced - keptFrom);
    const numbers = bytes
      .toString()
      .split('\r\n')
      .slice(1)
      .filter((line) => /^\d+$/.test(line))
      .map(Number);
    expect(numbers.at(-1)).toBe(2_000_000);
    expect(numbers).toEqual(numbers.map((_, index) => numbers[0]! + index));
  }, 60_000);

  it('a restored journal brings the sizes back, and a damaged one what can be read', async () => {
    const first = await connect();
    const ids = [await shell(first), await shell(first), await shell(first), await shell(first)];
    const seen: string[][] = [];
    for (const id of ids) {
      const viewer = await FakeViewer.attach(first, id, { cols: 60 });
      await viewer.type(`echo ${'x'.repeat(150)}; stty cols 60\r`);
      await viewer.sees(/^x{150}$/);
      await first.call('size', { viewerId: viewer.id, cols: 40, rows: 20 });
      await viewer.type(`echo ${'y'.repeat(90)}\r`);
      await viewer.sees(/^y{90}$/);
      seen.push(viewer.lines());
      await first.call('end', { sessionId: id, graceMs: 500 });
    }
    await first.call('shutdown', { endSessions: true });
    await until('the host is gone', () => !isAlive(folder.hostPid() ?? 0));
    writeFileSync(join(journalOf(ids[1]!), 'meta.json'), '{"v":1,"sizes":[{"offs');
    const [segment] = readdirSync(journalOf(ids[2]!)).filter((name) => name.endsWith('.log'));
    appendFileSync(join(journalOf(ids[2]!), segment!), '\x1b[3');
    writeFileSync(join(journalOf(ids[2]!), 'not-a-segment.log'), 'zzz');

    const second = await connect();
    const restore = (sessionId: string) => second.call('restore', { sessionId, cols: 60, rows: 30, scrollback: 1000 });
    expect((await restore(ids[0]!)).info).toMatchObject({
      state: 'ended',
      cols: 40,
      rows: 20,
      exit: { signal: 'SIGHUP' },
    });
    const whole = await FakeViewer.attach(second, ids[0]!, { cols: 40, rows: 20 });
    await whole.sees(/^y{90}$/);
    expect(whole.lines().slice(0, 3)).toEqual(seen[0]!.slice(0, 3));
    expect((await restore(ids[1]!)).info).toMatchObject({
      state: 'ended',
      notice: { code: 'journal-damaged', params: { what: 'notes' } },
    });
    const damaged = await FakeViewer.attach(second, ids[1]!, { cols: 60 });
    await damaged.sees('x'.repeat(150));
    await restore(ids[2]!);
    const torn = await FakeViewer.attach(second, ids[2]!, { cols: 60 });
    await torn.sees('x'.repeat(150));
    rmSync(join(journalOf(ids[3]!), `${'0'.repeat(16)}.log`));
    writeFileSync(join(journalOf(ids[3]!), '9999999999999999.log'), 'zzz');
    expect((await restore(ids[3]!)).info.notice).toMatchObject({
      code: 'journal-damaged',
      params: { what: 'missing', bytes: expect.stringMatching(/^[1-9]\d+$/), reason: '' },
    });
    expect(folder.log()).toContain('9999999999999999.log');
    await expect(restore('never-was')).rejects.toMatchObject({ code: 'no-journal' });
  });

  it('journal:bounded: is deleted by the off switch, and by forget', async () => {
    const client = await connect();
    const sessionId = await shell(client);
    const viewer = await FakeViewer.attach(client, sessionId);
    await viewer.sees(PROMPT);
    await until('it is there', () => existsSync(journalOf(sessionId)));
    expect((await client.call('journal', { sessionId, on: false })).info.journal).toEqual({ state: 'off' });
    expect(existsSync(journalOf(sessionId))).toBe(false);
    await viewer.type('echo unseen\r');
    await viewer.sees(/^unseen$/);
    expect(existsSync(journalOf(sessionId))).toBe(false);
    expect((await client.call('journal', { sessionId, on: true })).info.journal).toEqual({ state: 'on' });
    await viewer.type('echo seen\r');
    await viewer.sees(/^seen$/);
    await until('it is written again', () => readdirSync(journalOf(sessionId)).some((name) => name.endsWith('.log')));
    const [name] = readdirSync(journalOf(sessionId)).filter((one) => one.endsWith('.log'));
    await until('the line is in it', () => readFileSync(join(journalOf(sessionId), name!), 'utf8').includes('seen'));
    expect(readFileSync(join(journalOf(sessionId), name!), 'utf8')).not.toContain('unseen');
  });

  it('journal:failure: a folder that cannot be made is told on the session, which goes on', async () => {
    rmSync(join(folder.dataDir, 'scrollback'), { recursive: true, force: true });
    writeFileSync(join(folder.dataDir, 'scrollback'), 'in the way');
    chmodSync(join(folder.dataDir, 'scrollback'), 0o400);
    const client = await connect();
    const sessionId = await shell(client);
    await until('the failure is told', async () => (await infoOf(client, sessionId)).journal.state === 'failed');
    const viewer = await FakeViewer.attach(client, sessionId);
    await viewer.type('echo on-$((1+1))\r');
    await viewer.sees('on-2');
  });
});

function frameOf(json: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(1 + json.length, 0);
  return Buffer.concat([head, json]);
}
