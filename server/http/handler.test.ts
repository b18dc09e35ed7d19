import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Type } from '@sinclair/typebox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FailureError } from '../../schemas/result';
import { openLog } from '../instance';
import { type Gatekeeper, RequestHandler } from './handler';
import { LoopbackListener } from './listener';
import type { Pages } from './pages';
import { ListenerPolicy } from './policy';
import { bytesRoute, jsonRoute, type Route, RouteTable, readRoute } from './routes';
import { upgradeListener } from './upgrade';

const SECRET = 'S3CR3T-VALUE-OF-A-KEY';

const gatekeeper: Gatekeeper = {
  byCookie: (cookie) => (cookie === 'in' ? { id: 'browser' } : null),
  byCookieAndKey: (cookie, key) => (cookie === 'in' && key === SECRET ? { id: 'browser' } : null),
  isControl: (authorization) => authorization === `Bearer ${SECRET}`,
  renewCookie: () => 'renewed=1',
};
const pages: Pages = {
  render: (_request, response, page, _host, status = 200) => void response.writeHead(status).end(`page ${page}`),
  hasFile: (address) => address === '/files/a.js',
  sendFile: async (_request, response) => void response.end('file'),
};
const ran: string[] = [];
const routes: Route[] = [
  { kind: 'page', path: '/', access: 'cookie' },
  { kind: 'files', path: '/files/', access: 'public' },
  readRoute({
    path: '/api/broken',
    access: 'signed-in',
    run: () => {
      throw Object.assign(new Error('it broke'), { headers: { cookie: SECRET }, key: SECRET });
    },
  }),
  readRoute({ path: '/api/who', access: 'signed-in', run: ({ caller }) => ({ body: caller.id }) }),
  jsonRoute({
    path: '/api/write',
    access: 'signed-in',
    schema: Type.Object({ a: Type.Integer() }, { additionalProperties: false }),
    maxBytes: 100,
    run: (_call, body) => {
      ran.push(JSON.stringify(body));
      return { status: 201, headers: { 'X-Made': 'yes' }, body };
    },
  }),
  jsonRoute({
    path: '/api/control/x',
    access: 'control',
    schema: Type.Object({}),
    maxBytes: 100,
    run: () => ({ body: 'done' }),
  }),
  bytesRoute({
    path: '/api/:id/bytes',
    access: 'signed-in',
    maxBytes: 10,
    run: async ({ params }, body) => {
      if (params.id === 'early') throw new FailureError('no-such', 'There is none.');
      let size = 0;
      for await (const part of body) size += (part as Buffer).length;
      return { body: { size } };
    },
  }),
];

let folder: string;
let listener: LoopbackListener;
let flush: () => void;
beforeEach(async () => {
  ran.length = 0;
  folder = mkdtempSync(path.join(tmpdir(), 'tessera-http-'));
  const opened = openLog(folder, 'debug');
  flush = opened.flush;
  listener = new LoopbackListener(opened.log);
  await listener.listen(0);
  const policy = new ListenerPolicy(listener.port);
  const handler = new RequestHandler({ policy, table: new RouteTable(routes), gatekeeper, pages, log: opened.log });
  listener.serve((asked, response) => void handler.handle(asked, response), upgradeListener(policy, gatekeeper, {}));
});
afterEach(async () => {
  await listener.close();
  rmSync(folder, { recursive: true });
});

interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}
function ask(method: string, target: string, headers: Record<string, string> = {}, body?: string): Promise<Reply> {
  return new Promise((done, failed) => {
    const sent = request(
      { host: '127.0.0.1', port: listener.port, method, path: target, headers, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => done({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
      },
    );
    sent.on('error', failed);
    sent.end(body);
  });
}
const signedIn = { cookie: 'in', 'x-tessera-key': SECRET };
const json = { ...signedIn, 'content-type': 'application/json' };
const bytes = { ...signedIn, 'content-type': 'application/octet-stream', 'x-tessera-upload': '1' };

describe('the handler of requests', () => {
  it('S12: hides what broke behind an id, and logs it without one header of the request', async () => {
    const reply = await ask('GET', '/api/broken?token=S3CR3T-VALUE-OF-A-KEY', { ...signedIn, authorization: SECRET });
    expect(reply.status).toBe(500);
    const { error } = JSON.parse(reply.body) as { error: { code: string; message: string; params: { id: string } } };
    expect(error.code).toBe('internal');
    expect(reply.body).not.toContain('it broke');
    flush();
    const log = readFileSync(path.join(folder, 'server.log'), 'utf8');
    expect(log).toContain(error.params.id);
    expect(log).toContain('it broke');
    expect(log).not.toContain(SECRET);
  });

  it('S7: knows who calls before a handler runs', async () => {
    expect((await ask('GET', '/api/who', signedIn)).body).toBe('"browser"');
    const strangers: Record<string, string>[] = [
      {},
      { cookie: 'in' },
      { 'x-tessera-key': SECRET },
      { ...signedIn, cookie: 'out' },
    ];
    for (const headers of strangers) {
      expect((await ask('GET', '/api/who', headers)).status).toBe(401);
      expect(
        (await ask('POST', '/api/write', { 'content-type': 'application/json', ...headers }, '{"a":1}')).status,
      ).toBe(401);
    }
    expect(ran).toEqual([]);
  });

  it('takes a body that is as it should be, and says where it is not', async () => {
    const good = await ask('POST', '/api/write', json, '{"a":1}');
    expect([good.status, good.headers['x-made'], good.body]).toEqual([201, 'yes', '{"a":1}']);
    const codes = await Promise.all(
      ['{"a":"x"}', '{"a":1,"b":2}', '{"a":', '[]', '{"a":1,"__proto__":1}', `{"a":${'1'.repeat(200)}}`].map(
        async (body) =>
          (JSON.parse((await ask('POST', '/api/write', json, body)).body) as { error: { code: string } }).error.code,
      ),
    );
    expect(codes).toEqual([
      'bad-arguments',
      'bad-arguments',
      'bad-json',
      'bad-arguments',
      'bad-arguments',
      'too-large',
    ]);
    expect(ran).toEqual(['{"a":1}']);
  });

  it('bounds uploads, whatever their length header says, and survives one that nobody reads', async () => {
    expect((await ask('POST', '/api/one/bytes', bytes, '0123456789')).body).toBe('{"size":10}');
    expect((await ask('POST', '/api/one/bytes', bytes, '0123456789x')).status).toBe(413);
    expect(
      (await ask('POST', '/api/one/bytes', { ...bytes, 'transfer-encoding': 'chunked' }, '0123456789x')).status,
    ).toBe(413);
    expect(
      (await ask('POST', '/api/early/bytes', { ...bytes, 'transfer-encoding': 'chunked' }, 'x'.repeat(100_000))).status,
    ).toBe(400);
    expect((await ask('GET', '/api/who', signedIn)).status).toBe(200);
  });

  it('leads a document to the login page, and tells others nothing of what exists', async () => {
    const navigate = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'sec-fetch-site': 'none' };
    for (const target of ['/', '/nothing', '/api/who']) {
      const reply = await ask('GET', target, navigate);
      expect([reply.status, reply.headers.location, reply.body]).toEqual([303, '/login', '']);
    }
    expect((await ask('GET', '/nothing')).status).toBe(401);
    expect((await ask('POST', '/', { 'content-type': 'application/json' }, '{}')).status).toBe(401);
    expect((await ask('GET', '/nothing', { cookie: 'in' })).status).toBe(404);
    expect((await ask('GET', '/nothing', { cookie: 'in', ...navigate })).body).toBe('page /nothing-here');
    const wrong = await ask('POST', '/', { ...json }, '{}');
    expect([wrong.status, wrong.headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  it('shows pages with a renewed cookie, files that exist, and safe headers on everything', async () => {
    const page = await ask('GET', '/', { cookie: 'in' });
    expect([page.body, page.headers['set-cookie']]).toEqual(['page /', ['renewed=1']]);
    expect((await ask('GET', '/files/a.js')).body).toBe('file');
    expect((await ask('GET', '/files/b.js')).status).toBe(401);
    for (const reply of [page, await ask('GET', '/x'), await ask('GET', '/', { host: 'evil.test' })]) {
      expect(reply.headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
      });
    }
  });

  it('takes the bearer from programs, never from a page', async () => {
    const control = { 'content-type': 'application/json', authorization: `Bearer ${SECRET}` };
    expect((await ask('POST', '/api/control/x', control, '{}')).status).toBe(200);
    const own = `http://127.0.0.1:${listener.port}`;
    expect((await ask('POST', '/api/control/x', { ...control, origin: own }, '{}')).status).toBe(401);
    expect((await ask('POST', '/api/control/x', { ...control, 'sec-fetch-site': 'same-origin' }, '{}')).status).toBe(
      401,
    );
    expect((await ask('POST', '/api/control/x', { ...json }, '{}')).status).toBe(401);
  });

  it('answers nothing any more once it is paused', async () => {
    listener.pause();
    expect((await ask('GET', '/')).status).toBe(503);
  });
});
