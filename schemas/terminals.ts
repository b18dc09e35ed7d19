import { type Static, Type } from '@sinclair/typebox';
import { AbsolutePath, Id } from './ids';
import { Closed } from './result';

/** Limits of a terminal; both ends check them. */
export const TerminalLimits = {
  minCols: 2,
  maxCols: 1000,
  minRows: 1,
  maxRows: 500,
  cols: 80,
  rows: 24,
  /** Lines above the screen that are kept in memory, on the server and in a viewer. */
  scrollback: 10_000,
  maxScrollback: 100_000,
  /** Bytes of raw output kept on disk a session. */
  journalBytes: 8 * 1024 * 1024,
  /** One piece of input; a longer one is sent in pieces, each acknowledged. */
  maxInputBytes: 64 * 1024,
  maxTitleLength: 256,
  maxSessions: 512,
  /** A file that is dropped onto a terminal. */
  maxUploadBytes: 100 * 1024 * 1024,
  /** A text that a program wants on the clipboard (OSC 52). */
  maxClipboardBytes: 100 * 1024,
} as const;

/**
 * Control sequences (CSI, by final character) that xterm.js carries out once per count, and the greatest count that is
 * let through: the grid's side where more changes nothing, else a number. Without it `CSI 2147483647 S` stops a
 * terminal for hours. Both ends apply it, so that they stay equal.
 */
export const RepeatLimits = { S: 'rows', T: 'rows', L: 'rows', M: 'rows', I: 'cols', Z: 'cols', b: 65_536 } as const;

/**
 * What one cell may hold, UTF-16 units: the longest emoji has 15, stacked accents some more. Without a limit a few
 * hundred kilobytes of combining characters stop a browser for good. Both ends apply it, so that they stay equal.
 */
export const MAX_CELL_LENGTH = 64;

export const Cols = Type.Integer({ minimum: TerminalLimits.minCols, maximum: TerminalLimits.maxCols });
export const Rows = Type.Integer({ minimum: TerminalLimits.minRows, maximum: TerminalLimits.maxRows });

/** How a process ended. Exactly one of the two is set; neither: we were not there to see it. */
export const Exit = Closed({
  code: Type.Optional(Type.Integer()),
  /** A name such as SIGKILL. */
  signal: Type.Optional(Type.String({ maxLength: 20 })),
});
export type Exit = Static<typeof Exit>;

/** Progress that a program reports by OSC 9;4. */
export const Progress = Closed({
  state: Type.Union([
    Type.Literal('normal'),
    Type.Literal('error'),
    Type.Literal('indeterminate'),
    Type.Literal('paused'),
  ]),
  percent: Type.Integer({ minimum: 0, maximum: 100 }),
});
export type Progress = Static<typeof Progress>;

export const ProcessInfo = Closed({
  pid: Type.Integer(),
  command: Type.String({ maxLength: 400 }),
});
export type ProcessInfo = Static<typeof ProcessInfo>;

/** What the pty host knows of a session, sent whole whenever it changes (at most a few times a second). */
export const SessionInfo = Closed({
  sessionId: Id,
  /** Grows with every change; an older one is ignored. Restarts at a higher number after a new pty host. */
  revision: Type.Integer({ minimum: 0 }),
  state: Type.Union([Type.Literal('running'), Type.Literal('ended')]),
  pid: Type.Optional(Type.Integer()),
  exit: Type.Optional(Exit),
  cols: Cols,
  rows: Rows,
  /** Bytes that the program has printed since the first start, over all restarts. */
  produced: Type.Integer({ minimum: 0 }),
  /** The first byte that the journal still has. */
  keptFrom: Type.Integer({ minimum: 0 }),
  /** What the program calls itself (OSC 0 or 2), without control characters. */
  title: Type.String({ maxLength: TerminalLimits.maxTitleLength }),
  /** The folder, from OSC 7 or from the process itself. */
  cwd: Type.Optional(AbsolutePath),
  /** The last line that is not empty, for the summary. */
  lastLine: Type.String({ maxLength: 400 }),
  progress: Type.Optional(Progress),
  /** A command is running (OSC 133 C was seen and no D yet); absent without shell integration. */
  busy: Type.Optional(Type.Boolean()),
  /** Exit status of the last command (OSC 133 D). */
  lastStatus: Type.Optional(Type.Integer()),
  altScreen: Type.Boolean(),
  /** Why output is not kept on disk: switched off, or a failure such as a full disk. */
  journal: Closed({
    state: Type.Union([Type.Literal('on'), Type.Literal('off'), Type.Literal('failed')]),
    reason: Type.Optional(Type.String({ maxLength: 300 })),
  }),
  /** Something that a person should know at once, such as "started in the nearest folder that exists". */
  notice: Type.Optional(Closed({ code: Type.String(), params: Type.Record(Type.String(), Type.String()) })),
  startedAt: Type.Integer(),
  endedAt: Type.Optional(Type.Integer()),
});
export type SessionInfo = Static<typeof SessionInfo>;

/** What is stored of a session: enough to start it again under the same id. Never its environment, never its output. */
export const SessionRecord = Closed({
  v: Type.Literal(1),
  id: Id,
  projectId: Id,
  /** Absolute path of the program. */
  program: AbsolutePath,
  args: Type.Array(Type.String({ maxLength: 4096 }), { maxItems: 64 }),
  /** The folder it was last seen in; restart begins there. */
  cwd: AbsolutePath,
  /** A name given by the person; it wins over the program's title. */
  name: Type.Optional(Type.String({ maxLength: 80 })),
  cols: Cols,
  rows: Rows,
  createdAt: Type.Integer(),
  /** Keep output on disk. */
  journal: Type.Boolean(),
  /** A person closed it: no tab shows it, and it is ended at this time (milliseconds since the epoch) unless undone. */
  closingAt: Type.Optional(Type.Integer({ minimum: 0 })),
});
export type SessionRecord = Static<typeof SessionRecord>;

/** A session as tabs see it. `info` is absent while the pty host is not connected or never knew it. */
export interface SessionView {
  record: SessionRecord;
  info?: SessionInfo;
}

/**
 * The colours and the cell size of the page, so that the pty host can answer OSC 4/10/11/12 and size images as the
 * page does. Colours are #rrggbb.
 */
const Colour = Type.String({ pattern: '^#[0-9a-fA-F]{6}$' });
export const TerminalTheme = Closed({
  foreground: Colour,
  background: Colour,
  cursor: Colour,
  ansi: Type.Array(Colour, { minItems: 16, maxItems: 16 }),
  cellWidth: Type.Number({ minimum: 1, maximum: 200 }),
  cellHeight: Type.Number({ minimum: 1, maximum: 200 }),
});
export type TerminalTheme = Static<typeof TerminalTheme>;

/**
 * How much a viewer sees. `live`: everything, at once. `background`: visible but not focused, frames may come slower
 * under load. `hidden`: nothing is streamed; when it is shown again it gets a snapshot.
 */
export const Visibility = Type.Union([Type.Literal('live'), Type.Literal('background'), Type.Literal('hidden')]);
export type Visibility = Static<typeof Visibility>;

/**
 * What a viewer receives, besides the bytes. `offset` counts the program's bytes.
 * - `raw`: the program's own bytes [offset, offset + length).
 * - `frame`: paints the screen as it was at `offset`; numbered; the next one comes only after `frameAck`.
 * - `snapshot`: the whole state at `offset` (RIS first), in parts; after the last part raw bytes continue from `offset`.
 * - `size`: from here on the grid is cols × rows; resize before writing what follows.
 * - `ended` / `started`: the process ended; or was started again under the same id.
 */
export const StreamHeader = Type.Union([
  Closed({ kind: Type.Literal('raw'), offset: Type.Integer({ minimum: 0 }) }),
  Closed({ kind: Type.Literal('frame'), offset: Type.Integer({ minimum: 0 }), frame: Type.Integer({ minimum: 1 }) }),
  Closed({
    kind: Type.Literal('snapshot'),
    offset: Type.Integer({ minimum: 0 }),
    part: Type.Integer({ minimum: 0 }),
    last: Type.Boolean(),
    cols: Cols,
    rows: Rows,
    /** Lines above the screen that it holds, and that the pty host holds. */
    history: Type.Integer({ minimum: 0 }),
    historyTotal: Type.Integer({ minimum: 0 }),
  }),
  Closed({ kind: Type.Literal('size'), offset: Type.Integer({ minimum: 0 }), cols: Cols, rows: Rows }),
  Closed({ kind: Type.Literal('ended'), offset: Type.Integer({ minimum: 0 }), exit: Exit }),
  Closed({ kind: Type.Literal('started'), offset: Type.Integer({ minimum: 0 }) }),
]);
export type StreamHeader = Static<typeof StreamHeader>;

/** Something that a program asked for once: sent to all tabs, never replayed. */
export const SessionSignal = Type.Union([
  /** OSC 9 or 777, or the bell. */
  Closed({
    sessionId: Id,
    type: Type.Literal('notification'),
    title: Type.String({ maxLength: 200 }),
    body: Type.String({ maxLength: 1000 }),
  }),
  Closed({ sessionId: Id, type: Type.Literal('bell') }),
  /** OSC 52 write; the tab asks the person before it touches the clipboard. */
  Closed({
    sessionId: Id,
    type: Type.Literal('clipboard'),
    text: Type.String({ maxLength: TerminalLimits.maxClipboardBytes }),
  }),
  /** An OSC 52 that was refused: too large. */
  Closed({ sessionId: Id, type: Type.Literal('clipboard-refused'), bytes: Type.Integer() }),
]);
export type SessionSignal = Static<typeof SessionSignal>;
