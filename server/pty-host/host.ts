import { setTimeout as pause } from 'node:timers/promises';
import {
  type PtyHostArgs,
  type PtyHostMessage,
  type PtyHostMethod,
  PtyHostProtocol,
  type PtyHostResults,
} from '../../schemas/pty-host';
import { FailureError } from '../../schemas/result';
import { TerminalLimits } from '../../schemas/terminals';
import type { Connection } from './connection';
import { describeError, type Log } from './log';
import type { StartPty } from './pty';
import type { Session } from './session';
import { SessionKeeper } from './session-keeper';

/** A key in one session makes the others stand still for this long, if they flood. */
const HOLD_MS = 30;
/** At the host's own end: time for programs to end themselves. */
const SHUTDOWN_GRACE_MS = 3000;
/** Before that: time for what had begun to start. */
const SETTLE_MS = 2000;

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

/** What servers ask of the sessions, and who of them looks at which. */
export class PtyHost {
  private readonly sessions: SessionKeeper;
  private readonly connections = new Set<Connection>();
  private readonly viewers = new Map<string, { session: Session; connection: Connection }>();
  private readonly startedAt = Date.now();
  private lonelySince = Date.now();
  private leaving = false;
  private left = false;

  constructor(private readonly options: HostOptions) {
    const { dataDir, log, startPty } = options;
    this.sessions = new SessionKeeper({
      dataDir,
      log,
      startPty,
      info: (info) => {
        for (const connection of this.connections) if (connection.greeted) connection.sendInfo(info);
      },
      signal: (signal) => this.broadcast({ type: 'signal', signal }),
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
    for (const { session } of this.sessions.all()) {
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

  get isLeaving(): boolean {
    return this.leaving;
  }

  /** Lets all programs go, writes everything down and leaves. A session of which that fails keeps no other from it. */
  async leave(endSessions: boolean): Promise<void> {
    if (this.left) return;
    this.left = true;
    this.leaving = true;
    try {
      // What had begun to start is among those that run, or has failed, after this.
      await Promise.race([this.sessions.settled(), pause(SETTLE_MS)]);
      const running = endSessions ? this.sessions.running() : [];
      const ended = await Promise.allSettled(running.map((entry) => this.sessions.end(entry, SHUTDOWN_GRACE_MS)));
      for (const one of ended) {
        if (one.status === 'rejected') this.options.log.error('not ended', { error: describeError(one.reason) });
      }
      await this.sessions.close();
    } finally {
      this.options.exit();
    }
  }

  /** What begins now would be ended, or not written down, a moment later. */
  private refuseLeaving(): void {
    if (this.leaving) throw new FailureError('pty-host-gone', 'The pty host is ending');
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
    ping: () => null,
    list: () => ({ sessions: this.sessions.all().map(({ session }) => session.info()) }),
    start: ({ sessionId, spec }) =>
      this.sessions.inTurn(sessionId, async () => {
        this.refuseLeaving();
        if (this.sessions.find(sessionId)) throw new FailureError('session-exists', 'There is a session with this id');
        return { info: await this.sessions.startNew(sessionId, spec) };
      }),
    restore: ({ sessionId, cols, rows, scrollback }) =>
      this.sessions.inTurn(sessionId, async () => {
        const known = this.sessions.find(sessionId);
        if (known) return { info: known.session.info() };
        this.refuseLeaving();
        const restored = await this.sessions.restore(sessionId, { cols, rows, scrollback });
        if (!restored) throw new FailureError('no-journal', 'Nothing was kept of this session');
        return { info: restored.session.info() };
      }),
    restart: ({ sessionId, spec }) =>
      this.sessions.inTurn(sessionId, async () => {
        this.refuseLeaving();
        return { info: await this.sessions.restart(sessionId, spec) };
      }),
    processes: async ({ sessionId }) => ({ processes: await this.sessions.processes(sessionId) }),
    end: async ({ sessionId, graceMs }) => ({
      survivors: await this.sessions.end(this.sessions.entry(sessionId), graceMs),
    }),
    forget: ({ sessionId }) =>
      this.sessions.inTurn(sessionId, async () => {
        const session = this.sessions.find(sessionId)?.session;
        await this.sessions.forget(sessionId);
        for (const [viewerId, viewer] of this.viewers) if (viewer.session === session) this.viewers.delete(viewerId);
        this.broadcast({ type: 'removed', sessionId });
        return null;
      }),
    journal: ({ sessionId, on }) =>
      this.sessions.inTurn(sessionId, async () => {
        const entry = this.sessions.entry(sessionId);
        await this.sessions.setJournal(sessionId, entry, on);
        entry.session.changed(true);
        return { info: entry.session.info() };
      }),
    attach: ({ viewerId, sessionId, ...options }, connection) => {
      const { session } = this.sessions.entry(sessionId);
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
      const { session } = this.sessions.entry(sessionId);
      if (!body) throw new FailureError('invalid-params', 'input: the bytes are missing');
      if (body.length > TerminalLimits.maxInputBytes) {
        throw new FailureError('input-too-large', `One piece of input may have ${TerminalLimits.maxInputBytes} bytes`, {
          limit: TerminalLimits.maxInputBytes,
        });
      }
      for (const other of this.sessions.all()) if (other.session !== session) other.session.hold(HOLD_MS);
      await session.write(piece, body, viewerId);
      return null;
    },
    text: async ({ sessionId, lines }) => ({ lines: await this.sessions.entry(sessionId).session.text(lines) }),
    shutdown: async ({ endSessions }) => {
      const running = this.sessions.running().length;
      if (running && !endSessions)
        throw new FailureError('sessions-running', `${running} sessions are running`, { running });
      this.leaving = true;
      // After the answer is out.
      setTimeout(() => void this.leave(endSessions), 20);
      return null;
    },
  };

  private detach(viewerId: string): void {
    this.viewers.get(viewerId)?.session.detach(viewerId);
    this.viewers.delete(viewerId);
  }

  private viewing(viewerId: string): Session {
    const viewer = this.viewers.get(viewerId);
    if (!viewer) throw new FailureError('unknown-viewer', 'This viewer is not attached');
    return viewer.session;
  }

  private broadcast(message: PtyHostMessage): void {
    for (const connection of this.connections) {
      if (!connection.greeted) continue;
      if (message.type === 'signal') connection.sendPassing(message);
      else connection.send(message);
    }
  }
}
