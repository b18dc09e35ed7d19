import { connect, type Socket } from 'node:net';
import { io } from 'socket.io-client';
import WebSocket from 'ws';
import { SocketLimits } from '../../schemas/realtime';
import {
  browserHeaders,
  type Credentials,
  expect,
  TesseraClient,
  type TesseraServer,
  takeLink,
  test,
  until,
} from '../support';
import { ask, sendBytes, sendLast, upgrade } from './raw';

/** It still answers, over HTTP and over a socket. */
async function expectAlive(server: TesseraServer, credentials: Credentials): Promise<void> {
  expect((await ask(server, { path: '/login' })).status).toBe(200);
  const client = await TesseraClient.connect(server, credentials);
  client.close();
}

/** A socket that is past the handshake, for frames that no library would send. */
function openSocket(server: TesseraServer, { cookie }: Credentials): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/socket/?EIO=4&transport=websocket`, {
    headers: { cookie, ...browserHeaders(server.url) },
  });
  return new Promise((done, failed) => {
    socket.on('error', failed);
    socket.on('open', () => {
      socket.off('error', failed);
      socket.on('error', () => {});
      done(socket);
    });
  });
}

const closed = (socket: WebSocket) =>
  until('the socket to be closed', () => socket.readyState === WebSocket.CLOSED, { timeoutMs: 15_000 });

test('S19: floods of headers and malformed requests leave the server alive', async ({ server }) => {
  const credentials = await takeLink(server);
  const host = `Host: 127.0.0.1:${server.port}\r\n`;
  const headers = (count: number, size = 1) =>
    Array.from({ length: count }, (_, index) => `X-${index}: ${'a'.repeat(size)}\r\n`).join('');
  const answers = {
    many: await sendBytes(server.port, `GET /login HTTP/1.1\r\n${host}${headers(2000)}\r\n`),
    some: await sendBytes(server.port, `GET /login HTTP/1.1\r\n${host}Connection: close\r\n${headers(200)}\r\n`),
    long: await sendBytes(server.port, `GET /login HTTP/1.1\r\n${host}X: ${'a'.repeat(100_000)}\r\n\r\n`),
    rubbish: await sendBytes(server.port, Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc])),
    binary: await sendBytes(server.port, `GET /login\u0000 HTTP/1.1\r\n${host}\r\n`),
    smuggled: await sendBytes(
      server.port,
      `POST /api/login HTTP/1.1\r\n${host}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n`,
    ),
    folded: await sendBytes(server.port, `GET /login HTTP/1.1\r\n${host} evil.test\r\n\r\n`),
  };
  for (const [what, answer] of Object.entries(answers)) expect(answer, what).toMatch(/^HTTP\/1\.1 4\d\d |^$/);
  expect(answers.some).toMatch(/^HTTP\/1\.1 431 /);
  await expectAlive(server, credentials);
});

test('S19: 500 half-open connections keep nobody out, and are closed', async ({ server }) => {
  const credentials = await takeLink(server);
  const sockets: Socket[] = [];
  let open = 0;
  try {
    for (let index = 0; index < 500; index++) {
      const socket = connect(server.port, '127.0.0.1', () => {
        open += 1;
        if (index % 2 === 0) socket.write('GET /login HTTP/1.1\r\nHost: 127');
      });
      socket.resume();
      socket.on('error', () => {});
      socket.on('close', () => {
        open -= 1;
      });
      sockets.push(socket);
    }
    await until('all of them to be open', () => open === 500);
    await expectAlive(server, credentials);
    await until('all of them to be closed', () => open === 0, { timeoutMs: 25_000, last: () => open });
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  await expectAlive(server, credentials);
});

test('S19: malformed, oversized and endless frames end their socket and nothing else', async ({ server }) => {
  const credentials = await takeLink(server);
  const bystander = await TesseraClient.connect(server, credentials);
  const masked = (opcode: number, payload: Buffer, fin = true) => {
    const length =
      payload.length < 126
        ? Buffer.from([0x80 | payload.length])
        : Buffer.from([0xfe, payload.length >> 8, payload.length & 255]);
    return Buffer.concat([Buffer.from([(fin ? 0x80 : 0) | opcode]), length, Buffer.alloc(4), payload]);
  };
  const raw = (bytes: Buffer) =>
    sendLast(
      server.port,
      Buffer.concat([
        Buffer.from(upgrade(server, { cookie: credentials.cookie, ...browserHeaders(server.url) })),
        bytes,
      ]),
    );
  const frames: Record<string, Buffer> = {
    'bad UTF-8': masked(1, Buffer.from([0xff, 0xfe, 0xfd])),
    'a header of 1 GB': Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0]),
    'reserved bits': masked(0x71, Buffer.from('x')),
    'a frame without a mask': Buffer.from([0x81, 0x01, 0x78]),
    'an unknown opcode': masked(0x7, Buffer.from('x')),
    'no packet of the protocol': masked(1, Buffer.from('zzzz')),
    'a packet of another namespace': masked(1, Buffer.from('40/admin,{}')),
    'fragments without end': Buffer.concat([
      masked(1, Buffer.alloc(60_000, 0x61), false),
      ...Array.from({ length: 20 }, () => masked(0, Buffer.alloc(60_000, 0x61), false)),
    ]),
  };
  for (const [what, bytes] of Object.entries(frames)) expect(await raw(bytes), what).toMatch(/^HTTP\/1\.1 101 /);

  const big = await openSocket(server, credentials);
  big.send('4'.repeat(SocketLimits.maxMessageBytes + 1));
  await closed(big);
  const deep = await openSocket(server, credentials);
  deep.send(`42${'['.repeat(100_000)}`);
  await closed(deep);
  const pings = await openSocket(server, credentials);
  for (let count = 0; count < 20_000; count++) pings.ping();
  await until('the flood of pings to be sent', () => pings.bufferedAmount === 0);
  pings.terminate();

  expect(await bystander.call('browsers:list', {})).not.toEqual([]);
  bystander.close();
  await expectAlive(server, credentials);
});

test('S19: a socket that never shows its key is closed', async ({ server }) => {
  const credentials = await takeLink(server);
  const silent = await openSocket(server, credentials);
  await closed(silent);
  await expectAlive(server, credentials);
});

test('S18, S19: hostile events over a signed-in socket get a typed error, and a flood ends in one', async ({
  server,
}) => {
  const credentials = await takeLink(server);
  const socket = io(server.url, {
    path: SocketLimits.path,
    transports: ['websocket'],
    extraHeaders: { cookie: credentials.cookie, ...browserHeaders(server.url) },
    auth: { key: credentials.key },
  });
  const asked = (name: string, args: unknown) =>
    socket.timeout(10_000).emitWithAck(name, args) as Promise<{ ok: boolean; error?: { code: string } }>;
  await until('the socket to be connected', () => socket.connected);
  expect(await asked('no:such', {})).toMatchObject({ ok: false, error: { code: 'unknown-call' } });
  expect(await asked('browsers:revoke', JSON.parse('{"__proto__":{"id":"x"}}'))).toMatchObject({
    ok: false,
    error: { code: 'bad-arguments' },
  });
  expect(await asked('canvas:open', { canvasId: '../../etc/passwd' })).toMatchObject({
    ok: false,
    error: { code: 'bad-arguments' },
  });
  expect(
    await asked('terminal:input', { viewerId: 'viewer1', sessionId: 'session1', seq: 1, bytes: Buffer.alloc(70_000) }),
  ).toMatchObject({ ok: false, error: { code: 'bad-arguments' } });
  socket.emit('browsers:list');
  socket.emit('terminal:ack', 'rubbish');
  socket.emit('terminal:ack');
  const flood = await Promise.all(Array.from({ length: 5000 }, () => asked('no:such', {})));
  expect(flood.filter(({ error }) => error?.code === 'too-many-calls').length).toBeGreaterThan(0);
  expect(socket.connected).toBe(true);
  socket.close();
  await expectAlive(server, credentials);
});
