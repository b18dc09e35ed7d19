import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { AbsolutePath, Id } from './ids';
import { Closed, type Failure } from './result';
import {
  Cols,
  type ProcessInfo,
  Rows,
  type SessionInfo,
  type SessionSignal,
  type StreamHeader,
  TerminalLimits,
  TerminalTheme,
  Visibility,
} from './terminals';

/**
 * The protocol between the server and the pty host, over a Unix socket (0600). A message is
 * `u32 length, u8 type, body` (big endian; length counts type and body). Type 0: JSON. Type 1: `u16 header length,
 * JSON header, bytes`. It grows only by addition: an unknown method is answered with `unknown-method`, an unknown
 * event or key is ignored. `major` differs only when the two cannot talk at all.
 */
export const PtyHostProtocol = {
  major: 1,
  minor: 0,
  maxMessageBytes: 4 * 1024 * 1024,
  requestTimeoutMs: 10_000,
  /** It ends by itself when no session runs in it and no server has been there for this long. */
  lonelyMs: 10 * 60 * 1000,
} as const;

/** How to start a program. Made by the server; the pty host adds nothing but TERM's size. */
export const LaunchSpec = Closed({
  program: AbsolutePath,
  args: Type.Array(Type.String()),
  cwd: AbsolutePath,
  env: Type.Record(Type.String(), Type.String()),
  cols: Cols,
  rows: Rows,
  scrollback: Type.Integer({ minimum: 0, maximum: TerminalLimits.maxScrollback }),
  journal: Type.Boolean(),
  theme: Type.Optional(TerminalTheme),
  /** Shown on the card until the next start, e.g. that the folder was gone. */
  notice: SessionInfoNotice(),
});
function SessionInfoNotice() {
  return Type.Optional(Closed({ code: Type.String(), params: Type.Record(Type.String(), Type.String()) }));
}
export type LaunchSpec = Static<typeof LaunchSpec>;

const viewer = { viewerId: Type.String({ maxLength: 100 }) };

/** What the server asks the pty host. Viewer ids are the server's own: unique over all its sockets. */
export const ptyHostMethods = {
  /** First message on a connection. `dataDir` must be the one that the host was started for. */
  hello: Closed({ major: Type.Integer(), minor: Type.Integer(), dataDir: AbsolutePath }),
  /** Whether it is there. A host that does not know it answers `unknown-method`, which says the same. */
  ping: Closed({}),
  list: Closed({}),
  start: Closed({ sessionId: Id, spec: LaunchSpec }),
  /** Makes an ended session of a journal on disk; fails with `no-journal` if there is none. */
  restore: Closed({ sessionId: Id, cols: Cols, rows: Rows, scrollback: Type.Integer() }),
  /** Starts an ended session again, or a session that is not known (then like `start`). */
  restart: Closed({ sessionId: Id, spec: LaunchSpec }),
  processes: Closed({ sessionId: Id }),
  /** Ends every process of the session id: SIGHUP and SIGTERM, after `graceMs` SIGKILL. Answers with what is still alive. */
  end: Closed({ sessionId: Id, graceMs: Type.Integer({ minimum: 0, maximum: 30_000 }) }),
  /** Drops an ended session and its journal; of a session that is not known, its journal. */
  forget: Closed({ sessionId: Id }),
  journal: Closed({ sessionId: Id, on: Type.Boolean() }),
  attach: Closed({
    ...viewer,
    /** The tab in which it is, the same over reloads: it goes on with the size of its terminal. */
    tab: Type.Optional(Id),
    sessionId: Id,
    cols: Cols,
    rows: Rows,
    history: Type.Integer({ minimum: 0 }),
    visibility: Visibility,
    theme: Type.Optional(TerminalTheme),
  }),
  detach: Closed(viewer),
  visibility: Closed({ ...viewer, visibility: Visibility }),
  resync: Closed({ ...viewer, history: Type.Integer({ minimum: 0 }) }),
  size: Closed({ ...viewer, cols: Cols, rows: Rows }),
  theme: Closed({ ...viewer, theme: TerminalTheme }),
  /** Binary: the bytes follow the header. `inputId` + `seq` make it once only, over reconnects too. */
  input: Closed({
    viewerId: Type.Optional(Type.String({ maxLength: 100 })),
    sessionId: Id,
    inputId: Id,
    seq: Type.Integer({ minimum: 1 }),
    paste: Type.Optional(Type.Union([Type.Literal('first'), Type.Literal('more'), Type.Literal('last')])),
  }),
  /** Lines of the screen and the scrollback as text, the last `lines` of them. */
  text: Closed({ sessionId: Id, lines: Type.Integer({ minimum: 1, maximum: TerminalLimits.maxScrollback }) }),
  /** Ends the host, and with `endSessions` all that runs in it; refused otherwise while a session runs. */
  shutdown: Closed({ endSessions: Type.Boolean() }),
} as const satisfies Record<string, TSchema>;
export type PtyHostMethod = keyof typeof ptyHostMethods;
export type PtyHostArgs<M extends PtyHostMethod> = Static<(typeof ptyHostMethods)[M]>;

export interface PtyHostResults {
  hello: { major: number; minor: number; pid: number; version: string; startedAt: number };
  ping: null;
  list: { sessions: SessionInfo[] };
  start: { info: SessionInfo };
  restore: { info: SessionInfo };
  restart: { info: SessionInfo };
  processes: { processes: ProcessInfo[] };
  end: { survivors: ProcessInfo[] };
  forget: null;
  journal: { info: SessionInfo };
  attach: { info: SessionInfo };
  detach: null;
  visibility: null;
  resync: null;
  size: null;
  theme: null;
  input: null;
  text: { lines: string[] };
  shutdown: null;
}

/** Messages to the host that are not answered; idempotent. */
export const ptyHostNotices = {
  ack: Closed({ ...viewer, offset: Type.Integer({ minimum: 0 }) }),
  frameAck: Closed({ ...viewer, frame: Type.Integer({ minimum: 1 }) }),
} as const satisfies Record<string, TSchema>;

/** A message of type 0 or the header of one of type 1. */
export type PtyHostMessage =
  | { type: 'request'; id: number; method: string; params: unknown }
  | { type: 'cancel'; id: number }
  | { type: 'reply'; id: number; ok: true; result: unknown }
  | { type: 'reply'; id: number; ok: false; error: Failure }
  | { type: 'notice'; notice: string; params: unknown }
  | { type: 'data'; viewerId: string; header: StreamHeader }
  | { type: 'session'; info: SessionInfo }
  | { type: 'removed'; sessionId: string }
  | { type: 'signal'; signal: SessionSignal };

/** The server's end of the connection, as the terminals room uses it. */
export interface PtyHostClient {
  call<M extends PtyHostMethod>(method: M, params: PtyHostArgs<M>, bytes?: Uint8Array): Promise<PtyHostResults[M]>;
  notice<N extends keyof typeof ptyHostNotices>(notice: N, params: Static<(typeof ptyHostNotices)[N]>): void;
  on(event: 'data', listener: (viewerId: string, header: StreamHeader, bytes?: Buffer) => void): void;
  on(event: 'session', listener: (info: SessionInfo) => void): void;
  on(event: 'removed', listener: (sessionId: string) => void): void;
  on(event: 'signal', listener: (signal: SessionSignal) => void): void;
  /** The connection ended and was not closed by us. */
  on(event: 'gone', listener: (reason: string) => void): void;
  close(): void;
}
