import { describe, expect, it } from 'vitest';
import { ListenerPolicy, type RequestFacts } from './policy';

const policy = new ListenerPolicy(4000);
const HOST = '127.0.0.1:4000';

function request(
  headers: [string, string][] = [],
  { method = 'GET', url = '/', host = HOST as string | null } = {},
): RequestFacts {
  const all: [string, string][] = host === null ? headers : [['Host', host], ...headers];
  return { method, url, rawHeaders: all.flat() };
}
const judged = (facts: RequestFacts) => {
  const verdict = policy.judge(facts);
  return verdict.ok ? 'ok' : `${verdict.status} ${verdict.code}`;
};

describe('S2: only our own names are answered', () => {
  it.each(['127.0.0.1:4000', 'localhost:4000', 'LOCALHOST:4000', '[::1]:4000'])('answers to %s', (host) => {
    expect(judged(request([], { host }))).toBe('ok');
  });

  it.each([
    'evil.test',
    'evil.test:4000',
    '127.0.0.1',
    '127.0.0.1:4001',
    'localhost:3000',
    '127.0.0.1.nip.io:4000',
    'localhost.evil.test:4000',
    '0.0.0.0:4000',
    '127.1:4000',
    '2130706433:4000',
    '[::ffff:127.0.0.1]:4000',
    'user@127.0.0.1:4000',
    '127.0.0.1:4000.',
    '',
  ])('refuses the host "%s"', (host) => {
    expect(judged(request([], { host }))).toBe('403 foreign-host');
  });

  it('refuses no host and two hosts, in whatever order and case', () => {
    expect(judged(request([], { host: null }))).toBe('403 foreign-host');
    expect(judged(request([['host', 'evil.test']]))).toBe('403 foreign-host');
    expect(judged(request([['HOST', HOST]]))).toBe('403 foreign-host');
  });

  it('takes the plain names on port 80', () => {
    const verdict = new ListenerPolicy(80).judge(request([], { host: 'localhost' }));
    expect(verdict.ok).toBe(true);
  });
});

describe('S5, S20: an origin is ours or refused, without exceptions', () => {
  it('takes the origin of the host that was asked', () => {
    expect(judged(request([['Origin', 'http://127.0.0.1:4000']], { method: 'POST' }))).toBe('ok');
    expect(judged(request([['Origin', 'http://[::1]:4000']], { method: 'POST', host: '[::1]:4000' }))).toBe('ok');
  });

  it.each([
    'null',
    '',
    'http://localhost:4000',
    'https://127.0.0.1:4000',
    'http://127.0.0.1:4001',
    'http://127.0.0.1',
    'http://192.168.0.9',
    'http://127.0.0.1:4000.evil.test',
    'http://evil.test',
    'chrome-extension://abcdefgh',
    'vscode-webview://x',
    'file://',
  ])('refuses the origin "%s"', (origin) => {
    for (const method of ['GET', 'POST'])
      expect(judged(request([['Origin', origin]], { method }))).toBe('403 foreign-origin');
  });

  it('refuses two origins', () => {
    const own = 'http://127.0.0.1:4000';
    expect(
      judged(
        request(
          [
            ['Origin', own],
            ['origin', own],
          ],
          { method: 'POST' },
        ),
      ),
    ).toBe('400 repeated-header');
  });

  it.each(['cross-site', 'same-site', 'anything'])('S20: refuses Sec-Fetch-Site %s, also without an origin', (site) => {
    expect(judged(request([['Sec-Fetch-Site', site]], { method: 'POST' }))).toBe('403 foreign-site');
    expect(judged(request([['Sec-Fetch-Site', site]]))).toBe('403 foreign-site');
  });

  it.each(['iframe', 'frame', 'embed', 'object', 'fencedframe'])('is never shown in an %s', (destination) => {
    const headers: [string, string][] = [
      ['Sec-Fetch-Site', 'same-origin'],
      ['Sec-Fetch-Mode', 'navigate'],
      ['Sec-Fetch-Dest', destination],
    ];
    expect(judged(request(headers))).toBe('403 framed');
  });
});

describe('navigations from elsewhere', () => {
  const navigation: [string, string][] = [
    ['Sec-Fetch-Site', 'cross-site'],
    ['Sec-Fetch-Mode', 'navigate'],
    ['Sec-Fetch-Dest', 'document'],
  ];

  it('S24: are refused, and marked so that the person can be told', () => {
    expect(policy.judge(request(navigation, { url: '/?cmd=rm' }))).toMatchObject({
      ok: false,
      status: 403,
      elsewhere: true,
    });
  });

  it('may open the login page: the redirect file leads there', () => {
    expect(policy.judge(request(navigation, { url: '/login' }))).toMatchObject({
      ok: true,
      path: '/login',
      navigation: true,
    });
  });

  it('may not post there, nor fetch it', () => {
    expect(judged(request(navigation, { url: '/login', method: 'POST' }))).toBe('403 foreign-site');
    expect(
      judged(
        request(
          [
            ['Sec-Fetch-Site', 'cross-site'],
            ['Sec-Fetch-Mode', 'no-cors'],
          ],
          { url: '/login' },
        ),
      ),
    ).toBe('403 foreign-site');
  });

  it('may not become a socket', () => {
    expect(judged(request([...navigation, ['Upgrade', 'websocket']], { url: '/login' }))).toBe('403 foreign-site');
  });
});

describe('the form of a request', () => {
  it.each(['/', '/login', '/_next/static/chunks/a-b_c.1.js', '/api/terminals/abc123/files', '/%D0%B0', '/socket/'])(
    'takes %s',
    (url) => {
      expect(policy.judge(request([], { url: `${url}?a=1` }))).toMatchObject({ ok: true, path: url });
    },
  );

  it.each([
    '//evil.test/',
    'http://evil.test/',
    '*',
    '',
    'login',
    '/a//b',
    '/a/../b',
    '/a/./b',
    '/..',
    '/a%2fb',
    '/a%5Cb',
    '/%2e%2e/b',
    '/a%00',
    '/a%0d%0ab',
    '/%252e',
    '/a\\b',
    '/a%zz',
    '/a b',
    `/${'a'.repeat(5000)}`,
  ])('refuses the target "%s"', (url) => {
    expect(judged(request([], { url }))).toBe('400 bad-target');
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'CONNECT', ''])('refuses the method "%s"', (method) => {
    expect(judged(request([], { method }))).toBe('405 method-not-allowed');
  });

  it('refuses a body where none belongs', () => {
    expect(judged(request([['Content-Length', '3']]))).toBe('400 unexpected-body');
    expect(judged(request([['Transfer-Encoding', 'chunked']]))).toBe('400 unexpected-body');
    expect(judged(request([['Content-Length', '0']]))).toBe('ok');
  });

  it.each(['Cookie', 'Authorization', 'Content-Type', 'X-Tessera-Key', 'Sec-Fetch-Site'])(
    'refuses %s twice',
    (name) => {
      const value = name === 'Sec-Fetch-Site' ? 'none' : 'a';
      expect(
        judged(
          request(
            [
              [name, value],
              [name.toLowerCase(), value],
            ],
            { method: 'POST' },
          ),
        ),
      ).toBe('400 repeated-header');
    },
  );

  it('S19: refuses more headers than a browser sends', () => {
    const many = Array.from({ length: 100 }, (_, index): [string, string] => [`X-${index}`, '1']);
    expect(judged(request(many))).toBe('431 too-many-headers');
  });
});
