import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openLog } from '../instance';
import { LoopbackListener } from './listener';

let folder: string;
let listener: LoopbackListener;
let sockets: Socket[];

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'tessera-listener-'));
  listener = new LoopbackListener(openLog(folder).log);
  listener.serve(
    (_request, response) => response.end('hello'),
    (_request, socket) => void socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  );
  await listener.listen(0);
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await listener.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Sends this much of a request and leaves it at that. Resolves to what was answered when the other end has closed. */
function half(text: string): { closed: Promise<string> } {
  const socket = connect(listener.port, '127.0.0.1');
  sockets.push(socket);
  let answer = '';
  const closed = new Promise<string>((done) => {
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => done(answer));
  });
  socket.write(text);
  return { closed };
}

const UPGRADE = 'GET /socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n';

it('bears 1,500 connections that never finish their request: those over the limit end at once, the others soon', async () => {
  const started = Date.now();
  let ended = 0;
  const all = Array.from({ length: 1500 }, (_, i) => half(i % 2 ? UPGRADE : 'GET / HT'));
  for (const { closed } of all) void closed.then(() => ended++);
  while (ended < 1500 - 1024) {
    if (Date.now() - started > 8_000) throw new Error(`only ${ended} were refused`);
    await new Promise((next) => setTimeout(next, 20));
  }
  await Promise.all(all.map(({ closed }) => closed));
  expect(Date.now() - started).toBeLessThan(20_000);
  const whole = half('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  expect(await whole.closed).toMatch(/^HTTP\/1\.1 200[\s\S]*hello$/);
}, 40_000);
