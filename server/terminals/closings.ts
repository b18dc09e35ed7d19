import type { CallResults } from '../../schemas/realtime';
import { FailureError } from '../../schemas/result';
import type { SessionView } from '../../schemas/terminals';
import type { Log } from './log';

/**
 * Until then a closed terminal can be taken back, milliseconds. The tab that closed it ends it sooner, when its offer to
 * undo is over; this is for when that tab is gone.
 */
const UNDO_MS = 15_000;
/** A terminal that could not be ended, because its host did not answer, is tried again after this time. */
const AGAIN_MS = 5_000;
/** A stop of the server waits this long for the terminals that were closed. */
const FINISH_MS = 4_000;

/** What it needs of the sessions. */
export interface ClosableSessions {
  views(): SessionView[];
  /** Stores and tells until when the closing can be undone; nothing: it is no longer closing. */
  setClosing(sessionId: string, until: number | undefined): SessionView;
  close(sessionId: string): Promise<CallResults['terminal:close']>;
}

/**
 * Terminals that a person closed and may still want back: no tab shows them, everything in them goes on. What is stored
 * of it survives a restart of the server, after which they are ended when their time is over.
 */
export class Closings {
  private readonly timers = new Map<string, NodeJS.Timeout>();
  /** Being ended: too late to take them back. */
  private readonly ending = new Set<string>();

  constructor(
    private readonly sessions: ClosableSessions,
    private readonly log: Log,
  ) {}

  /** Hides it from every tab and ends it later; at once, and then not `undoable`, when that cannot be stored. */
  async later(sessionId: string): Promise<CallResults['terminal:close-later']> {
    if (this.ending.has(sessionId)) return { undoable: false };
    try {
      this.sessions.setClosing(sessionId, Date.now() + UNDO_MS);
    } catch (error) {
      if (error instanceof FailureError && error.code === 'session-missing') throw error;
      // A full disk, a record that cannot be read: closing makes room and goes by the id.
      this.log.warn({ sessionId, reason: String(error) }, 'a closing could not be stored: it is done at once');
      await this.now(sessionId);
      return { undoable: false };
    }
    this.schedule(sessionId, UNDO_MS);
    return { undoable: true };
  }

  /** Takes it back. */
  keep(sessionId: string): SessionView {
    if (this.ending.has(sessionId)) {
      throw new FailureError('session-missing', 'This terminal was closed already.', { sessionId });
    }
    const view = this.sessions.setClosing(sessionId, undefined);
    this.unschedule(sessionId);
    return view;
  }

  /** Ends it at once, whether it was to be ended later or not. */
  async now(sessionId: string): Promise<CallResults['terminal:close']> {
    this.unschedule(sessionId);
    this.ending.add(sessionId);
    try {
      return await this.sessions.close(sessionId);
    } finally {
      this.ending.delete(sessionId);
      // It is still there, and still hidden: it must not stay so for ever.
      if (this.until(sessionId) !== undefined) this.schedule(sessionId, AGAIN_MS);
    }
  }

  /** After a start: what an earlier server was asked to close. */
  resume(): void {
    for (const { record } of this.sessions.views()) {
      if (record.closingAt === undefined || this.timers.has(record.id)) continue;
      this.schedule(record.id, Math.min(UNDO_MS, Math.max(0, record.closingAt - Date.now())));
    }
  }

  /** Before a stop: nothing that a person closed goes on without a server. What takes too long is left to the next start. */
  async finish(): Promise<void> {
    const all = Promise.all([...this.timers.keys()].map((sessionId) => this.end(sessionId)));
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((done) => {
      timer = setTimeout(done, FINISH_MS);
    });
    await Promise.race([all, patience]);
    clearTimeout(timer);
    for (const sessionId of [...this.timers.keys()]) this.unschedule(sessionId);
  }

  private async end(sessionId: string): Promise<void> {
    await this.now(sessionId).catch((error: unknown) => {
      this.log.warn({ sessionId, reason: String(error) }, 'a closed terminal could not be ended yet');
    });
  }

  private until(sessionId: string): number | undefined {
    return this.sessions.views().find(({ record }) => record.id === sessionId)?.record.closingAt;
  }

  private schedule(sessionId: string, delay: number): void {
    this.unschedule(sessionId);
    this.timers.set(sessionId, setTimeout(() => void this.end(sessionId), delay).unref());
  }

  private unschedule(sessionId: string): void {
    clearTimeout(this.timers.get(sessionId));
    this.timers.delete(sessionId);
  }
}
