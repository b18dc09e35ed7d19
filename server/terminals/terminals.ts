import { CanvasLimits, type Project } from '../../schemas/canvas';
import type { PtyHostClient } from '../../schemas/pty-host';
import type { CallArgs, CallResults, PtyHostState } from '../../schemas/realtime';
import { type Failure, FailureError } from '../../schemas/result';
import { type SessionInfo, type SessionView, TerminalLimits } from '../../schemas/terminals';
import type { Canvases } from '../canvas';
import type { Projects } from '../project';
import type { Broadcast } from '../realtime';
import type { SettingsRoom } from '../settings';
import type { Storage } from '../storage';
import { Attention } from './attention';
import { HostLink } from './host-link';
import { journalsIn } from './journals';
import { type LaunchSurroundings, launchSpec } from './launch';
import type { Log } from './log';
import { chooseShell } from './program';
import { Recovery } from './recovery';
import { Removals } from './removals';
import { SessionBook } from './session-book';
import { SessionNews } from './session-news';
import { Starts } from './starts';
import { Uploads } from './uploads';
import { Viewers } from './viewers';

/** Folder and size are stored at most this often; they change with every `cd` and drag. */
const STORE_EVERY_MS = 1000;

/** Where the first terminal of a new canvas lies; clear of the page's corners at zoom 1. */
const FIRST_PLACE = { x: 80, y: 100 };

export interface TerminalsSurroundings extends LaunchSurroundings {
  storage: Storage;
  dataDir: string;
  broadcast: Broadcast;
  settings: SettingsRoom;
  canvases: Canvases;
  projects: Projects;
  /** Finds the running pty host of this data folder or starts one. */
  connect: () => Promise<PtyHostClient>;
  log: Log;
}

/** Sessions as the server sees them: their records, their cards, and the pty host in which they run. */
export class Terminals {
  readonly viewers = new Viewers();
  readonly uploads: Uploads;
  readonly link: HostLink;
  readonly attention: Attention;
  private readonly book: SessionBook;
  private readonly news: SessionNews;
  private readonly recovery: Recovery;
  private readonly starts: Starts;
  private readonly removals: Removals;
  private readonly unstored = new Set<string>();
  /** The host that was met last, also while calls of tabs still wait. */
  private meeting: PtyHostClient | undefined;
  private storeTimer: NodeJS.Timeout | undefined;

  constructor(private readonly around: TerminalsSurroundings) {
    const { storage, dataDir, broadcast, canvases, projects, log } = around;
    this.uploads = new Uploads(dataDir);
    this.news = new SessionNews(broadcast);
    this.book = new SessionBook(storage, (view) => {
      // The end of one that a person closes is no news to them.
      if (!this.removals.has(view.record.id)) this.attention.seen(view);
      this.news.take(view);
    });
    this.attention = new Attention(storage, broadcast, log, (id) => this.book.isKnown(id));
    this.recovery = new Recovery({
      storage,
      book: this.book,
      canvases,
      projects,
      log,
      scrollback: () => around.settings.current().scrollback,
      defaultShell: () => this.shell(),
      removeUploads: (sessionId) => this.uploads.removeSession(sessionId),
      journals: () => journalsIn(dataDir),
      restored: (sessionId) => this.reattach(sessionId),
    });
    this.link = new HostLink(
      around.connect,
      {
        changed: (state) => broadcast('pty-host:changed', state),
        connected: (client) => this.connected(client),
        lost: (reason) => this.lost(reason),
      },
      log,
    );
    this.removals = new Removals({
      canvases,
      log,
      book: this.book,
      recovery: this.recovery,
      uploads: this.uploads,
      // Without a host nothing runs, and closing needs none; a host that we cannot talk to may still run it.
      host: async (sessionId) => (this.link.current.state === 'gone' ? undefined : this.hostOf(sessionId)),
      stored: (sessionId) => this.attention.deleteStored(sessionId),
      removed: (sessionId) => {
        this.unstored.delete(sessionId);
        this.viewers.removeSession(sessionId);
        this.attention.dropped(sessionId);
        this.news.dropped(sessionId);
        broadcast('session:removed', { sessionId });
      },
    });
    this.starts = new Starts({
      launch: around,
      storage,
      canvases,
      projects,
      settings: around.settings,
      log,
      book: this.book,
      recovery: this.recovery,
      host: () => this.link.ready(),
      shell: () => this.shell(),
      require: (sessionId) => this.require(sessionId),
      heard: (info) => this.heard(info),
      undone: (sessionId) => {
        this.book.dropped(sessionId);
        this.attention.settle([sessionId]);
      },
    });
    canvases.listen({
      deleting: (sessionIds) => this.canvasDeleting(sessionIds),
      discarded: () => this.recovery.shelter(),
    });
  }

  views(): SessionView[] {
    return this.book.views();
  }

  get ptyHost(): PtyHostState {
    return this.link.current;
  }

  corrupt(): { table: string; id: string; reason: string }[] {
    return [
      ...this.book.corrupt().map((record) => ({ table: 'sessions', ...record })),
      ...this.attention.corrupt().map((record) => ({ table: 'needs', ...record })),
    ];
  }

  /** Adopts or starts the pty host; resolves when the first attempt has ended. Projects must be open before. */
  async start(): Promise<void> {
    await this.link.start();
    const { projects } = this.around;
    projects.listen((project) => this.welcome(project));
    const newest = projects.list()[0];
    if (newest) await this.welcome(newest);
  }

  /** A person who opens a project for the first time finds a shell in it. */
  private async welcome(project: Project): Promise<void> {
    if (!this.link.now) return;
    const { canvases, log } = this.around;
    const { canvas, revision, items, corrupt } = canvases.open(canvases.ensure(project.id).id);
    if (revision > 0 || items.length + corrupt.length > 0) return;
    const { width, height } = CanvasLimits.card;
    const { cols, rows } = TerminalLimits;
    try {
      const opId = `first-${canvas.id}`;
      await this.create({ opId, canvasId: canvas.id, ...FIRST_PLACE, width, height, cols, rows });
    } catch (error) {
      log.error({ reason: String(error) }, 'the first terminal could not be started');
    }
  }

  /** Lets go of the pty host, or ends it with all that runs in it. Throws when one that may be there was not told to. */
  async stop({ endSessions = false } = {}): Promise<void> {
    clearTimeout(this.storeTimer);
    this.news.stop();
    this.store();
    // A host that is only being reached, or does not answer yet, holds sessions too.
    let unreached: unknown;
    if (endSessions && !this.link.now) {
      await this.link.ready().catch((error: unknown) => {
        // Where there is none, nothing is left to end.
        if (this.link.current.state !== 'gone') unreached = error;
      });
    }
    await this.link.stop(endSessions ? (client) => client.call('shutdown', { endSessions: true }) : undefined);
    if (unreached) throw unreached;
  }

  require(sessionId: string): SessionView {
    const view = this.book.view(sessionId);
    if (!view) throw new FailureError('session-missing', 'This terminal is not there any more.', { sessionId });
    return view;
  }

  /** The client, when it knows this session as far as anything is known of it. */
  async hostOf(sessionId: string): Promise<PtyHostClient> {
    this.require(sessionId);
    const client = await this.link.ready();
    await this.recovery.ensureRestored(client, sessionId);
    return client;
  }

  /** Like `hostOf`, for what can only be asked of a session of which a screen is there. */
  async hostWithScreen(sessionId: string): Promise<PtyHostClient> {
    const client = await this.hostOf(sessionId);
    if (this.recovery.hasNoScreen(sessionId)) {
      throw new FailureError('no-screen', 'The process is gone and nothing of its output was kept on disk.', {
        sessionId,
      });
    }
    return client;
  }

  heard(info: SessionInfo): SessionInfo {
    const seen = this.book.heard(info);
    const record = this.book.record(info.sessionId);
    if (record && (differs(seen.cwd, record.cwd) || seen.cols !== record.cols || seen.rows !== record.rows)) {
      this.unstored.add(info.sessionId);
      this.storeTimer ??= setTimeout(() => this.store(), STORE_EVERY_MS).unref();
    }
    return seen;
  }

  create(args: CallArgs<'terminal:create'>): Promise<CallResults['terminal:create']> {
    return this.starts.create(args);
  }

  async restart({ sessionId, cols, rows }: CallArgs<'terminal:restart'>): Promise<SessionView> {
    this.refuseClosing(sessionId);
    const client = await this.hostOf(sessionId);
    // Another tab may have closed it meanwhile: what is started now would be seen by nobody.
    this.refuseClosing(sessionId);
    const { record, info } = this.require(sessionId);
    // A repeated message, or two tabs at once: it was started again already.
    if (info?.state === 'running') return this.require(sessionId);
    const scrollback = this.around.settings.current().scrollback;
    const cwd = info?.cwd ?? record.cwd;
    const spec = launchSpec({ ...record, cwd, cols, rows, scrollback }, this.around);
    try {
      const { info: started } = await client.call('restart', { sessionId, spec });
      this.recovery.started(sessionId);
      this.heard(started);
    } catch (error) {
      // Another tab was first, and its news came before this answer.
      if (!(error instanceof FailureError && error.code === 'session-running')) throw error;
      this.recovery.started(sessionId);
    }
    return this.require(sessionId);
  }

  private refuseClosing(sessionId: string): void {
    if (!this.removals.has(sessionId)) return;
    throw new FailureError('session-missing', 'This terminal is being closed.', { sessionId });
  }

  rename(sessionId: string, name: string | null): SessionView {
    this.require(sessionId);
    return this.book.change(sessionId, { name: name ?? undefined });
  }

  /** Stores and tells that it is to be closed at that time, or no longer is. */
  setClosing(sessionId: string, until: number | undefined): SessionView {
    this.require(sessionId);
    return this.book.change(sessionId, { closingAt: until });
  }

  async journal(sessionId: string, on: boolean): Promise<SessionView> {
    const client = await this.hostOf(sessionId);
    if (!this.recovery.hasNoScreen(sessionId)) this.heard((await client.call('journal', { sessionId, on })).info);
    return this.book.change(sessionId, { journal: on });
  }

  async processes(sessionId: string): Promise<CallResults['terminal:processes']> {
    const client = await this.hostOf(sessionId);
    if (this.recovery.hasNoScreen(sessionId)) return { processes: [] };
    return client.call('processes', { sessionId });
  }

  /** Ends what runs, then removes card, record, journal and uploads. A repeated close of one that is gone is harmless. */
  close(sessionId: string): Promise<CallResults['terminal:close']> {
    return this.removals.close(sessionId);
  }

  private async canvasDeleting(sessionIds: string[]): Promise<void> {
    // What is closing anyway keeps nothing.
    const kept = sessionIds.filter((id) => this.book.record(id)?.closingAt === undefined);
    const running = kept.filter((id) => this.book.info(id)?.state === 'running');
    if (running.length > 0) {
      throw new FailureError('canvas-busy', `${running.length} terminals run on this canvas. Close them first.`, {
        count: running.length,
      });
    }
    for (const id of sessionIds) await this.close(id);
  }

  private async connected(client: PtyHostClient): Promise<void> {
    const { broadcast, log } = this.around;
    this.viewers.relay(client);
    client.on('session', (info) => {
      this.starts.seen(client, info.sessionId);
      this.heard(info);
      this.recovery.heard(info.sessionId);
    });
    client.on('signal', (signal) => {
      this.attention.signal(signal);
      broadcast('session:signal', signal);
    });
    client.on('removed', (sessionId) => {
      if (this.book.record(sessionId) && !this.removals.has(sessionId)) this.recovery.vanished(sessionId);
    });
    client.on('gone', () => this.recovery.lost(client));
    const held = await this.recovery.meet(client);
    this.meeting = client;
    for (const id of held) this.reattach(id);
    const lost = this.book.ids().filter((id) => !held.has(id));
    // Those that somebody looks at come first.
    for (const id of lost.filter((id) => this.viewers.of(id).length > 0)) {
      void this.recovery.ensureRestored(client, id).catch(() => undefined);
    }
    void this.recovery.restoreAll(client).catch((error: unknown) => {
      log.error({ reason: String(error) }, 'restoring ended terminals stopped');
    });
    void this.uploads
      .sweep((id) => held.has(id) || this.book.isKnown(id))
      .catch((error: unknown) => log.warn({ reason: String(error) }, 'old uploads could not be removed'));
  }

  private reattach(sessionId: string): void {
    for (const attach of this.viewers.of(sessionId)) {
      this.meeting?.call('attach', attach).then(
        ({ info }) => this.heard(info),
        (error: unknown) =>
          this.around.log.warn({ sessionId, reason: String(error) }, 'a view could not be attached again'),
      );
    }
  }

  private lost(reason: Failure): void {
    // A host of another version still runs them; we only cannot see them.
    if (reason.code === 'pty-host-mismatch') return;
    for (const id of this.book.ids()) {
      if (this.book.info(id)?.state !== 'running') continue;
      this.book.markEnded(id, { code: 'pty-host-gone', params: { reason: reason.message.slice(0, 300) } });
    }
  }

  private shell(): string {
    return chooseShell(this.around.settings.current().shell, this.around.userEnv.SHELL);
  }

  private store(): void {
    this.storeTimer = undefined;
    for (const id of this.unstored) {
      const record = this.book.record(id);
      const info = this.book.info(id);
      try {
        if (record && info) {
          this.book.put({ ...record, cwd: info.cwd ?? record.cwd, cols: info.cols, rows: info.rows });
        }
        this.unstored.delete(id);
      } catch (error) {
        this.around.log.warn({ sessionId: id, reason: String(error) }, 'the folder of a terminal could not be stored');
      }
    }
  }
}

function differs(now: string | undefined, before: string): boolean {
  return now !== undefined && now !== before;
}
