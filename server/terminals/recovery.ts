import { type Static, Type } from '@sinclair/typebox';
import { nanoid } from 'nanoid';
import { CanvasLimits } from '../../schemas/canvas';
import { Id } from '../../schemas/ids';
import type { PtyHostClient } from '../../schemas/pty-host';
import { Closed, FailureError } from '../../schemas/result';
import type { SessionInfo, SessionRecord } from '../../schemas/terminals';
import type { Canvases } from '../canvas';
import type { Projects } from '../project';
import type { RecordTable, Storage } from '../storage';
import { toFailure } from './host-link';
import type { Log } from './log';
import type { SessionBook } from './session-book';

/** The canvas for terminals that run although nothing was stored of them. */
const RECOVERED_NAME = 'Recovered';
/** After a pty host has not answered in time: until it is asked again. */
const AGAIN_MS = 2000;
/** Between cards that we place ourselves. */
const GAP = 40;

const Tombstone = Closed({ v: Type.Literal(1), id: Id });
type Tombstone = Static<typeof Tombstone>;

export interface RecoverySurroundings {
  storage: Storage;
  book: SessionBook;
  canvases: Canvases;
  projects: Projects;
  log: Log;
  scrollback: () => number;
  /** The program of a session of which nothing is stored. */
  defaultShell: () => string;
  removeUploads: (sessionId: string) => Promise<void>;
  /** The ids of the sessions of which output is on disk. */
  journals: () => string[];
  /** The host knows a session again that it did not know when it was met. */
  restored: (sessionId: string) => void;
}

/**
 * Brings what is stored and what the pty host holds together, so that no session is shown twice, run twice or left
 * without a card: running ones are adopted, others come back from their journal, closed ones are buried.
 */
export class Recovery {
  private readonly tombstones: RecordTable<Tombstone>;
  /** On record, but the host has not been asked for their journal yet. */
  private readonly unrestored = new Set<string>();
  private readonly restoring = new Map<string, Promise<void>>();
  private readonly without = new Set<string>();
  private client: PtyHostClient | undefined;

  constructor(private readonly around: RecoverySurroundings) {
    this.tombstones = around.storage.records<Tombstone>('closed_sessions', Tombstone);
  }

  /** A person closed it: to be called in the transaction that removes its record. */
  bury(sessionId: string): void {
    this.tombstones.put({ v: 1, id: sessionId });
  }

  /** A person closed it, and the pty host has not dropped it yet. */
  isBuried(sessionId: string): boolean {
    return this.tombstones.get(sessionId) !== undefined;
  }

  /** The pty host dropped it for good. */
  buried(sessionId: string): void {
    this.tombstones.delete(sessionId);
    this.unrestored.delete(sessionId);
    this.without.delete(sessionId);
  }

  /** Nothing was kept of what this session printed, and its process is gone. */
  hasNoScreen(sessionId: string): boolean {
    return this.without.has(sessionId);
  }

  /** The pty host dropped it although nobody closed it here. */
  vanished(sessionId: string): void {
    this.without.add(sessionId);
    this.around.book.markEnded(sessionId);
  }

  started(sessionId: string): void {
    this.without.delete(sessionId);
    this.unrestored.delete(sessionId);
  }

  /** The pty host tells of a session: then it knows it, whatever it said or did not say before. */
  heard(sessionId: string): void {
    const missed = this.unrestored.delete(sessionId);
    if (this.without.delete(sessionId) || missed) this.around.restored(sessionId);
  }

  /** A pty host is there: what does it hold, and what is missing? Gives the ids that it holds. */
  async meet(client: PtyHostClient): Promise<Set<string>> {
    const { book } = this.around;
    this.client = client;
    book.newHost();
    this.restoring.clear();
    this.unrestored.clear();
    this.without.clear();
    const { sessions } = await client.call('list', {});
    const closed = new Set(this.tombstones.all().records.map(({ id }) => id));
    await this.endClosed(client, sessions, closed);
    const held = new Set<string>();
    this.attempt('record', () => this.recordCards());
    for (const info of sessions) {
      if (closed.has(info.sessionId)) continue;
      held.add(info.sessionId);
      if (!book.record(info.sessionId)) this.attempt(info.sessionId, () => this.recover(info.sessionId, info));
      book.heard(info);
    }
    // Output without anything else, as after a loss of the database: it is shown again, and can be closed.
    this.attempt('journals', () => {
      for (const id of this.around.journals()) {
        if (!held.has(id) && !closed.has(id) && !book.isKnown(id)) this.attempt(id, () => this.recover(id, {}));
      }
    });
    for (const id of book.ids()) {
      if (held.has(id)) continue;
      this.unrestored.add(id);
      if (book.info(id)?.state === 'running') {
        book.markEnded(id, { code: 'pty-host-gone', params: { reason: 'it ended' } });
      }
    }
    this.shelter();
    return held;
  }

  /** A full disk must not keep what runs from being shown as far as it can be; the next start tries again. */
  private attempt(what: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.around.log.error({ what, reason: toFailure(error).message }, 'a terminal could not be put in order');
    }
  }

  /** Brings the screens of ended sessions back, one after the other, so that a key is never kept waiting for long. */
  async restoreAll(client: PtyHostClient): Promise<void> {
    for (const id of [...this.unrestored]) {
      if (this.client !== client) return;
      // One that takes long is asked for again on its own.
      await this.ensureRestored(client, id).catch(() => undefined);
    }
  }

  /**
   * The host knows this session when it is through, if there is anything to know. Fails with `pty-host-timeout` when
   * the host takes longer; then it is asked again by itself.
   */
  ensureRestored(client: PtyHostClient, id: string): Promise<void> {
    const running = this.restoring.get(id);
    if (running) return running;
    if (!this.unrestored.has(id)) return Promise.resolve();
    const restoring = this.restore(client, id).finally(() => this.restoring.delete(id));
    this.restoring.set(id, restoring);
    return restoring;
  }

  private async restore(client: PtyHostClient, id: string): Promise<void> {
    const { book, log, scrollback } = this.around;
    const record = book.record(id);
    if (!record) return;
    try {
      const { cols, rows } = record;
      const { info } = await client.call('restore', { sessionId: id, cols, rows, scrollback: scrollback() });
      if (!this.unrestored.delete(id)) return;
      book.heard(info);
      this.around.restored(id);
    } catch (error) {
      const failure = toFailure(error);
      if (failure.code === 'pty-host-timeout' && this.client === client) {
        // A long journal, or a busy machine; nothing is wrong with the journal.
        log.warn({ sessionId: id }, 'the pty host is still restoring a terminal');
        setTimeout(() => this.again(client, id), AGAIN_MS).unref();
        throw error;
      }
      // The connection broke: the next host will be asked again.
      if (this.client !== client || !this.unrestored.delete(id)) return;
      this.without.add(id);
      if (failure.code === 'no-journal') {
        book.markEnded(id);
      } else {
        log.warn({ sessionId: id, code: failure.code, reason: failure.message }, 'a journal could not be read');
        book.markEnded(id, { code: 'journal-unreadable', params: { reason: failure.message.slice(0, 300) } });
      }
    }
  }

  private again(client: PtyHostClient, id: string): void {
    if (this.client === client) this.ensureRestored(client, id).catch(() => undefined);
  }

  /** The connection is gone: what was to be asked of it will be asked of the next. */
  lost(client: PtyHostClient): void {
    if (this.client === client) this.client = undefined;
  }

  /**
   * Every session on record gets a card, unless its card may be one that cannot be read. One that gets none is logged
   * and keeps no other from its own; nothing is thrown.
   */
  shelter(): void {
    const { book, canvases } = this.around;
    const sheltered = new Set(canvases.cards().map(({ sessionId }) => sessionId));
    for (const id of book.ids()) if (!sheltered.has(id)) this.attempt(id, () => this.shelterOne(id));
  }

  private shelterOne(id: string): void {
    const { book, canvases, projects, log } = this.around;
    const { projectId } = book.record(id)!;
    const own = canvases.list().filter((canvas) => canvas.projectId === projectId);
    if (own.some((canvas) => canvases.corruptItems(canvas.id).length > 0)) return;
    const canvasId = this.placeOn(own[0]?.id, id) ?? this.placeRecovered(id);
    if (canvasId) log.warn({ sessionId: id, canvasId }, 'a terminal had no card and got one');
    else log.error({ sessionId: id, projects: projects.list().length }, 'no canvas for a terminal without a card');
  }

  /** Gives the canvas, if there is one and it has room. */
  private placeOn(canvasId: string | undefined, sessionId: string): string | undefined {
    if (canvasId === undefined) return undefined;
    try {
      this.place(canvasId, sessionId);
      return canvasId;
    } catch (error) {
      if (error instanceof FailureError && error.code === 'canvas-full') return undefined;
      throw error;
    }
  }

  /** Cards whose record is lost or cannot be read: their terminal is shown all the same. */
  private recordCards(): void {
    const { book, canvases, projects } = this.around;
    for (const { sessionId, canvasId } of canvases.cards()) {
      if (book.record(sessionId)) continue;
      const projectId = canvases.get(canvasId).projectId;
      const folder = projects.get(projectId)?.folder ?? '/';
      this.makeUp(sessionId, projectId, { cwd: folder });
    }
  }

  /** It runs, or its output is on disk, but nothing is stored of it. */
  private recover(id: string, known: Partial<SessionInfo>): void {
    const { book, projects, log } = this.around;
    const project = projects.list()[0];
    if (!project) {
      log.error({ sessionId: id }, 'nothing is stored of a terminal, and there is no project to show it in');
      return;
    }
    this.makeUp(id, project.id, known);
    const canvasId = this.placeRecovered(id);
    log.warn({ sessionId: id, canvasId, corrupt: book.corrupt().length }, 'a terminal was recovered');
  }

  private makeUp(id: string, projectId: string, known: Partial<SessionInfo>): void {
    const record: SessionRecord = {
      v: 1,
      id,
      projectId,
      program: this.around.defaultShell(),
      args: [],
      cwd: known.cwd ?? this.around.projects.get(projectId)?.folder ?? '/',
      cols: known.cols ?? 80,
      rows: known.rows ?? 24,
      createdAt: known.startedAt ?? Date.now(),
      journal: known.journal?.state !== 'off',
    };
    this.around.book.put(record);
  }

  /** On a canvas made for it; on one more when that is full. Gives the canvas; none without a project. */
  private placeRecovered(sessionId: string): string | undefined {
    const { canvases, projects } = this.around;
    const project = projects.list()[0];
    for (let number = 1; project; number += 1) {
      const name = number === 1 ? RECOVERED_NAME : `${RECOVERED_NAME} ${number}`;
      const canvasId = this.placeOn(canvases.named(project.id, name).id, sessionId);
      if (canvasId) return canvasId;
    }
    return undefined;
  }

  /** To the right of everything that is there. */
  private place(canvasId: string, sessionId: string): void {
    const { canvases } = this.around;
    const { items } = canvases.open(canvasId);
    const right = items.reduce((edge, item) => Math.max(edge, item.x + item.width + GAP), 0);
    const top = items.reduce((edge, item) => Math.min(edge, item.y), items[0]?.y ?? 0);
    const { width, height } = CanvasLimits.card;
    const x = Math.min(right, CanvasLimits.maxCoordinate);
    canvases.putCard(canvasId, { id: nanoid(), sessionId, x, y: top, width, height });
  }

  /** A person closed these, and the server ended before the host had dropped them. */
  private async endClosed(client: PtyHostClient, held: SessionInfo[], closed: Set<string>): Promise<void> {
    for (const id of closed) {
      try {
        const info = held.find(({ sessionId }) => sessionId === id);
        if (info?.state === 'running') await client.call('end', { sessionId: id, graceMs: 0 });
        // It removes the journal too, also of a session that it does not know.
        await client.call('forget', { sessionId: id });
        await this.around.removeUploads(id);
        this.tombstones.delete(id);
      } catch (error) {
        this.around.log.warn({ sessionId: id, reason: toFailure(error).message }, 'a closed terminal is still held');
      }
    }
  }
}
