import { type Static, type TSchema, Type } from '@sinclair/typebox';
import type { Need } from './attention';
import type { BrowserSession } from './auth';
import { type Canvas, type CanvasItem, type CanvasState, ItemChange, type Project } from './canvas';
import { AbsolutePath, Id, OpId } from './ids';
import { GivenName } from './names';
import { Closed, type Failure } from './result';
import { type Settings, SettingsPatch } from './settings';
import {
  Cols,
  type ProcessInfo,
  Rows,
  type SessionInfo,
  type SessionSignal,
  type SessionView,
  type StreamHeader,
  TerminalLimits,
  TerminalTheme,
  Visibility,
} from './terminals';
import type { WireBytes } from './wire-bytes';

/** Sizes and times of the one socket between a tab and the server. */
export const SocketLimits = {
  path: '/socket',
  /** A larger message ends the connection; an input piece of 64 KiB and its envelope fit with room. */
  maxMessageBytes: 1024 * 1024,
  /** A call that is not answered within this time failed, as far as the tab is concerned. */
  callTimeoutMs: 15_000,
  /** Bytes that a viewer may have outstanding before the pty host stops sending raw output. */
  viewerWindowBytes: 128 * 1024,
} as const;

const nothing = Closed({});
const session = Closed({ sessionId: Id });
const viewer = { viewerId: Id };

/**
 * Every question that a tab may ask over the socket, with the shape of its arguments. Each is answered by a
 * `Result<CallResults[name]>` in socket.io's acknowledgement. What is not listed here does not exist.
 */
export const calls = {
  /** Everything that a tab needs before it draws. */
  'app:hello': nothing,
  'settings:set': Closed({ patch: SettingsPatch }),
  'browsers:list': nothing,
  'browsers:revoke': Closed({ id: Id }),

  /** Opens a folder as a project, or says which project has it. */
  'project:open': Closed({ folder: AbsolutePath }),
  /** Folders below `folder` whose name starts with `prefix`, for the "open folder" field; at most 50. */
  'project:folders': Closed({ folder: AbsolutePath, prefix: Type.String({ maxLength: 255 }) }),

  'canvas:create': Closed({ opId: OpId, projectId: Id, name: GivenName }),
  'canvas:rename': Closed({ canvasId: Id, name: GivenName }),
  /** Refused while terminals run on it. */
  'canvas:delete': Closed({ canvasId: Id }),
  'canvas:open': Closed({ canvasId: Id }),
  /** All or nothing. Terminal items cannot be put or removed here: they come and go with their session. */
  'canvas:apply': Closed({ opId: OpId, canvasId: Id, changes: Type.Array(ItemChange, { minItems: 1, maxItems: 500 }) }),
  'canvas:discard-corrupt': Closed({ canvasId: Id, itemId: Id }),

  /** A session and its card, at once; a repeated opId gives the same two. */
  'terminal:create': Closed({
    opId: OpId,
    canvasId: Id,
    x: Type.Number({ minimum: -1e6, maximum: 1e6 }),
    y: Type.Number({ minimum: -1e6, maximum: 1e6 }),
    width: Type.Number({ minimum: 280, maximum: 4000 }),
    height: Type.Number({ minimum: 160, maximum: 3000 }),
    cols: Cols,
    rows: Rows,
    theme: Type.Optional(TerminalTheme),
    /** Default: the folder of the canvas's project. */
    cwd: Type.Optional(AbsolutePath),
    /** Start in the folder in which this session is now, with its program. */
    likeSessionId: Type.Optional(Id),
  }),
  /** Starts the program of an ended session again, under the same id, in the folder where it was. */
  'terminal:restart': Closed({ sessionId: Id, cols: Cols, rows: Rows }),
  'terminal:rename': Closed({ sessionId: Id, name: Type.Union([Type.Null(), GivenName]) }),
  /** Somebody has looked at these sessions: they need the person no longer. */
  'attention:settle': Closed({ sessionIds: Type.Array(Id, { maxItems: TerminalLimits.maxSessions }) }),
  /** What runs in it, the shell itself left out. */
  'terminal:processes': session,
  /** Ends every process of the session, removes the card and the journal. Answers with what escaped. */
  'terminal:close': session,
  /** Hides it from every tab; it is closed seconds later, unless `terminal:keep` comes before. */
  'terminal:close-later': session,
  /** Takes back a `terminal:close-later`. Fails with `session-missing` when it is too late. */
  'terminal:keep': session,
  /** Keep this session's output on disk or not; switching off deletes what is there. */
  'terminal:journal': Closed({ sessionId: Id, on: Type.Boolean() }),

  /** Starts a stream of `terminal:data` for this viewer: a snapshot first. */
  'terminal:attach': Closed({
    ...viewer,
    /** The tab's own name, the same over reloads and lost connections. */
    tab: Type.Optional(Id),
    sessionId: Id,
    cols: Cols,
    rows: Rows,
    /** Lines above the screen that the viewer wants in snapshots. */
    history: Type.Integer({ minimum: 0, maximum: TerminalLimits.maxScrollback }),
    visibility: Visibility,
    theme: Type.Optional(TerminalTheme),
  }),
  'terminal:detach': Closed(viewer),
  'terminal:visibility': Closed({ ...viewer, visibility: Visibility }),
  /** A fresh snapshot, with that many lines of history, then the stream from it. */
  'terminal:resync': Closed({
    ...viewer,
    history: Type.Integer({ minimum: 0, maximum: TerminalLimits.maxScrollback }),
  }),
  /** The grid that this viewer's card has room for. The PTY takes the size of the viewer that typed or resized last. */
  'terminal:size': Closed({ ...viewer, cols: Cols, rows: Rows }),
  'terminal:theme': Closed({ ...viewer, theme: TerminalTheme }),
  /**
   * Typed or pasted bytes, or answers of a mouse. `seq` counts 1, 2, 3… per viewer id; a piece that was already written is
   * acknowledged and not written again, so a tab may repeat what was not acknowledged, over a new server too.
   * `paste` marks the pieces of one bracketed paste: nothing else is written between them.
   */
  'terminal:input': Closed({
    ...viewer,
    sessionId: Id,
    seq: Type.Integer({ minimum: 1 }),
    bytes: Type.Unsafe<WireBytes>({}),
    paste: Type.Optional(Type.Union([Type.Literal('first'), Type.Literal('more'), Type.Literal('last')])),
  }),
} as const satisfies Record<string, TSchema>;

export type CallName = keyof typeof calls;
export type CallArgs<N extends CallName> = Static<(typeof calls)[N]>;

/** The pty host as tabs see it. */
export interface PtyHostState {
  /** `silent`: it is there and does not answer at the moment. Its terminals are as they were. */
  state: 'connected' | 'silent' | 'starting' | 'mismatch' | 'gone';
  /** Set for `mismatch` and `gone`. */
  reason?: Failure;
}

export interface Hello {
  version: string;
  /** Changes with every start of the server. */
  instanceId: string;
  platform: string;
  home: string;
  settings: Settings;
  projects: Project[];
  canvases: Canvas[];
  sessions: SessionView[];
  /** Who needs the person, the oldest first. */
  needs: Need[];
  ptyHost: PtyHostState;
  /** Stored records that could not be read, by table; they are kept. */
  corrupt: { table: string; id: string; reason: string }[];
}

export interface CallResults {
  'app:hello': Hello;
  'settings:set': Settings;
  'browsers:list': Static<typeof BrowserSession>[];
  'browsers:revoke': null;
  'project:open': { project: Project; canvas: Canvas };
  'project:folders': { folders: string[] };
  'canvas:create': Canvas;
  'canvas:rename': Canvas;
  'canvas:delete': null;
  'canvas:open': CanvasState;
  'canvas:apply': { revision: number };
  'canvas:discard-corrupt': null;
  'terminal:create': { item: CanvasItem; session: SessionView };
  'terminal:restart': SessionView;
  'terminal:rename': SessionView;
  'attention:settle': null;
  'terminal:processes': { processes: ProcessInfo[] };
  'terminal:close': { survivors: ProcessInfo[] };
  /** Not `undoable`: it was closed at once. */
  'terminal:close-later': { undoable: boolean };
  'terminal:keep': SessionView;
  'terminal:journal': SessionView;
  'terminal:attach': { info: SessionInfo };
  'terminal:detach': null;
  'terminal:visibility': null;
  'terminal:resync': null;
  'terminal:size': null;
  'terminal:theme': null;
  'terminal:input': null;
}

/**
 * Messages from a tab that are not answered; both are idempotent. `terminal:ack` says how many bytes the viewer has
 * parsed (offset of the next byte it wants); `terminal:frame-ack` that the frame is painted.
 */
export const notices = {
  'terminal:ack': Closed({ ...viewer, offset: Type.Integer({ minimum: 0 }) }),
  'terminal:frame-ack': Closed({ ...viewer, frame: Type.Integer({ minimum: 1 }) }),
} as const satisfies Record<string, TSchema>;
export type NoticeName = keyof typeof notices;
export type NoticeArgs<N extends NoticeName> = Static<(typeof notices)[N]>;

/** What the server tells tabs. Every one is idempotent or numbered. */
export interface ServerEvents {
  'settings:changed': (settings: Settings) => void;
  'projects:changed': (projects: Project[]) => void;
  'canvases:changed': (canvases: Canvas[]) => void;
  /** To every tab. A tab that misses a revision opens the canvas again. `opId` is that of the apply, if there was one. */
  'canvas:changed': (change: { canvasId: string; revision: number; changes: ItemChange[]; opId?: string }) => void;
  'session:changed': (view: SessionView) => void;
  /** Of sessions that run: only where their output has got to is new. */
  'sessions:output': (infos: SessionInfo[]) => void;
  'session:removed': (change: { sessionId: string }) => void;
  /** The whole list, the oldest first. */
  'attention:changed': (needs: Need[]) => void;
  'session:signal': (signal: SessionSignal) => void;
  'pty-host:changed': (state: PtyHostState) => void;
  /** To the tab that attached this viewer only. The second argument is absent for `size`, `ended` and `started`. */
  'terminal:data': (viewerId: string, header: StreamHeader, bytes?: WireBytes) => void;
  /** This browser was signed out; the tab goes to the login page. */
  'auth:revoked': () => void;
}
