import { join } from 'node:path';
import {
  type LaunchSpec,
  type PtyHostArgs,
  type PtyHostMessage,
  type PtyHostMethod,
  PtyHostProtocol,
  type PtyHostResults,
} from '../../schemas/pty-host';
import { FailureError } from '../../schemas/result';
import { type ProcessInfo, type SessionInfo, TerminalLimits } from '../../schemas/terminals';
import type { Connection } from './connection';
import { endLeftOvers, endSession } from './ending';
import { Journal } from './journal';
import { diskFiles } from './journal-files';
import { describeError, type Log } from './log';
import {
  allProcesses,
  bootId,
  foregroundFolder,
  type Leader,
  type LostLeader,
  sessionProcesses,
  startedOf,
  withCommands,
} from './processes';
import type { StartPty } from './pty';
import { replayOf } from './replay';
import { Scheduler } from './scheduler';
import { Session } from './session';
import { readJournal } from './stored-journal';

/** A key in one session makes the others stand still for this long, if they flood. */
const HOLD_MS = 30;
/** Frames and the end of floods are looked for this often, while there is any. */
const TICK_MS = 8;
/** At the host's own end: time for programs to end themselves. */
const SHUTDOWN_GRACE_MS = 3000;
/** Time for what an earlier host left behind to end itself. */
const LEFT_GRACE_MS = 500;
/** From the end of a process to the news of it, at most. */
const EXIT_NOTICE_MS = 3000;

interface Entry {
  session: Session;
  journal: Journal | undefined;
  /** The first process of the last start; its pid is the session id. */
  leader: Leader | undefined;
}

export interface HostOptions {
  dataDir: string;
  version: string;
  log: Log;
  startPty: StartPty;
  /** Ends the process; everything is on disk. */
  exit(): void;
}

type Methods = {
  [M in PtyHostMethod]: (
    args: PtyHostArgs<M>,
    connection: Connection,
    body: Buffer | undefined,
  ) => Promise<PtyHostResults[M]> | PtyHostResults[M];
};

/** All sessions and the servers that look at them. */
export class PtyHost {
  private readonly sessions = new Map<string, Entry>();
  private readonly connections = new Set<Connection>();
  private readonly viewers = new Map<string, { session: Session; connection: Connection }>();
  private readonly turns = new Map<string, Promise<unknown>>();
  private readonly startedAt = Date.now();
  private readonly scheduler: Scheduler;
  private ticker: NodeJS.Timeout | undefined;
  private lonelySince = Date.now();
  private leaving = false;

  constructor(private readonly options: HostOptions) {
    this.scheduler = new Scheduler({
      now: () => performance.now(),
      defer: (run) => setImmediate(run),
      failed: (who, error) => this.failed((who as Session).id, error),
    });
  }

  connected(connection: Connection): void {
    this.connections.add(connection);
  }

  disconnected(connection: Connection): void {
    this.connections.delete(connection);
    for (const [viewerId, viewer] of this.viewers) if (viewer.connection === connection) this.detach(viewerId);
    if (this.connections.size === 0) this.lonelySince = Date.now();
  }

  /**
   * How long no server has been there and nothing has run. Ended sessions never keep the host: those on disk are
   * restored by the next one, and one that a person wants kept has its journal on.
   */
  get lonelyFor(): number {
    if (this.connections.size > 0) return 0;
    let since = this.lonelySince;
    for (const { session } of this.sessions.values()) {
      if (session.running) return 0;
      since = Math.max(since, session.endedSince ?? 0);
    }
    return Date.now() - since;
  }

  call(method: PtyHostMethod, params: never, body: Buffer | undefined, connection: Connection): Promise<unknown> {
    const run = this.methods[method] as (args: unknown, connection: Connection, body: Buffer | undefined) => unknown;
    return Promise.resolve(run(params, connection, body));
  }

  notice(name: 'ack' | 'frameAck', params: { viewerId: string; offset?: number; frame?: number }): void {
    const session = this.viewers.get(params.viewerId)?.session;
    if (name === 'ack') session?.ack(params.viewerId, params.offset ?? 0);
    else session?.frameAck(params.viewerId, params.frame ?? 0);
  }

  /** Lets all programs go, writes everything down and leaves. */
  async leave(endSessions: boolean): Promise<void> {
    if (this.leaving) return;
    this.leaving = true;
    if (endSessions) {
      const running = [...this.sessions.values()].filter(({ session }) => session.running);
      await Promise.all(running.map((entry) => this.end(entry, SHUTDOWN_GRACE_MS)));
    }
    for (const { session, journal } of this.sessions.values()) {
      session.dispose();
      await journal?.close();
    }
    clearInterval(this.ticker);
    this.options.exit();
  }

  private readonly methods: Methods = {
    hello: ({ major, dataDir }, connection) => {
      const { major: own, minor } = PtyHostProtocol;
      if (major !== own) {
        throw new FailureError('pty-host-mismatch', `The pty host speaks version ${own}, the server ${major}`, {
          host: own,
          server: major,
        });
      }
      if (dataDir !== this.options.dataDir) {
        throw new FailureError('pty-host-mismatch', `The pty host belongs to ${this.options.dataDir}`, {
          dataDir: this.options.dataDir,
        });
      }
      connection.greeted = true;
      return { major: own, minor, pid: process.pid, version: this.options.version, startedAt: this.startedAt };
    },
    list: () => ({ sessions: [...this.sessions.values()].map(({ session }) => session.info()) }),
    start: ({ sessionId, spec }) =>
      this.inTurn(sessionId, async () => {
        if (this.sessions.has(sessionId)) throw new FailureError('session-exists', 'There is a session with this id');
        return { info: await this.startNew(sessionId, spec) };
      }),
    restore: ({ sessionId, cols, rows, scrollback }) =>
      this.inTurn(sessionId, async () => {
        const known = this.sessions.get(sessionId);
        if (known) return { info: known.session.info() };
        const restored = await this.restore(sessionId, { cols, rows, scrollback });
        if (!restored) throw new FailureError('no-journal', 'Nothing was kept of this session');
        return { info: restored.session.info() };
      }),
    restart: ({ sessionId, spec }) =>
      this.inTurn(sessionId, async () => {
        const entry = this.sessions.get(sessionId) ?? (spec.journal ? await this.restore(sessionId, spec) : undefined);
        if (!entry) return { info: await this.startNew(sessionId, spec) };
        await this.setJournal(sessionId, entry, spec.journal);
        entry.journal?.update({ leader: undefined });
        await entry.session.restart(spec);
        await this.noteLeader(entry);
        return { info: entry.session.info() };
      }),
    processes: async ({ sessionId }) => {
      const leader = leaderNow(this.entry(sessionId));
      if (!leader) return { processes: [] };
      const { members, escaped } = sessionProcesses(await allProcesses(), leader);
      return { processes: await withCommands([...members.filter((one) => one.pid !== leader.pid), ...escaped]) };
    },
    end: async ({ sessionId, graceMs }) => ({ survivors: await this.end(this.entry(sessionId), graceMs) }),
    forget: ({ sessionId }) =>
      this.inTurn(sessionId, async () => {
        const entry = this.sessions.get(sessionId);
        if (entry?.session.running) throw new FailureError('session-running', 'The session is still running');
        await this.drop(sessionId);
        await this.deleteJournal(sessionId, entry?.journal);
        this.broadcast({ type: 'removed', sessionId });
        return null;
      }),
    journal: ({ sessionId, on }) =>
      this.inTurn(sessionId, async () => {
        const entry = this.entry(sessionId);
        await this.setJournal(sessionId, entry, on);
        entry.session.changed(true);
        return { info: entry.session.info() };
      }),
    attach: ({ viewerId, sessionId, ...options }, connection) => {
      const { session } = this.entry(sessionId);
      this.detach(viewerId);
      this.viewers.set(viewerId, { session, connection });
      session.attach(viewerId, options, (header, bytes) => {
        connection.send({ type: 'data', viewerId, header }, bytes);
      });
      return { info: session.info() };
    },
    detach: ({ viewerId }) => {
      this.detach(viewerId);
      return null;
    },
    visibility: ({ viewerId, visibility }) => {
      this.viewing(viewerId).setVisibility(viewerId, visibility);
      return null;
    },
    resync: ({ viewerId, history }) => {
      this.viewing(viewerId).resync(viewerId, history);
      return null;
    },
    size: ({ viewerId, cols, rows }) => {
      this.viewing(viewerId).resizeViewer(viewerId, cols, rows);
      return null;
    },
    theme: ({ viewerId, theme }) => {
      this.viewing(viewerId).setTheme(theme);
      return null;
    },
    input: async ({ sessionId, viewerId, ...piece }, _connection, body) => {
      const { session } = this.entry(sessionId);
      if (!body) throw new FailureError('invalid-params', 'input: the bytes are missing');
      if (body.length > TerminalLimits.maxInputBytes) {
        throw new FailureError('input-too-large', `One piece of input may have ${TerminalLimits.maxInputBytes} bytes`, {
          limit: TerminalLimits.maxInputBytes,
        });
      }
      for (const other of this.sessions.values()) if (other.session !== session) other.session.hold(HOLD_MS);
      await session.write(piece, body, viewerId);
      return null;
    },
    text: async ({ sessionId, lines }) => ({ lines: await this.entry(sessionId).session.text(lines) }),
    shutdown: async ({ endSessions }) => {
      const running = [...this.sessions.values()].filter(({ session }) => session.running).length;
      if (running && !endSessions)
        throw new FailureError('sessions-running', `${running} sessions are running`, { running });
      // After the answer is out.
      setTimeout(() => void this.leave(endSessions), 20);
      return null;
    },
  };

  private async startNew(sessionId: string, spec: LaunchSpec): Promise<SessionInfo> {
    if (this.sessions.size >= TerminalLimits.maxSessions) {
      throw new FailureError('too-many-sessions', `There are ${TerminalLimits.maxSessions} sessions already`, {
        limit: TerminalLimits.maxSessions,
      });
    }
    // What an earlier session of this id left on disk has nothing to do with this one.
    await this.deleteJournal(sessionId, undefined).catch((error) => this.failed(sessionId, error));
    const entry: Entry = { session: this.newSession(sessionId, spec), journal: undefined, leader: undefined };
    await this.setJournal(sessionId, entry, spec.journal);
    try {
      entry.session.start(spec);
    } catch (error) {
      entry.session.dispose();
      await this.deleteJournal(sessionId, entry.journal).catch((fault) => this.failed(sessionId, fault));
      throw error;
    }
    this.sessions.set(sessionId, entry);
    await this.noteLeader(entry);
    return entry.session.info();
  }

  private async restore(
    sessionId: string,
    size: { cols: number; rows: number; scrollback: number },
  ): Promise<Entry | undefined> {
    const directory = this.journalDirectory(sessionId);
    const stored = await readJournal(directory);
    if (!stored) return undefined;
    if (stored.meta?.leader && !stored.meta.exit) await this.endLeftOvers(sessionId, stored.meta.leader);
    const replay = await replayOf(stored, size);
    const session = this.newSession(
      sessionId,
      { ...replay.size, scrollback: size.scrollback },
      { offset: replay.offset, startedAt: stored.meta?.startedAt },
    );
    await session.replay(replay.items);
    const { meta } = stored;
    const exit = meta?.exit ?? {};
    session.markEnded(
      exit,
      meta?.endedAt,
      { title: meta?.title, cwd: meta?.cwd },
      stored.damaged ? { code: 'journal-damaged', params: {} } : undefined,
    );
    const journal = new Journal({
      directory,
      meta: {
        v: 1,
        sizes: replay.sizes,
        startedAt: meta?.startedAt ?? Date.now(),
        endedAt: meta?.endedAt,
        exit,
        title: meta?.title,
        cwd: meta?.cwd,
      },
      offset: replay.end,
      segments: stored.segments.map((segment) => ({ ...segment })),
      changed: () => session.changed(true),
      written: () => session.journalWritten(),
    });
    const entry: Entry = { session, journal, leader: undefined };
    session.journal = journal;
    this.sessions.set(sessionId, entry);
    session.changed(true);
    return entry;
  }

  private newSession(
    id: string,
    size: { cols: number; rows: number; scrollback: number },
    start?: { offset: number; startedAt: number | undefined },
  ): Session {
    const session: Session = new Session(
      id,
      size,
      {
        now: () => performance.now(),
        defer: (run) => setImmediate(run),
        later: (ms, run) => {
          const timer = setTimeout(run, ms);
          return () => clearTimeout(timer);
        },
        startPty: this.options.startPty,
        work: () => {
          this.scheduler.add(session);
          this.keepTicking();
        },
        info: (info) => {
          for (const connection of this.connections) if (connection.greeted) connection.sendInfo(info);
        },
        signal: (signal) => this.broadcast({ type: 'signal', signal }),
        failed: (error) => this.failed(id, error),
        underLoad: () => [...this.sessions.values()].some((entry) => entry.session.flooding),
        folderOf: foregroundFolder,
      },
      start,
    );
    return session;
  }

  private async end(entry: Entry, graceMs: number): Promise<ProcessInfo[]> {
    const { session } = entry;
    const leader = leaderNow(entry);
    if (!leader) return [];
    const survivors = await endSession(leader, graceMs);
    if (survivors.every((one) => one.pid !== leader.pid)) {
      // Its exit is told a moment after the process is gone; a `forget` that follows must find it ended.
      await Promise.race([session.whenEnded(), new Promise((resolve) => setTimeout(resolve, EXIT_NOTICE_MS))]);
    }
    return survivors;
  }

  /** Who is the first process, also for a host that comes after us. */
  private async noteLeader(entry: Entry): Promise<void> {
    const { pid, terminal } = entry.session;
    // It may have ended at once; its number is nobody else's until that is known here.
    const started = pid === undefined ? '' : await startedOf(pid, { ended: true });
    entry.leader = pid === undefined || !started ? undefined : { pid, terminal, started };
    entry.journal?.update({ leader: lostLeader(entry) });
  }

  /** The host that ran it was killed, and some programs do not mind the loss of their terminal. */
  private async endLeftOvers(sessionId: string, lost: LostLeader): Promise<void> {
    const ended = await endLeftOvers(lost, LEFT_GRACE_MS);
    if (ended.length) this.options.log.info('ended what an earlier host left behind', { sessionId, ended });
  }

  private journalDirectory(sessionId: string): string {
    return join(this.options.dataDir, 'scrollback', sessionId);
  }

  private async setJournal(sessionId: string, entry: Entry, on: boolean): Promise<void> {
    if (on === (entry.journal !== undefined)) return;
    const { session, journal } = entry;
    if (journal) {
      entry.journal = undefined;
      session.journal = undefined;
      await this.deleteJournal(sessionId, journal);
      return;
    }
    const { cols, rows, produced, startedAt } = session.info();
    entry.journal = new Journal({
      directory: this.journalDirectory(sessionId),
      meta: { v: 1, sizes: [{ offset: produced, cols, rows }], startedAt, leader: lostLeader(entry) },
      offset: produced,
      changed: () => session.changed(true),
      written: () => session.journalWritten(),
    });
    session.journal = entry.journal;
  }

  private async deleteJournal(sessionId: string, journal: Journal | undefined): Promise<void> {
    await journal?.delete();
    await diskFiles.remove(this.journalDirectory(sessionId));
  }

  private async drop(sessionId: string): Promise<void> {
    const entry = this.sessions.get(sessionId);
    if (!entry) return;
    for (const [viewerId, viewer] of this.viewers) if (viewer.session === entry.session) this.viewers.delete(viewerId);
    this.sessions.delete(sessionId);
    this.scheduler.remove(entry.session);
    entry.session.dispose();
  }

  private detach(viewerId: string): void {
    this.viewers.get(viewerId)?.session.detach(viewerId);
    this.viewers.delete(viewerId);
  }

  private entry(sessionId: string): Entry {
    const entry = this.sessions.get(sessionId);
    if (!entry) throw new FailureError('unknown-session', 'The pty host does not know this session', { sessionId });
    return entry;
  }

  private viewing(viewerId: string): Session {
    const viewer = this.viewers.get(viewerId);
    if (!viewer) throw new FailureError('unknown-viewer', 'This viewer is not attached');
    return viewer.session;
  }

  /** One change of a session after the other: a restart does not meet a delete half way. */
  private async inTurn<T>(sessionId: string, run: () => Promise<T>): Promise<T> {
    const before = this.turns.get(sessionId) ?? Promise.resolve();
    const turn = before.then(run, run);
    const settled = turn.catch(() => {});
    this.turns.set(sessionId, settled);
    try {
      return await turn;
    } finally {
      if (this.turns.get(sessionId) === settled) this.turns.delete(sessionId);
    }
  }

  private keepTicking(): void {
    this.ticker ??= setInterval(() => {
      let restless = false;
      for (const [id, { session }] of this.sessions) {
        if (!session.restless) continue;
        restless = true;
        try {
          session.tick();
        } catch (error) {
          this.failed(id, error);
        }
      }
      if (restless) return;
      clearInterval(this.ticker);
      this.ticker = undefined;
    }, TICK_MS);
  }

  private broadcast(message: PtyHostMessage): void {
    for (const connection of this.connections) {
      if (!connection.greeted) continue;
      if (message.type === 'signal') connection.sendPassing(message);
      else connection.send(message);
    }
  }

  private failed(sessionId: string, error: unknown): void {
    this.options.log.error('a session failed', { sessionId, error: describeError(error) });
  }
}

/** Once the program has ended its terminal's name may be another's. */
function leaderNow({ leader, session }: Entry): Leader | undefined {
  return leader && { ...leader, terminal: session.terminal };
}

function lostLeader({ leader, session }: Entry): LostLeader | undefined {
  if (!leader?.terminal || !session.running) return undefined;
  return { pid: leader.pid, started: leader.started, terminal: leader.terminal, boot: bootId() };
}
