import { io } from 'socket.io-client';
import { calls, notices, SocketLimits } from '../../schemas/realtime';
import { browserHeaders, expect, freePort, takeLink, test, until } from '../support';
import { ask, instanceOf, politeAsk, type Reply, routesOf, sendBytes, upgrade, withHeaders } from './raw';

/** Refused: no content, no detail, and a document is at most led to the login page. */
const isClosed = ({ status, headers }: Reply) =>
  [401, 403].includes(status) || (status === 303 && headers.location === '/login');

const foreignHosts = ['evil.test', '127.0.0.1.nip.io', 'localhost:1', '0.0.0.0', ''];
const foreignOrigins = [
  'null',
  'http://evil.test',
  'http://127.0.0.1:1',
  'http://192.168.0.9',
  'chrome-extension://x',
  'vscode-webview://x',
  'file://',
];

/** What only proxies and frameworks set; none of it may change a decision. */
const internalHeaders: Record<string, string> = {
  'x-middleware-subrequest': 'middleware:middleware:middleware:middleware:middleware',
  'x-middleware-rewrite': '/',
  'x-middleware-next': '1',
  'x-forwarded-for': '127.0.0.1',
  'x-forwarded-host': '127.0.0.1',
  'x-forwarded-proto': 'https',
  forwarded: 'for=127.0.0.1',
  'x-real-ip': '127.0.0.1',
  'x-original-url': '/login',
  'x-rewrite-url': '/login',
  'x-http-method-override': 'GET',
  'x-method-override': 'GET',
  'x-invoke-path': '/login',
  'x-matched-path': '/login',
  'x-nextjs-data': '1',
  'next-action': 'abc',
  rsc: '1',
};

test('S3, S7: no route answers without a session, whatever it is asked', async ({ server }) => {
  const routes = await routesOf(server);
  expect(routes.length).toBeGreaterThan(8);
  for (const route of routes.filter(({ access }) => access !== 'public')) {
    const polite = politeAsk(route);
    const variants = [
      polite,
      withHeaders(polite, browserHeaders(server.url)),
      withHeaders(polite, { cookie: 'tessera-1=x.y', 'x-tessera-key': 'k', authorization: 'Bearer nothing' }),
      withHeaders(polite, { cookie: `tessera-${server.port}=x.y`, 'x-tessera-key': '' }),
      withHeaders(polite, {
        accept: 'text/html',
        'sec-fetch-mode': 'navigate',
        'sec-fetch-dest': 'document',
        'sec-fetch-site': 'none',
      }),
    ];
    for (const asked of variants)
      expect(isClosed(await ask(server, asked)), `${route.method} ${route.path} ${JSON.stringify(asked.headers)}`).toBe(
        true,
      );
  }
  for (const path of [
    '/api',
    '/api/nothing',
    '/socket/',
    '/socket.io/',
    '/_next/image?url=x',
    '/_next/data/x.json',
    '/.well-known/oauth-authorization-server',
    '/store',
    '/%6cogin',
  ]) {
    for (const method of ['GET', 'POST']) {
      expect(
        isClosed(
          await ask(server, {
            method,
            path,
            headers: { 'content-type': 'application/json' },
            body: method === 'POST' ? '{}' : undefined,
          }),
        ),
        `${method} ${path}`,
      ).toBe(true);
    }
  }
});

test('S2, S20: no route answers to a foreign host or origin, also with a session', async ({ server }) => {
  const { cookie, key } = await takeLink(server);
  for (const route of await routesOf(server)) {
    const allowed = withHeaders(politeAsk(route), { cookie, 'x-tessera-key': key });
    for (const host of foreignHosts)
      expect((await ask(server, withHeaders(allowed, { host }))).status, `${route.path} at ${host}`).toBe(403);
    for (const origin of foreignOrigins)
      expect((await ask(server, withHeaders(allowed, { origin }))).status, `${route.path} from ${origin}`).toBe(403);
    for (const site of ['cross-site', 'same-site']) {
      expect(
        (await ask(server, withHeaders(allowed, { 'sec-fetch-site': site }))).status,
        `${route.path} ${site}`,
      ).toBe(403);
    }
  }
  const twice = await sendBytes(
    server.port,
    `GET /login HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nHost: evil.test\r\nConnection: close\r\n\r\n`,
  );
  expect(twice).toMatch(/^HTTP\/1\.1 4\d\d /);
  const absolute = await sendBytes(
    server.port,
    `GET http://127.0.0.1:${server.port}/login HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nConnection: close\r\n\r\n`,
  );
  expect(absolute).toMatch(/^HTTP\/1\.1 400 /);
});

test('S5, S7: the cookie alone opens documents and nothing else', async ({ server }) => {
  const { cookie, key } = await takeLink(server);
  for (const route of await routesOf(server)) {
    if (route.access !== 'signed-in' && route.access !== 'control') continue;
    const cookieOnly = withHeaders(politeAsk(route), { cookie, ...browserHeaders(server.url) });
    const keyOnly = withHeaders(politeAsk(route), { 'x-tessera-key': key, ...browserHeaders(server.url) });
    const wrongKey = withHeaders(politeAsk(route), { cookie, 'x-tessera-key': `${key}x` });
    for (const asked of [cookieOnly, keyOnly, wrongKey])
      expect((await ask(server, asked)).status, route.path).toBe(401);
  }
  expect((await ask(server, { path: '/', headers: { cookie } })).status).toBe(200);
  expect((await ask(server, { path: '/api/session', headers: { cookie, 'x-tessera-key': key } })).status).toBe(200);
});

test('S17: headers of proxies and frameworks change no decision', async ({ server }) => {
  const { cookie, key } = await takeLink(server);
  for (const route of await routesOf(server)) {
    const polite = politeAsk(route);
    const plain = await ask(server, polite);
    for (const [name, value] of Object.entries(internalHeaders)) {
      const reply = await ask(server, withHeaders(polite, { [name]: value }));
      expect(reply.status, `${route.method} ${route.path} with ${name}`).toBe(plain.status);
    }
  }
  const page = await ask(
    server,
    withHeaders({ path: '/', headers: internalHeaders }, { cookie, 'x-tessera-key': key }),
  );
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
});

test('S21: writes need our content types', async ({ server }) => {
  const { cookie, key } = await takeLink(server);
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain; application/json',
    '',
  ];
  const writes = (await routesOf(server)).filter(({ method }) => method === 'POST');
  expect(writes.length).toBeGreaterThan(3);
  for (const route of writes) {
    for (const type of types) {
      const asked = withHeaders(politeAsk(route), { cookie, 'x-tessera-key': key, 'content-type': type });
      expect((await ask(server, asked)).status, `${route.path} as "${type}"`).toBe(415);
    }
  }
  const upload = writes.find(({ kind }) => kind === 'bytes')!;
  const { 'x-tessera-upload': _left, ...without } = politeAsk(upload).headers ?? {};
  expect(
    (await ask(server, { ...politeAsk(upload), headers: { ...without, cookie, 'x-tessera-key': key } })).status,
  ).toBe(415);
});

test('S18: hostile JSON gets a typed error from every route that takes any', async ({ server }) => {
  const hostile = [
    '{"token":"aaaaaaaaaaaaaaaaaaaaaaaa","__proto__":{"x":1}}',
    '{"constructor":{"prototype":{}}}',
    '{"token":"$F1","a":"$@2"}',
    `${'['.repeat(100)}${']'.repeat(100)}`,
    '{"token":',
    'null',
    '"text"',
    Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
    `{"token":"${'x'.repeat(10 * 1024 * 1024)}"}`,
  ];
  const { cookie, key } = await takeLink(server);
  const bearer = { authorization: `Bearer ${instanceOf(server).control}` };
  const takesJson = (await routesOf(server)).filter(({ kind }) => kind === 'json');
  expect(takesJson.length).toBeGreaterThan(3);
  for (const route of takesJson) {
    const allowed = withHeaders(
      politeAsk(route),
      route.access === 'control' ? bearer : { cookie, 'x-tessera-key': key },
    );
    for (const body of hostile) {
      const reply = await ask(server, { ...allowed, body }).catch((error: NodeJS.ErrnoException) => error.code ?? '');
      const what = `${route.path} with ${String(body).slice(0, 60)}`;
      if (typeof reply === 'string') {
        // One that is cut off while it still sends may see only the closed connection.
        expect(['ECONNRESET', 'EPIPE'], what).toContain(reply);
        continue;
      }
      expect([400, 413], what).toContain(reply.status);
      expect(JSON.parse(reply.body)).toMatchObject({
        error: { code: expect.any(String), message: expect.any(String) },
      });
    }
  }
  expect((await ask(server, { path: '/login' })).status).toBe(200);
});

test('S5, S7: no socket opens without a session, with a foreign host, origin or site, or at another path', async ({
  server,
}) => {
  const { cookie } = await takeLink(server);
  const own = { ...browserHeaders(server.url), cookie };
  const other = `http://127.0.0.1:${await freePort()}`;
  const refused: [string, Record<string, string>, string?][] = [
    ['no session', browserHeaders(server.url)],
    ['a wrong cookie', { ...own, cookie: `tessera-${server.port}=x.y` }],
    ['a foreign host', { ...own, Host: 'evil.test' }],
    ['a foreign origin', { ...own, origin: 'http://evil.test' }],
    ['no origin of a page', { ...own, origin: 'null' }],
    ['another local port', { ...own, origin: other }],
    ['another site', { ...own, 'sec-fetch-site': 'same-site' }],
    ['another path', own, '/'],
    ['the library’s own path', own, '/socket.io/?EIO=4&transport=websocket'],
    ['the hot reload of the framework', own, '/_next/webpack-hmr'],
  ];
  for (const [what, headers, target] of refused) {
    const answer = await sendBytes(server.port, upgrade(server, headers, target));
    expect(answer, what).toMatch(/^HTTP\/1\.1 (401|403|404) /);
  }
});

test('S5: with a cookie but without the key no event is answered', async ({ server }) => {
  const { cookie, key } = await takeLink(server);
  for (const wrong of [undefined, '', `${key}x`, 42, { $ne: '' }, [key]]) {
    const socket = io(server.url, {
      path: SocketLimits.path,
      transports: ['websocket'],
      reconnection: false,
      extraHeaders: { cookie, ...browserHeaders(server.url) },
      auth: { key: wrong },
    });
    const answered: string[] = [];
    const ended = new Promise<string>((done) => socket.once('connect_error', (error) => done(error.message)));
    for (const name of [...Object.keys(calls), ...Object.keys(notices)])
      socket.emit(name, {}, () => answered.push(name));
    expect(await ended).toBe('unauthorized');
    await until('the socket to be closed', () => !socket.connected);
    socket.close();
    expect(answered).toEqual([]);
  }
});
