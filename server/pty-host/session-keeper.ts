import { join } from 'node:path';
import type { LaunchSpec } from '../../schemas/pty-host';
import { FailureError } from '../../schemas/result';
import { type ProcessInfo, type SessionInfo, type SessionSignal, TerminalLimits } from '../../schemas/terminals';
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
import { readJournal, type StoredJournal } from './stored-journal';

/** Frames and the end of floods are looked for this often, while there is any. */
const TICK_MS = 8;
/** Time for what an earlier host left behind to end itself. */
const LEFT_GRACE_MS = 500;
/** From the end of a process to the news of it, at most. */
const EXIT_NOTICE_MS = 3000;

/** A session, its journal and its processes. */
export interface Entry {
  session: Session;
  journal: Journal | undefined;
  /** The first process of the last start; its pid is the session id. */
  leader: Leader | undefined;
  /** Those of earlier starts: what they have left running belongs to it too. */
  earlier: Leader[];
}

export interface KeeperOptions {
  dataDir: string;
  log: Log;
  startPty: StartPty;
  info(info: SessionInfo): void;
  signal(signal: SessionSignal): void;
}

/** All sessions with their journals on disk and their processes: how they begin, come back and end. */
export class SessionKeeper {
  private readonly sessions = new Map<string, Entry>();
  private readonly turns = new Map<string, Promise<unknown>>();
  private readonly scheduler: Scheduler;
  private ticker: NodeJS.Timeout | undefined;

  constructor(private readonly options: KeeperOptions) {
    this.scheduler = new Scheduler({
      now: () => performance.now(),
      defer: (run) => setImmediate(run),
      failed: (who, error) => this.failed((who as Session).id, error),
    });
  }

  all(): Entry[] {
    return [...this.sessions.values()];
  }

  find(sessionId: string): Entry | undefined {
    return this.sessions.get(sessionId);
  }

  running(): Entry[] {
    return this.all().filter(({ session }) => session.running);
  }

  /** As `find`, or a failure. */
  entry(sessionId: string): Entry {
    const entry = this.sessions.get(sessionId);
    if (!entry) throw new FailureError('unknown-session', 'The pty host does not know this session', { sessionId });
    return entry;
  }

  /** One change of a session after the other: a restart does not meet a delete half way. */
  async inTurn<T>(sessionId: string, run: () => Promise<T>): Promise<T> {
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

  /** Resolves when all that has begun in turn is done. */
  async settled(): Promise<void> {
    await Promise.all(this.turns.values());
  }

  async startNew(sessionId: string, spec: LaunchSpec): Promise<SessionInfo> {
    if (this.sessions.size >= TerminalLimits.maxSessions) {
      throw new FailureError('too-many-sessions', `There are ${TerminalLimits.maxSessions} sessions already`, {
        limit: TerminalLimits.maxSessions,
      });
    }
    // What an earlier session of this id left on disk has nothing to do with this one.
    await this.deleteJournal(sessionId, undefined).catch((error) => this.failed(sessionId, error));
    const entry: Entry = {
      session: this.newSession(sessionId, spec),
      journal: undefined,
      leader: undefined,
      earlier: [],
    };
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

  /** Starts an ended session again on its lines, or what is left of it on disk, or anew. */
  async restart(sessionId: string, spec: LaunchSpec): Promise<SessionInfo> {
    const entry = this.find(sessionId) ?? (spec.journal ? await this.restore(sessionId, spec) : undefined);
    if (!entry) return this.startNew(sessionId, spec);
    await this.setJournal(sessionId, entry, spec.journal);
    await entry.session.restart(spec);
    if (entry.leader) entry.earlier.push({ ...entry.leader, terminal: undefined });
    entry.leader = undefined;
    entry.journal?.update({ leader: undefined });
    await this.noteLeader(entry);
    return entry.session.info();
  }

  /** Makes an ended session of its journal. Undefined: there is none. */
  async restore(
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
    session.markEnded(exit, meta?.endedAt, { title: meta?.title, cwd: meta?.cwd }, damageNotice(stored));
    const { ignored, lost } = stored;
    if (ignored.length) this.options.log.info('files of a journal were ignored', { sessionId, ignored });
    if (lost.bytes > 0) this.options.log.error('output is missing from a journal', { sessionId, ...lost });
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
        keptFrom: meta?.keptFrom,
      },
      offset: replay.end,
      segments: stored.segments.map((segment) => ({ ...segment })),
      changed: () => session.changed(true),
      written: () => session.journalWritten(),
    });
    const entry: Entry = { session, journal, leader: undefined, earlier: [] };
    session.journal = journal;
    this.sessions.set(sessionId, entry);
    session.changed(true);
    return entry;
  }

  /** What runs in a session, but for its first process. */
  async processes(sessionId: string): Promise<ProcessInfo[]> {
    const entry = this.entry(sessionId);
    const all = await allProcesses();
    const found = leadersOf(entry).flatMap((leader) => {
      const { members, escaped } = sessionProcesses(all, leader);
      return [...members.filter((one) => one.pid !== leader.pid), ...escaped];
    });
    return withCommands([...new Map(found.map((one) => [one.pid, one])).values()]);
  }

  /** Ends all that runs in it; answers with what is alive after that. */
  async end(entry: Entry, graceMs: number): Promise<ProcessInfo[]> {
    const { session } = entry;
    const leader = entry.leader;
    const left = await Promise.all(leadersOf(entry).map((one) => endSession(one, graceMs)));
    const survivors = [...new Map(left.flat().map((one) => [one.pid, one])).values()];
    if (leader && survivors.every((one) => one.pid !== leader.pid)) {
      // Its exit is told a moment after the process is gone; a `forget` that follows must find it ended.
      await Promise.race([session.whenEnded(), new Promise((resolve) => setTimeout(resolve, EXIT_NOTICE_MS))]);
    }
    return survivors;
  }

  /** Drops it with its journal, also when only that is left of it. */
  async forget(sessionId: string): Promise<void> {
    const entry = this.find(sessionId);
    if (entry?.session.running) throw new FailureError('session-running', 'The session is still running');
    if (entry) {
      this.sessions.delete(sessionId);
      this.scheduler.remove(entry.session);
      entry.session.dispose();
    }
    await this.deleteJournal(sessionId, entry?.journal);
  }

  /** Lets go of all: programs are told by the kernel, and what they have printed is on disk after this. */
  async close(): Promise<void> {
    for (const [id, { session, journal }] of this.sessions) {
      try {
        session.dispose();
        await journal?.close();
      } catch (error) {
        this.failed(id, error);
      }
    }
    clearInterval(this.ticker);
  }

  private journalDirectory(sessionId: string): string {
    return join(this.options.dataDir, 'scrollback', sessionId);
  }

  /** Switches the journal on or off; off deletes it. */
  async setJournal(sessionId: string, entry: Entry, on: boolean): Promise<void> {
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
        info: this.options.info,
        signal: this.options.signal,
        failed: (error) => this.failed(id, error),
        underLoad: () => [...this.sessions.values()].some((entry) => entry.session.flooding),
        folderOf: foregroundFolder,
      },
      start,
    );
    return session;
  }

  /** Who is the first process, also for a host that comes after us. */
  private async noteLeader(entry: Entry): Promise<void> {
    const { pid, terminal } = entry.session;
    // It may have ended at once; numbers are given in turn, so nobody else has it a moment later.
    const started = pid === undefined ? '' : await startedOf(pid, { ended: true });
    entry.leader = pid === undefined || !started ? undefined : { pid, terminal, started };
    entry.journal?.update({ leader: lostLeader(entry) });
    if (entry.earlier.length === 0) return;
    // Of most starts nothing is left.
    const all = await allProcesses();
    entry.earlier = entry.earlier.filter((leader) => sessionProcesses(all, leader).members.length > 0);
  }

  /** The host that ran it was killed, and some programs do not mind the loss of their terminal. */
  private async endLeftOvers(sessionId: string, lost: LostLeader): Promise<void> {
    const ended = await endLeftOvers(lost, LEFT_GRACE_MS);
    if (ended.length) this.options.log.info('ended what an earlier host left behind', { sessionId, ended });
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

  private failed(sessionId: string, error: unknown): void {
    this.options.log.error('a session failed', { sessionId, error: describeError(error) });
  }
}

/** What a person is told of a journal that is not all there. To be asked when it has been read. */
function damageNotice({ meta, lost }: StoredJournal): SessionInfo['notice'] {
  const { bytes, reason = '' } = lost;
  if (bytes > 0) {
    return {
      code: 'journal-damaged',
      params: { what: reason ? 'unreadable' : 'missing', bytes: String(bytes), reason },
    };
  }
  return meta ? undefined : { code: 'journal-damaged', params: { what: 'notes', bytes: '0', reason } };
}

/** The newest first. Once a program has ended its terminal's name may be another's. */
function leadersOf({ leader, earlier, session }: Entry): Leader[] {
  return [...(leader ? [{ ...leader, terminal: session.terminal }] : []), ...earlier];
}

function lostLeader({ leader, session }: Entry): LostLeader | undefined {
  if (!leader?.terminal || !session.running) return undefined;
  return { pid: leader.pid, started: leader.started, terminal: leader.terminal, boot: bootId() };
}
