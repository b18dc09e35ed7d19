import { createHash } from 'node:crypto';
import { nanoid } from 'nanoid';
import type { LaunchSpec, PtyHostClient } from '../../schemas/pty-host';
import type { CallArgs, CallResults } from '../../schemas/realtime';
import { FailureError } from '../../schemas/result';
import { type SessionInfo, type SessionRecord, type SessionView, TerminalLimits } from '../../schemas/terminals';
import type { Canvases } from '../canvas';
import type { Projects } from '../project';
import type { SettingsRoom } from '../settings';
import { hashOf, Operations, operationReused, type Storage } from '../storage';
import { type LaunchSurroundings, launchSpec } from './launch';
import type { Log } from './log';
import type { Recovery } from './recovery';
import { forget } from './removals';
import type { SessionBook } from './session-book';

export interface StartsSurroundings {
  launch: LaunchSurroundings;
  storage: Storage;
  canvases: Canvases;
  projects: Projects;
  settings: SettingsRoom;
  log: Log;
  book: SessionBook;
  recovery: Recovery;
  /** The pty host, when it is there. */
  host: () => Promise<PtyHostClient>;
  /** The program of a terminal that is like no other. */
  shell: () => string;
  require: (sessionId: string) => SessionView;
  heard: (info: SessionInfo) => SessionInfo;
  /** One that came to be did not stay. */
  undone: (sessionId: string) => void;
}

/** Makes sessions with their cards: each asked-for one once, however often it is asked for. */
export class Starts {
  private readonly operations: Operations;
  private readonly running = new Map<string, { asked: string; made: Promise<CallResults['terminal:create']> }>();
  /** A start that the pty host did not answer in time: should the session come to be after all, it is ended. */
  private readonly givenUp = new Set<string>();
  private readonly discarding = new Map<string, Promise<unknown>>();

  constructor(private readonly around: StartsSurroundings) {
    this.operations = Operations.of(around.storage);
  }

  /** The pty host tells of a session; one that was given up is ended. */
  seen(client: PtyHostClient, sessionId: string): void {
    if (!this.givenUp.delete(sessionId)) return;
    this.discard(client, sessionId).catch((error: unknown) => {
      this.around.log.warn({ sessionId, reason: String(error) }, 'a late terminal could not be ended');
    });
  }

  create(args: CallArgs<'terminal:create'>): Promise<CallResults['terminal:create']> {
    const asked = hashOf(args);
    const running = this.running.get(args.opId);
    if (running) return running.asked === asked ? running.made : Promise.reject(operationReused(args.opId));
    const made = this.createOnce(args).finally(() => this.running.delete(args.opId));
    this.running.set(args.opId, { asked, made });
    return made;
  }

  /**
   * Started first, stored when it runs: if the start fails nothing is left, and if the server dies in between, the
   * running session is recovered by the next one. Its id comes from the operation's, so that a tab that repeats itself
   * gets that session, moved to where it was asked for, and not a second one.
   */
  private async createOnce(args: CallArgs<'terminal:create'>): Promise<CallResults['terminal:create']> {
    const { canvases, projects, settings, book, recovery, launch } = this.around;
    const done = this.operations.recall('terminal:create', args.opId, args);
    if (typeof done === 'string') {
      const item = canvases.cards().find((card) => card.sessionId === done);
      if (item) {
        const { canvasId: _canvasId, ...card } = item;
        return { item: card, session: this.around.require(done) };
      }
      throw closedAlready(done);
    }
    const id = sessionIdOf(args.opId);
    if (!book.record(id) && book.size + this.running.size >= TerminalLimits.maxSessions) {
      throw new FailureError(
        'too-many-sessions',
        `There are ${TerminalLimits.maxSessions} terminals already. Close one first.`,
        { max: TerminalLimits.maxSessions },
      );
    }
    const canvas = canvases.get(args.canvasId);
    const like = args.likeSessionId === undefined ? undefined : this.around.require(args.likeSessionId);
    const project = projects.get(canvas.projectId);
    const { cols, rows } = args;
    const record: SessionRecord = {
      v: 1,
      id,
      projectId: canvas.projectId,
      program: like?.record.program ?? this.around.shell(),
      args: like?.record.args ?? [],
      cwd: args.cwd ?? like?.info?.cwd ?? like?.record.cwd ?? project?.folder ?? '/',
      cols,
      rows,
      createdAt: Date.now(),
      journal: like?.record.journal ?? settings.current().journal,
    };
    const client = await this.around.host();
    const spec = launchSpec({ ...record, theme: args.theme, scrollback: settings.current().scrollback }, launch);
    await this.discarding.get(id);
    if (recovery.isBuried(id)) throw closedAlready(id);
    const recovered = book.record(id);
    if (!recovered) this.around.heard(await this.startNew(client, id, spec));
    try {
      const { x, y, width, height } = args;
      const card = canvases.cards(canvas.id).find(({ sessionId }) => sessionId === id);
      const item = canvases.moveCard(
        canvas.id,
        { id: card?.id ?? nanoid(), sessionId: id, x, y, width, height },
        {
          stored: () => {
            book.put(recovered ? { ...record, ...asRecovered(recovered) } : { ...record, cwd: spec.cwd });
            this.operations.remember('terminal:create', args.opId, args, id);
          },
          committed: () => book.tell(id),
        },
      );
      return { item, session: this.around.require(id) };
    } catch (error) {
      // One that was recovered stays where it is shown.
      if (recovered) throw error;
      this.around.undone(id);
      await this.discard(client, id);
      throw error;
    }
  }

  /** A start that was asked for before, and whose answer was lost, is as good. */
  private async startNew(client: PtyHostClient, id: string, spec: LaunchSpec): Promise<SessionInfo> {
    this.givenUp.delete(id);
    try {
      return (await client.call('start', { sessionId: id, spec })).info;
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      if (error.code === 'pty-host-timeout') this.givenUp.add(id);
      if (error.code !== 'session-exists') throw error;
      const info = (await client.call('list', {})).sessions.find(({ sessionId }) => sessionId === id);
      if (!info) throw error;
      return info;
    }
  }

  /** Nobody has seen it. */
  private async discard(client: PtyHostClient, sessionId: string): Promise<void> {
    const discarded = client
      .call('end', { sessionId, graceMs: 0 })
      .then(() => forget(client, sessionId))
      .finally(() => this.discarding.delete(sessionId));
    // A repeated start waits for it, whatever comes of it.
    this.discarding.set(
      sessionId,
      discarded.catch(() => undefined),
    );
    await discarded;
  }
}

/** The session that an operation makes, the same each time it is asked for. */
function sessionIdOf(opId: string): string {
  return createHash('sha256').update(`terminal:create ${opId}`).digest('base64url').slice(0, 21);
}

/** What is known of a recovered session itself; the rest was made up. */
function asRecovered({ name, cwd, cols, rows, createdAt, journal }: SessionRecord): Partial<SessionRecord> {
  return { ...(name === undefined ? {} : { name }), cwd, cols, rows, createdAt, journal };
}

function closedAlready(sessionId: string): FailureError {
  return new FailureError('session-missing', 'This terminal was closed already.', { sessionId });
}
