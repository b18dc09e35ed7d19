// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from 'vitest';
import { KEY_HEADER, KEY_STORAGE } from '../../schemas/auth';
import { signIn, tokenOf } from './sign-in';

const reply = (status: number, body: unknown) => ({ ok: status < 400, status, json: async () => body }) as Response;
const refuse =
  (code: string, status = 401) =>
  async (url: unknown) =>
    url === '/api/login' ? reply(status, { error: { code, message: code } }) : reply(401, {});

beforeEach(() => localStorage.clear());

describe('signing in', () => {
  it('finds the token in the fragment only', () => {
    expect([tokenOf('#t=abc'), tokenOf(''), tokenOf('#x=1')]).toEqual(['abc', null, null]);
  });

  it('posts the token as JSON and keeps the key', async () => {
    const sent: unknown[] = [];
    const post = (async (url: unknown, init?: RequestInit) => {
      sent.push([url, init?.method, init?.headers, init?.body]);
      return reply(200, { key: 'the key' });
    }) as typeof fetch;
    expect(await signIn('the token', localStorage, post)).toBe('done');
    expect(sent).toEqual([['/api/login', 'POST', { 'Content-Type': 'application/json' }, '{"token":"the token"}']]);
    expect(localStorage.getItem(KEY_STORAGE)).toBe('the key');
  });

  it.each([
    ['link-expired', 'expired'],
    ['link-used', 'used'],
    ['link-unknown', 'unknown'],
    ['bad-arguments', 'unknown'],
    ['too-many-attempts', 'too-many'],
    ['internal', 'unreachable'],
  ])('tells %s as %s', async (code, result) => {
    expect(await signIn('the token', localStorage, refuse(code) as typeof fetch)).toBe(result);
  });

  it('tells a server that is not there', async () => {
    const post = (async () => Promise.reject(new TypeError('fetch failed'))) as typeof fetch;
    expect(await signIn('the token', localStorage, post)).toBe('unreachable');
  });

  it('goes on where this browser is in already, and says so where it is not', async () => {
    const asked: unknown[] = [];
    const get = (async (url: unknown, init?: RequestInit) => {
      asked.push([url, init?.headers]);
      return reply(200, {});
    }) as typeof fetch;
    expect(await signIn(null, localStorage, get)).toBe('absent');
    localStorage.setItem(KEY_STORAGE, 'k');
    expect(await signIn(null, localStorage, get)).toBe('done');
    expect(asked).toEqual([['/api/session', { [KEY_HEADER]: 'k' }]]);
    expect(await signIn(null, localStorage, refuse('x') as typeof fetch)).toBe('ended');
  });
});
