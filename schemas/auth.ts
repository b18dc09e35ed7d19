import { type Static, Type } from '@sinclair/typebox';
import { Id } from './ids';
import { Closed } from './result';

export { KEY_HEADER, KEY_STORAGE, UPLOAD_HEADER } from './auth-names';

export const AuthLimits = {
  /** A login link works once, within this time. */
  linkMs: 2 * 60 * 1000,
  /** A browser that was not seen for this long must log in again. */
  sessionMs: 30 * 24 * 60 * 60 * 1000,
} as const;

/** POST /api/login. The token comes from the fragment of the login link. */
export const LoginRequest = Closed({ token: Type.String({ minLength: 20, maxLength: 200 }) });
export const LoginReply = Closed({ key: Type.String() });

/** A signed-in browser, as the settings page lists it. */
export const BrowserSession = Closed({
  id: Id,
  /** A short name made from the user agent, e.g. "Chrome on Linux". */
  label: Type.String({ maxLength: 120 }),
  createdAt: Type.Integer(),
  seenAt: Type.Integer(),
  current: Type.Boolean(),
});
export type BrowserSession = Static<typeof BrowserSession>;

/** run/instance.json (0600): where local tools find the server. `control` is a bearer token for /api/control/*. */
export const Instance = Type.Object({
  v: Type.Literal(1),
  pid: Type.Integer(),
  /** Kernel start time of the pid, so that a reused pid is not mistaken for us. */
  startTime: Type.String(),
  url: Type.String(),
  content: Type.Optional(Type.String()),
  control: Type.String(),
  version: Type.String(),
  dataDir: Type.String(),
});
export type Instance = Static<typeof Instance>;

/** The one line that a started server prints after "tessera ready ". */
export interface ReadyLine {
  url: string;
  mcp: string | null;
  content: string | null;
  pid: number;
  dataDir: string;
}
