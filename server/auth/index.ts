import type { Logger } from 'pino';
import { type LoginReply, LoginRequest } from '../../schemas/auth';
import { FailureError } from '../../schemas/result';
import { type Caller, type Gatekeeper, HttpError, jsonRoute, type Route, readRoute } from '../http';
import type { RealtimeRoom } from '../realtime';
import type { Storage } from '../storage';
import { FailedAttempts } from './attempts';
import { BrowserRecord, Browsers } from './browsers';
import { cookieName, readCookies, writeCookie } from './cookies';
import { browserLabel } from './label';
import { LoginLinks, type Refused } from './links';
import { hashOf, matches } from './secrets';

export { newSecret } from './secrets';

export interface AuthParts {
  storage: Storage;
  /** Of the app listener; the cookie's name carries it. */
  port: number;
  /** The bearer of run/instance.json. */
  control: string;
  log: Logger;
  /** Ends the sockets of a browser that was signed out. */
  disconnect(browserId: string): void;
}

export interface Auth extends Gatekeeper {
  routes: Route[];
  room: RealtimeRoom;
  /** The key that a tab sent with its first message, against the browser whose cookie opened the socket. */
  keyMatches(browserId: string, key: unknown): boolean;
  /** A browser that has a tab open stays signed in. */
  touch(browserId: string): void;
  /** A fresh link below `base`; works once, within two minutes. */
  loginLink(base: string, options?: { page?: string; onUsed?: () => void }): { url: string; expiresAt: number };
}

const LOGIN_MAX_BYTES = 4 * 1024;
/** Wrong tokens a minute, over all callers. A token cannot be guessed; this only keeps a mad program cheap. */
const MAX_WRONG_TOKENS = 30;

const refusals: Readonly<Record<Refused, string>> = {
  expired: 'This login link is older than two minutes: make a fresh one with "npx tessera login".',
  used: 'This login link was used already: make a fresh one with "npx tessera login".',
  unknown:
    'This login link is not one of this server, or of before its last start: make a fresh one with "npx tessera login".',
};

/** Who may come in: login links, signed-in browsers, the bearer of local tools. */
export function createAuth({ storage, port, control, log, disconnect }: AuthParts): Auth {
  const browsers = new Browsers(storage.records<BrowserRecord>('browser_sessions', BrowserRecord), Date.now, (error) =>
    log.warn({ err: error }, 'a signed-in browser could not be written down'),
  );
  const links = new LoginLinks();
  const wrongTokens = new FailedAttempts(MAX_WRONG_TOKENS, 60_000);
  const controlHash = hashOf(control);
  const name = cookieName(port);
  /** The secret that a browser's cookie holds is not kept; a renewed cookie repeats what came with the request. */
  const cookies = new WeakMap<Caller, string>();

  const byCookie = (header: string | undefined): Caller | null => {
    for (const cookie of readCookies(header, name)) {
      const record = browsers.byCookie(cookie);
      if (!record) continue;
      const caller: Caller = { id: record.id };
      cookies.set(caller, cookie);
      return caller;
    }
    return null;
  };

  const login = jsonRoute({
    path: '/api/login',
    access: 'public',
    schema: LoginRequest,
    maxBytes: LOGIN_MAX_BYTES,
    run: (call, { token }) => {
      const redeemed = links.redeem(token, () =>
        browsers.signIn(browserLabel(call.userAgent), byCookie(call.cookie)?.id),
      );
      if (typeof redeemed === 'string') {
        // A right link works all the same: nobody who only guesses shall keep the person out.
        if (wrongTokens.exhausted) {
          throw new HttpError(429, 'too-many-attempts', 'Too many wrong login links; wait a minute.');
        }
        wrongTokens.add();
        throw new HttpError(401, `link-${redeemed}`, refusals[redeemed]);
      }
      const signedIn = redeemed.value;
      log.info({ browser: signedIn.id }, 'signed in');
      const reply: typeof LoginReply.static = { key: signedIn.key };
      return { headers: { 'Set-Cookie': writeCookie(name, signedIn.cookie) }, body: reply };
    },
  });

  const session = readRoute({
    path: '/api/session',
    access: 'signed-in',
    run: (call) => ({ body: browsers.list(call.caller.id).find(({ current }) => current) }),
  });

  const revoke = (id: string): null => {
    try {
      if (!browsers.revoke(id)) {
        throw new FailureError('browser-unknown', 'This browser is not signed in any more.', { id });
      }
      log.info({ browser: id }, 'signed out');
    } finally {
      // Also when the disk did not take it: it is out for as long as this server runs.
      disconnect(id);
    }
    return null;
  };

  return {
    routes: [login, session],
    room: {
      calls: {
        'browsers:list': (_args, tab) => browsers.list(tab.browserSessionId),
        'browsers:revoke': ({ id }) => revoke(id),
      },
    },
    byCookie,
    byCookieAndKey: (header, key) => {
      const caller = byCookie(header);
      return caller && browsers.keyMatches(caller.id, key) ? caller : null;
    },
    isControl: (authorization) => matches(authorization?.match(/^Bearer ([\w-]+)$/)?.[1], controlHash),
    renewCookie: (caller) => {
      const cookie = cookies.get(caller);
      return cookie === undefined ? null : writeCookie(name, cookie);
    },
    keyMatches: (browserId, key) => typeof key === 'string' && browsers.keyMatches(browserId, key),
    touch: (browserId) => browsers.touch(browserId),
    loginLink: (base, { page = '/login', onUsed } = {}) => {
      const { token, expiresAt } = links.create(onUsed);
      return { url: `${base}${page}#t=${token}`, expiresAt };
    },
  };
}
