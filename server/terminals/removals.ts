import { setTimeout as pause } from 'node:timers/promises';
import type { PtyHostClient } from '../../schemas/pty-host';
import type { CallResults } from '../../schemas/realtime';
import { FailureError } from '../../schemas/result';
import type { Canvases } from '../canvas';
import type { Log } from './log';
import type { Recovery } from './recovery';
import type { SessionBook } from './session-book';
import type { Uploads } from './uploads';

/** Between the polite end of a terminal's processes and the other one. */
const CLOSE_GRACE_MS = 1500;
/** Before a terminal that runs although it was ended is dropped once more; doubled each time, up to the second. */
const FORGET_AGAIN_MS = 50;
const FORGET_MAX_PAUSE_MS = 800;

export interface RemovalsSurroundings {
  canvases: Canvases;
  log: Log;
  book: SessionBook;
  recovery: Recovery;
  uploads: Uploads;
  /** The pty host of a session; none when nothing can run. Fails when one may be there that we cannot talk to. */
  host: (sessionId: string) => Promise<PtyHostClient | undefined>;
  /** Removes what else is stored of it, in the transaction that removes its record. */
  stored: (sessionId: string) => void;
  /** It is gone for everybody. */
  removed: (sessionId: string) => void;
}

/** Ends sessions for good: what runs, then card, record, journal and uploads. */
export class Removals {
  private readonly running = new Map<string, Promise<CallResults['terminal:close']>>();

  constructor(private readonly around: RemovalsSurroundings) {}

  /** Whether it is being closed just now. */
  has(sessionId: string): boolean {
    return this.running.has(sessionId);
  }

  /** Ends what runs, then removes card, record, journal and uploads. A repeated close of one that is gone is harmless. */
  close(sessionId: string): Promise<CallResults['terminal:close']> {
    const running = this.running.get(sessionId);
    if (running) return running;
    const closing = this.closeOnce(sessionId).finally(() => this.running.delete(sessionId));
    this.running.set(sessionId, closing);
    return closing;
  }

  private async closeOnce(sessionId: string): Promise<CallResults['terminal:close']> {
    const { book, recovery, host } = this.around;
    if (!book.view(sessionId)) return { survivors: [] };
    const client = await host(sessionId);
    const { survivors } =
      client && !recovery.hasNoScreen(sessionId)
        ? await client.call('end', { sessionId, graceMs: CLOSE_GRACE_MS })
        : { survivors: [] };
    try {
      this.removeStored(sessionId);
    } catch (error) {
      if (!(error instanceof FailureError && error.code === 'disk-full')) throw error;
      // What it kept on disk goes first: that may be the room that is missing.
      await this.bury(client, sessionId);
      try {
        this.removeStored(sessionId);
      } catch (again) {
        recovery.vanished(sessionId);
        throw again;
      }
    }
    await this.bury(client, sessionId);
    return { survivors };
  }

  /** Its record and its cards, all or nothing; then every tab hears of it. */
  private removeStored(sessionId: string): void {
    const { canvases, book, recovery } = this.around;
    canvases.removeCards(sessionId, {
      stored: () => {
        book.deleteStored(sessionId);
        this.around.stored(sessionId);
        recovery.bury(sessionId);
      },
      committed: () => {
        book.dropped(sessionId);
        this.around.removed(sessionId);
      },
    });
  }

  /** What only costs space when it fails; the next meeting with a pty host tries again. */
  private async bury(client: PtyHostClient | undefined, sessionId: string): Promise<void> {
    try {
      // Its journal may be on disk although no screen could be made of it.
      if (client) await forget(client, sessionId);
      await this.around.uploads.removeSession(sessionId);
      if (client) this.around.recovery.buried(sessionId);
    } catch (error) {
      this.around.log.warn({ sessionId, reason: String(error) }, 'what a closed terminal left could not be removed');
    }
  }
}

/** Drops what ended. One that runs again, or whose end was not told yet, is ended once more: no card shows it. */
export async function forget(client: PtyHostClient, sessionId: string): Promise<void> {
  for (let pauseMs = FORGET_AGAIN_MS; ; pauseMs *= 2) {
    try {
      await client.call('forget', { sessionId });
      return;
    } catch (error) {
      if (!(error instanceof FailureError && error.code === 'session-running')) throw error;
      if (pauseMs > FORGET_MAX_PAUSE_MS) throw error;
    }
    await client.call('end', { sessionId, graceMs: CLOSE_GRACE_MS });
    await pause(pauseMs);
  }
}
