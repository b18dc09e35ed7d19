import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { dataFolders, processStartTime, writeInstance } from '../instance';
import { stop } from './stop';

let dataDir: string;
let web: Server;
/** What plays the server's and the pty host's process. */
let server: ChildProcess;
let host: ChildProcess;
let onStop: () => void;

const idle = () => spawn('sleep', ['600'], { stdio: 'ignore' });
const startOf = (child: ChildProcess) => processStartTime(child.pid ?? 0) ?? '';

beforeEach(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'tessera-stop-'));
  const { runDir } = dataFolders(dataDir);
  for (const folder of [runDir, path.join(dataDir, 'pty-host')]) mkdirSync(folder, { recursive: true });
  [server, host] = [idle(), idle()];
  web = createServer((_request, response) => {
    response.end('{"stopping":true}');
    server.kill('SIGKILL');
    onStop();
  });
  await new Promise<void>((done) => web.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  const base = { v: 1, control: 'c'.repeat(43), version: '0.0.0', dataDir } as const;
  writeInstance(runDir, { ...base, pid: server.pid ?? 0, startTime: startOf(server), url });
  const lock = { pid: host.pid, started: startOf(host), socket: '/nowhere', directory: '/nowhere' };
  writeFileSync(path.join(dataDir, 'pty-host/host.json'), JSON.stringify(lock));
  onStop = () => undefined;
});

afterEach(() => {
  web.closeAllConnections();
  web.close();
  for (const child of [server, host]) child.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

it('a stop that ends terminals waits until their host is gone, also after it gave its lock back', async () => {
  onStop = () => {
    rmSync(path.join(dataDir, 'pty-host/host.json'));
    setTimeout(() => host.kill('SIGKILL'), 300);
  };
  expect(await stop(dataDir, { endSessions: true })).toBe('Tessera and its terminals have ended.');
  expect(processStartTime(host.pid ?? 0)).toBeNull();
});

it('says what still runs when the host does not end', async () => {
  await expect(stop(dataDir, { endSessions: true, hostGoneMs: 200 })).rejects.toMatchObject({
    code: 'still-there',
    message: expect.stringContaining(`the pty host (process ${host.pid}) still runs`),
  });
});

it('ends terminals also when their server is gone', async () => {
  server.kill('SIGKILL');
  rmSync(path.join(dataFolders(dataDir).runDir, 'instance.json'));
  await expect(stop(dataDir, { endSessions: false })).rejects.toMatchObject({ code: 'not-running' });
  expect(await stop(dataDir, { endSessions: true })).toBe('No server ran any more; the terminals have ended.');
  expect(processStartTime(host.pid ?? 0)).toBeNull();
  await expect(stop(dataDir, { endSessions: true })).rejects.toMatchObject({ code: 'not-running' });
});

it('leaves the host alone when terminals are to go on', async () => {
  expect(await stop(dataDir, { endSessions: false })).toBe('Tessera has ended; its terminals keep running.');
  expect(processStartTime(host.pid ?? 0)).toBe(startOf(host));
});
