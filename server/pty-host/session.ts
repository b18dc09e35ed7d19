import type { LaunchSpec, PtyHostArgs } from '../../schemas/pty-host';
import { FailureError } from '../../schemas/result';
import {
  type Exit,
  type SessionInfo,
  type SessionSignal,
  TerminalLimits,
  type TerminalTheme,
  type Visibility,
} from '../../schemas/terminals';
import { Audience, SLOW_BYTES_PER_SECOND } from './audience';
import { Brake } from './brake';
import { DrainWaiters } from './drain-waiters';
import type { InputPiece } from './input';
import type { Mirror } from './mirror';
import { News } from './news';
import { forgetShell, type ShellState, shellEnded } from './osc';
import { Program } from './program';
import { Rate } from './rate';
import { type ReplayItem, showAgain } from './replay';
import { Replies } from './replies';
import { resetSequence } from './reset';
import type { Pumpable } from './scheduler';
import type { JournalWriter, SessionHooks } from './session-hooks';
import { describeSession } from './session-info';
import { sessionScreen } from './session-screen';
import { SizeRule } from './size-rule';
import type { Send } from './viewer';

/**
 * One session: a program in a PTY, the screen that its output makes, everyone who looks at it. The session outlives
 * its program: ended, it stays readable and can be started again. No I/O here: PTY, clock and disk are given.
 */
export class Session implements Pumpable {
  readonly mirror: Mirror;
  private readonly shell: ShellState;
  private readonly rate = new Rate();
  private readonly program: Program;
  private readonly replies: Replies;
  private produced: number;
  private revision = 0;
  private readonly audience: Audience;
  private readonly sizes: SizeRule;
  private readonly brake: Brake;
  private readonly news: News;
  private readonly drained = new DrainWaiters();
  /** What was told last does not hold all of the output yet. */
  private infoBehind = false;
  /** What was printed before the last start. */
  private startOffset = 0;
  private replaying = false;
  private disposed = false;
  private writer: JournalWriter | undefined;

  constructor(
    readonly id: string,
    size: { cols: number; rows: number; scrollback: number },
    private readonly hooks: SessionHooks,
    start: { offset?: number; startedAt?: number } = {},
  ) {
    this.produced = start.offset ?? 0;
    this.program = new Program(hooks, start.startedAt);
    this.replies = new Replies({ now: hooks.now, later: hooks.later, send: (text) => this.program.reply(text) });
    const answer = (reply: string): void => {
      if (!this.replaying) this.replies.add(reply);
    };
    const screen = sessionScreen(size, this.produced, {
      now: hooks.now,
      answer,
      changed: () => this.changed(),
      signal: (signal) => {
        if (!this.replaying) hooks.signal({ ...signal, sessionId: this.id } as SessionSignal);
      },
      failed: (error) => hooks.failed(error),
    });
    this.mirror = screen.mirror;
    this.shell = screen.shell;
    this.audience = new Audience(this.mirror, this.rate, {
      now: hooks.now,
      defer: hooks.defer,
      later: hooks.later,
      work: hooks.work,
      underLoad: hooks.underLoad,
      produced: () => this.produced,
      ended: () => (this.running ? undefined : this.program.exit),
    });
    this.brake = new Brake({
      now: hooks.now,
      later: hooks.later,
      waiting: () => Math.max(this.mirror.backlog, this.journal?.lag ?? 0),
      pause: () => this.program.pause(),
      resume: () => this.program.resume(),
      released: hooks.work,
    });
    this.news = new News({ now: hooks.now, later: hooks.later, send: () => this.sendInfo() });
    this.sizes = new SizeRule(
      { cols: size.cols, rows: size.rows },
      { now: hooks.now, later: hooks.later, apply: (next) => this.resize(next), viewers: () => this.audience.all() },
    );
  }

  /** Absent: output is not kept on disk. */
  get journal(): JournalWriter | undefined {
    return this.writer;
  }

  set journal(journal: JournalWriter | undefined) {
    this.writer = journal;
    this.journalWritten();
  }

  /** The disk has taken output, or does not want it any more: the program may have to wait no longer. */
  journalWritten(): void {
    this.brake.check();
  }

  get running(): boolean {
    return this.program.running;
  }

  /** When its program ended, if it is known. */
  get endedSince(): number | undefined {
    return this.program.endedAt;
  }

  get pid(): number | undefined {
    return this.program.pid;
  }

  get terminal(): string | undefined {
    return this.program.terminal;
  }

  /** Output comes faster than anyone reads. */
  get flooding(): boolean {
    return this.running && (this.mirror.flooding || this.rate.perSecond(this.hooks.now()) > SLOW_BYTES_PER_SECOND * 2);
  }

  /** A tick is needed every few milliseconds. */
  get restless(): boolean {
    return this.mirror.flooding || this.audience.skipping;
  }

  // ---- the program

  start(spec: LaunchSpec): void {
    if (this.running) throw new FailureError('session-running', 'The session is running already');
    if (spec.theme) this.mirror.colours.theme = spec.theme;
    if (this.mirror.terminal.options.scrollback !== spec.scrollback) this.setScrollback(spec.scrollback);
    // With somebody looking, their size counts and not the one that was stored.
    this.sizes.set(this.sizes.ownersSize ?? { cols: spec.cols, rows: spec.rows });
    this.program.start(spec, this.sizes.size, {
      data: (bytes) => this.guarded(() => this.output(bytes)),
      exit: (exit) => this.guarded(() => this.ended(exit)),
      failed: (error) => this.hooks.failed(error),
    });
    this.brake.reset();
    this.startOffset = this.produced;
    forgetShell(this.shell);
    this.journal?.update({ exit: undefined, endedAt: undefined, startedAt: this.program.startedAt, cwd: spec.cwd });
    this.audience.programStarted();
    this.changed(true);
  }

  /** Starts it again on the same lines: what the old program left switched on is switched off first, in the stream. */
  async restart(spec: LaunchSpec): Promise<void> {
    if (this.running) throw new FailureError('session-running', 'The session is running already');
    await this.whenDrained();
    if (this.produced > 0) this.output(Buffer.from(resetSequence(this.mirror)));
    await this.whenDrained();
    this.start(spec);
  }

  /** Resolves when the program's end is known and all its output has come. */
  whenEnded(): Promise<void> {
    return this.program.whenEnded();
  }

  /** Output of an earlier host, from the journal: no questions are answered and no bells rung. */
  async replay(items: AsyncIterable<ReplayItem>): Promise<void> {
    this.replaying = true;
    await showAgain(items, {
      mirror: this.mirror,
      upToDate: () => this.whenDrained(),
      offset: (offset) => {
        this.produced = offset;
      },
      size: (size) => {
        this.sizes.size = size;
      },
    });
    this.replaying = false;
  }

  /** Says how a program ended that this host never saw. */
  markEnded(
    exit: Exit,
    endedAt: number | undefined,
    known: { title?: string; cwd?: string },
    notice: SessionInfo['notice'],
  ): void {
    Object.assign(this.program, { exit, endedAt, notice, folder: known.cwd });
    if (known.title && !this.shell.title) this.shell.title = known.title.slice(0, TerminalLimits.maxTitleLength);
    shellEnded(this.shell);
  }

  private setScrollback(lines: number): void {
    this.mirror.terminal.options.scrollback = lines;
    this.audience.mirrorChanged();
  }

  private output(bytes: Buffer): void {
    if (this.disposed || bytes.length === 0) return;
    this.produced += bytes.length;
    this.rate.add(bytes.length, this.hooks.now());
    this.journal?.append(bytes);
    this.audience.output(bytes);
    this.mirror.write(bytes);
    this.brake.check();
    this.hooks.work();
    this.changed();
  }

  private ended(exit: Exit): void {
    if (!this.running) return;
    this.program.ended(exit);
    this.replies.clear();
    shellEnded(this.shell);
    this.audience.programEnded(exit);
    this.journal?.update({ exit, endedAt: this.program.endedAt, title: this.shell.title, cwd: this.cwd() });
    this.hooks.work();
    this.changed(true);
    this.program.tellEnded();
  }

  // ---- input

  async write(piece: InputPiece, bytes: Buffer, viewerId: string | undefined): Promise<void> {
    if (!this.running) throw new FailureError('session-ended', 'The program has ended');
    const viewer = viewerId === undefined ? undefined : this.audience.get(viewerId);
    if (viewer) this.sizes.typed(viewer);
    await this.program.write(piece, bytes);
  }

  /** A key elsewhere: stands still for a moment if it floods. */
  hold(ms: number): void {
    if (!this.flooding) return;
    this.brake.hold(ms);
    this.audience.typedElsewhere();
  }

  // ---- viewers

  attach(id: string, options: Omit<PtyHostArgs<'attach'>, 'viewerId' | 'sessionId'>, send: Send): void {
    this.detach(id);
    if (options.theme) this.setTheme(options.theme);
    const viewer = this.audience.attach(id, options, send);
    this.sizes.attached(viewer, this.audience.size === 1);
  }

  detach(id: string): void {
    const viewer = this.audience.detach(id);
    if (viewer) this.sizes.detached(viewer);
  }

  setVisibility(id: string, visibility: Visibility): void {
    this.audience.setVisibility(id, visibility);
  }

  resync(id: string, history: number): void {
    this.audience.resync(id, history);
  }

  resizeViewer(id: string, cols: number, rows: number): void {
    const viewer = this.audience.known(id);
    viewer.size = { cols, rows };
    this.sizes.resized(viewer);
  }

  setTheme(theme: TerminalTheme): void {
    this.mirror.colours.theme = theme;
  }

  ack(id: string, offset: number): void {
    this.audience.get(id)?.ack(offset);
  }

  frameAck(id: string, frameNumber: number): void {
    this.audience.get(id)?.frameAck(frameNumber);
  }

  private resize({ cols, rows }: { cols: number; rows: number }): void {
    this.program.resize(cols, rows);
    this.journal?.size(this.produced, cols, rows);
    this.audience.resized({ cols, rows });
    this.mirror.resize(cols, rows);
    this.hooks.work();
    this.changed(true);
  }

  // ---- work in slices

  pump(): boolean {
    if (this.disposed) return false;
    if (this.audience.pumpSnapshot()) return this.audience.snapshotWaiting || !this.mirror.upToDate;
    if (this.brake.held && !this.audience.snapshotWaiting) return false;
    const more = this.mirror.pump();
    this.brake.check();
    this.drained.reached(this.mirror.upToDate ? Number.POSITIVE_INFINITY : this.mirror.offset);
    if (this.infoBehind && this.mirror.upToDate) this.changed();
    return more || (this.audience.snapshotWaiting && this.mirror.snapshotReady);
  }

  /** To be called every few milliseconds while `restless`. */
  tick(): void {
    if (this.brake.held) return;
    if (this.mirror.flooding) {
      this.mirror.tick();
      if (!this.mirror.flooding) this.hooks.work();
    }
    this.audience.tick();
  }

  // ---- what is known

  /** The last lines as text. */
  async text(count: number): Promise<string[]> {
    await this.whenDrained();
    return this.mirror.text(count);
  }

  /** The screen shows all that has come by now. */
  whenDrained(): Promise<void> {
    this.mirror.endFlood();
    if (this.mirror.upToDate) return Promise.resolve();
    this.hooks.work();
    return this.drained.wait(this.produced);
  }

  info(): SessionInfo {
    // Before it has printed anything it may not even have been started in its folder.
    if (this.produced > this.startOffset) this.program.askFolder();
    // Higher than any that an earlier host gave out, as it never counts faster than the clock.
    this.revision = Math.max(this.revision + 1, Date.now());
    return describeSession({
      id: this.id,
      revision: this.revision,
      size: this.sizes.size,
      produced: this.produced,
      cwd: this.cwd(),
      program: this.program,
      shell: this.shell,
      mirror: this.mirror,
      journal: this.journal,
    });
  }

  private cwd(): string | undefined {
    return this.shell.cwd ?? this.program.folder;
  }

  /** Something that `info` tells has changed; it is sent soon, `now` at once. */
  changed(now = false): void {
    if (!this.disposed && !this.replaying) this.news.changed(now);
  }

  private sendInfo(): void {
    this.infoBehind = !this.mirror.upToDate;
    this.guarded(() => {
      const known = this.cwd();
      this.hooks.info(this.info());
      if (this.cwd() !== known) this.journal?.update({ cwd: this.cwd(), title: this.shell.title });
    });
  }

  /** Lets go of everything; the program is told by the kernel. */
  dispose(): void {
    // What it printed last is still read and written down.
    this.program.dispose();
    this.replies.clear();
    this.disposed = true;
    this.news.dispose();
    this.sizes.dispose();
    this.brake.dispose();
    this.drained.reached(Number.POSITIVE_INFINITY);
    this.mirror.dispose();
    this.audience.clear();
  }

  /** A fault in one session is logged and stays there. */
  private guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.hooks.failed(error);
    }
  }
}
