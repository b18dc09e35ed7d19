import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AuthLimits } from '../../schemas/auth';
import { openStorage, type Storage } from '../storage';
import { FailedAttempts } from './attempts';
import { BrowserRecord, Browsers } from './browsers';
import { cookieName, readCookies, writeCookie } from './cookies';
import { browserLabel } from './label';
import { LoginLinks } from './links';
import { hashOf, matches, newSecret } from './secrets';

let now = 0;
const clock = () => now;
beforeEach(() => {
  now = 1_000_000;
});

/** Signs nobody in; `ok` when the link works. */
const redeem = (links: LoginLinks, token: string): string => {
  const redeemed = links.redeem(token, () => ({}));
  return typeof redeemed === 'string' ? redeemed : 'ok';
};

describe('login links', () => {
  it('S8: work once', () => {
    const links = new LoginLinks(clock);
    const { token } = links.create();
    expect([redeem(links, token), redeem(links, token)]).toEqual(['ok', 'used']);
  });

  it('work for two minutes', () => {
    const links = new LoginLinks(clock);
    const early = links.create();
    const late = links.create();
    now += AuthLimits.linkMs - 1;
    expect(redeem(links, early.token)).toBe('ok');
    now += 1;
    expect(redeem(links, late.token)).toBe('expired');
  });

  it('are unknown to another server, and by their hash', () => {
    const { token } = new LoginLinks(clock).create();
    const links = new LoginLinks(clock);
    const own = links.create();
    expect([redeem(links, token), redeem(links, hashOf(own.token)), redeem(links, '')]).toEqual([
      'unknown',
      'unknown',
      'unknown',
    ]);
  });

  it('still work when nobody could be signed in, and then once', () => {
    let used = 0;
    const links = new LoginLinks(clock);
    const { token } = links.create(() => {
      used += 1;
    });
    const fail = () => {
      throw new Error('no');
    };
    expect(() => links.redeem(token, fail)).toThrow('no');
    expect(used).toBe(0);
    expect([redeem(links, token), redeem(links, token), used]).toEqual(['ok', 'used', 1]);
  });

  it('tell when they were used', () => {
    const used: string[] = [];
    const links = new LoginLinks(clock);
    const { token } = links.create(() => used.push('first'));
    redeem(links, token);
    redeem(links, token);
    expect(used).toEqual(['first']);
  });

  it('are remembered up to a bound', () => {
    const links = new LoginLinks(clock);
    const { token } = links.create();
    for (let count = 0; count < 50; count++) links.create();
    expect(redeem(links, token)).toBe('unknown');
  });
});

describe('signed-in browsers', () => {
  let folder: string;
  let storage: Storage;
  const open = () => new Browsers(storage.records<BrowserRecord>('browser_sessions', BrowserRecord), clock);
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'tessera-auth-'));
    storage = openStorage(folder);
  });
  afterEach(() => {
    storage.close();
    rmSync(folder, { recursive: true });
  });

  it('S5: need the cookie and the key of the same browser', () => {
    const browsers = open();
    const one = browsers.signIn('One');
    const two = browsers.signIn('Two');
    expect(browsers.byCookie(one.cookie)?.id).toBe(one.id);
    expect(browsers.keyMatches(one.id, one.key)).toBe(true);
    expect(browsers.keyMatches(one.id, two.key)).toBe(false);
    expect(browsers.keyMatches(one.id, undefined)).toBe(false);
  });

  it('S8: are not let in by what is stored of them', () => {
    const browsers = open();
    const { id, cookie, key } = browsers.signIn('One');
    const record = storage.records<BrowserRecord>('browser_sessions', BrowserRecord).get(id)!;
    expect(JSON.stringify(record)).not.toContain(cookie.split('.')[1]);
    expect(JSON.stringify(record)).not.toContain(key);
    expect(browsers.byCookie(`${id}.${record.cookieHash}`)).toBeNull();
    expect(browsers.keyMatches(id, record.keyHash)).toBe(false);
    expect(browsers.keyMatches(id, cookie.split('.')[1])).toBe(false);
    for (const wrong of ['', id, `${id}.`, `.${cookie.split('.')[1]}`, `${id}.${key}`])
      expect(browsers.byCookie(wrong)).toBeNull();
  });

  it('are still known after a restart', () => {
    const { id, cookie, key } = open().signIn('One');
    const again = open();
    expect(again.byCookie(cookie)?.id).toBe(id);
    expect(again.keyMatches(id, key)).toBe(true);
  });

  it('are forgotten when they were not seen for 30 days, and not before', () => {
    const { cookie } = open().signIn('One');
    now += AuthLimits.sessionMs - 1;
    expect(open().byCookie(cookie)).not.toBeNull();
    now += AuthLimits.sessionMs;
    expect(open().byCookie(cookie)).not.toBeNull();
    now += AuthLimits.sessionMs + 1;
    const late = open();
    expect([late.byCookie(cookie), late.list('')]).toEqual([null, []]);
  });

  it('stay the same one with new secrets when they sign in again', () => {
    const browsers = open();
    const first = browsers.signIn('One');
    const second = browsers.signIn('One', first.id);
    expect(second.id).toBe(first.id);
    expect(browsers.byCookie(first.cookie)).toBeNull();
    expect(browsers.keyMatches(first.id, first.key)).toBe(false);
    expect(browsers.byCookie(second.cookie)?.id).toBe(first.id);
  });

  it('are listed newest first, and revoked for good', () => {
    const browsers = open();
    const one = browsers.signIn('One');
    now += 5;
    const two = browsers.signIn('Two');
    expect(browsers.list(one.id)).toEqual([
      { id: two.id, label: 'Two', createdAt: now, seenAt: now, current: false },
      { id: one.id, label: 'One', createdAt: now - 5, seenAt: now - 5, current: true },
    ]);
    expect([browsers.revoke(one.id), browsers.revoke(one.id)]).toEqual([true, false]);
    expect(browsers.byCookie(one.cookie)).toBeNull();
    expect(open().byCookie(one.cookie)).toBeNull();
  });

  it('are let in also when it cannot be written down that they were seen', () => {
    const table = storage.records<BrowserRecord>('browser_sessions', BrowserRecord);
    const errors: unknown[] = [];
    let full = false;
    const put = (record: BrowserRecord) => {
      if (full) throw new Error('disk full');
      table.put(record);
    };
    const browsers = new Browsers({ all: () => table.all(), put, delete: (id) => table.delete(id) }, clock, (error) =>
      errors.push(error),
    );
    const { id, cookie } = browsers.signIn('One');
    full = true;
    now += 120_000;
    expect(browsers.byCookie(cookie)?.id).toBe(id);
    expect(errors).toEqual([new Error('disk full')]);
  });

  it('are signed in also when that cannot be written down; it is made up for when they are seen', () => {
    const table = storage.records<BrowserRecord>('browser_sessions', BrowserRecord);
    const errors: unknown[] = [];
    let full = true;
    const write = <T>(work: () => T): T => {
      if (full) throw new Error('disk full');
      return work();
    };
    const unsure = {
      all: () => table.all(),
      put: (record: BrowserRecord) => write(() => table.put(record)),
      delete: (id: string) => write(() => table.delete(id)),
    };
    const browsers = new Browsers(unsure, clock, (error) => errors.push(error));
    const { id, cookie, key } = browsers.signIn('One');
    expect([browsers.byCookie(cookie)?.id, browsers.keyMatches(id, key), open().byCookie(cookie)]).toEqual([
      id,
      true,
      null,
    ]);
    for (let count = 0; count < 100; count += 1) browsers.signIn('More');
    expect(browsers.list('')).toHaveLength(100);
    expect(errors).toHaveLength(102);
    // Whoever signs one out is told that it would be back after a restart; until then it is out.
    const [newest] = browsers.list('');
    expect(() => browsers.revoke(newest!.id)).toThrow('disk full');
    expect(browsers.list('').map((one) => one.id)).not.toContain(newest!.id);
    full = false;
    now += 120_000;
    const [last] = browsers.list('');
    browsers.touch(last!.id);
    expect(
      open()
        .list('')
        .map((one) => one.id),
    ).toEqual([last!.id]);
  });
});

describe('secrets and cookies', () => {
  it('compares by hash', () => {
    const secret = newSecret();
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect([
      matches(secret, hashOf(secret)),
      matches(`${secret}x`, hashOf(secret)),
      matches(undefined, hashOf(secret)),
      matches(secret, 'short'),
    ]).toEqual([true, false, false, false]);
  });

  it('finds every value of a name, beside those of other servers', () => {
    const name = cookieName(4000);
    expect(readCookies(`tessera-4001=x; ${name}=a.b; other=${name}=c; ${name}=d`, name)).toEqual(['a.b', 'd']);
    expect(readCookies(undefined, name)).toEqual([]);
    expect(readCookies(`${name}=a; `.repeat(9), name)).toHaveLength(4);
  });

  it('writes cookies that no script and no other site can use', () => {
    expect(writeCookie('tessera-4000', 'v')).toBe('tessera-4000=v; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict');
  });

  it.each([
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
      'Chrome on Linux',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
      'Safari on macOS',
    ],
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0', 'Firefox on Windows'],
    [
      'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
      'Edge on Windows',
    ],
    ['curl/8.0', 'Browser'],
  ])('calls a browser by a short name: %s', (userAgent, label) => {
    expect(browserLabel(userAgent)).toBe(label);
  });

  it('counts failures over a while', () => {
    const attempts = new FailedAttempts(2, 1000, clock);
    attempts.add();
    expect(attempts.exhausted).toBe(false);
    attempts.add();
    expect(attempts.exhausted).toBe(true);
    now += 1001;
    expect(attempts.exhausted).toBe(false);
  });
});
