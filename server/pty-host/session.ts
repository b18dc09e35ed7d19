import type { LaunchSpec } from '../../schemas/pty-host';
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
import { Brake, PAUSE_BYTES } from './brake';
import { followImages } from './images';
import { Input, type InputPiece } from './input';
import { Mirror } from './mirror';
import { followShell, type ShellState } from './osc';
import type { Pty, StartPty } from './pty';
import { answerQueries } from './queries';
import { Rate } from './rate';
import type { ReplayItem } from './replay';
import { resetSequence } from './reset';
import type { Pumpable } from './scheduler';
import { SizeRule } from './size-rule';
import type { Send } from './viewer';

/** About five a second. */
const INFO_MS = 200;
const MAX_LAST_LINE = 400;

export interface JournalWriter {
  readonly state: SessionInfo['journal'];
  readonly keptFrom: number;
  readonly lag: number;
  append(bytes: Buffer): void;
  size(offset: number, cols: number, rows: number): void;
  update(change: { exit?: Exit; startedAt?: number; endedAt?: number; title?: string; cwd?: string }): void;
}

/** What a session needs of the world. */
export interface SessionHooks {
  now(): number;
  defer(run: () => void): void;
  later(ms: number, run: () => void): () => void;
  startPty: StartPty;
  /** The session has work for the scheduler. */
  work(): void;
  info(info: SessionInfo): void;
  signal(signal: SessionSignal): void;
  failed(error: unknown): void;
  /** Something floods, so that frames of what is not looked at may come slower. */
  underLoad(): boolean;
  /** The folder of the program in the foreground. */
  folderOf(pid: number): string | undefined;
}

/**
 * One session: a program in a PTY, the screen that its output makes, everyone who looks at it. The session outlives
 * its program: ended, it stays readable and can be started again. No I/O here: PTY, clock and disk are given.
 */
export class Session implements Pumpable {
  readonly mirror: Mirror;
  private readonly shell: ShellState;
  private readonly rate = new Rate();
  private input: Input;
  private pty: Pty | undefined;
  private state: 'running' | 'ended' = 'ended';
  private exit: Exit | undefined;
  private produced: number;
  private revision = 0;
  private startedAt: number;
  private endedAt: number | undefined;
  private notice: SessionInfo['notice'];
  private readonly audience: Audience;
  private readonly sizes: SizeRule;
  private readonly brake: Brake;
  private drained: { at: number; done: () => void }[] = [];
  private endings: (() => void)[] = [];
  private infoTimer: (() => void) | undefined;
  private infoSentAt = 0;
  /** What was told last does not hold all of the output yet. */
  private infoBehind = false;
  private procCwd: string | undefined;
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
    this.startedAt = start.startedAt ?? Date.now();
    const answer = (reply: string): void => {
      if (this.state === 'running' && !this.replaying) this.input.reply(Buffer.from(reply, 'latin1'));
    };
    this.mirror = new Mirror(size, { answer, failed: (error) => hooks.failed(error), now: hooks.now });
    this.mirror.offset = this.produced;
    answerQueries(this.mirror, answer);
    followImages(this.mirror);
    this.shell = followShell(this.mirror, {
      changed: () => this.changed(),
      signal: (signal) => {
        if (!this.replaying) hooks.signal({ ...signal, sessionId: this.id } as SessionSignal);
      },
      now: hooks.now,
    });
    this.input = this.newInput();
    this.audience = new Audience(this.mirror, this.rate, {
      now: hooks.now,
      defer: hooks.defer,
      later: hooks.later,
      work: hooks.work,
      underLoad: hooks.underLoad,
      produced: () => this.produced,
      ended: () => (this.state === 'ended' ? this.exit : undefined),
    });
    this.brake = new Brake({
      now: hooks.now,
      later: hooks.later,
      waiting: () => Math.max(this.mirror.backlog, this.journal?.lag ?? 0),
      pause: () => this.pty?.pause(),
      resume: () => this.pty?.resume(),
      released: hooks.work,
    });
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
    return this.state === 'running';
  }

  /** When its program ended, if it is known. */
  get endedSince(): number | undefined {
    return this.endedAt;
  }

  get pid(): number | undefined {
    return this.pty?.pid;
  }

  get terminal(): string | undefined {
    return this.pty?.terminal;
  }

  /** Output comes faster than anyone reads. */
  get flooding(): boolean {
    return (
      this.state === 'running' &&
      (this.mirror.flooding || this.rate.perSecond(this.hooks.now()) > SLOW_BYTES_PER_SECOND * 2)
    );
  }

  /** A tick is needed every few milliseconds. */
  get restless(): boolean {
    return this.mirror.flooding || this.audience.skipping;
  }

  // ---- the program

  start(spec: LaunchSpec): void {
    if (this.state === 'running') throw new FailureError('session-running', 'The session is running already');
    if (spec.theme) this.mirror.colours.theme = spec.theme;
    if (this.mirror.terminal.options.scrollback !== spec.scrollback) this.setScrollback(spec.scrollback);
    // With somebody looking, their size counts and not the one that was stored.
    this.sizes.set(this.sizes.ownersSize ?? { cols: spec.cols, rows: spec.rows });
    const pty = this.hooks.startPty(spec, this.sizes.size, {
      data: (bytes) => this.guarded(() => this.output(bytes)),
      exit: (exit) => this.guarded(() => this.ended(exit)),
      failed: (error) => this.hooks.failed(error),
    });
    this.pty = pty;
    this.state = 'running';
    this.exit = undefined;
    this.endedAt = undefined;
    this.startedAt = Date.now();
    this.notice = spec.notice;
    this.input = this.newInput();
    this.brake.reset();
    this.procCwd = spec.cwd;
    this.startOffset = this.produced;
    delete this.shell.cwd;
    delete this.shell.progress;
    delete this.shell.busy;
    delete this.shell.lastStatus;
    this.journal?.update({ exit: undefined, endedAt: undefined, startedAt: this.startedAt, cwd: spec.cwd });
    this.audience.programStarted();
    this.changed(true);
  }

  /** Starts it again on the same lines: what the old program left switched on is switched off first, in the stream. */
  async restart(spec: LaunchSpec): Promise<void> {
    if (this.state === 'running') throw new FailureError('session-running', 'The session is running already');
    await this.whenDrained();
    if (this.produced > 0) this.output(Buffer.from(resetSequence(this.mirror)));
    await this.whenDrained();
    this.start(spec);
  }

  /** Resolves when the program's end is known and all its output has come. */
  whenEnded(): Promise<void> {
    return this.running ? new Promise((done) => this.endings.push(done)) : Promise.resolve();
  }

  /** Output of an earlier host, from the journal: no questions are answered and no bells rung. */
  async replay(items: AsyncIterable<ReplayItem>): Promise<void> {
    this.replaying = true;
    for await (const item of items) {
      if ('bytes' in item) {
        this.produced += item.bytes.length;
        this.mirror.write(item.bytes);
      } else if ('missing' in item) {
        await this.leap(item.missing);
      } else {
        this.sizes.size = item;
        this.mirror.resize(item.cols, item.rows);
      }
      if (this.mirror.backlog > PAUSE_BYTES) await this.whenDrained();
    }
    await this.whenDrained();
    this.replaying = false;
  }

  /** Output is missing: its bytes are counted, and a line stands for it if it is long enough for that. */
  private async leap(missing: number): Promise<void> {
    await this.whenDrained();
    const sign = Buffer.from(`${resetSequence(this.mirror)}[…]\r\n`);
    const { produced } = this;
    if (sign.length <= missing) {
      this.produced += sign.length;
      this.mirror.write(sign);
      await this.whenDrained();
    }
    this.produced = produced + missing;
    this.mirror.offset = this.produced;
  }

  /** Says how a program ended that this host never saw. */
  markEnded(
    exit: Exit,
    endedAt: number | undefined,
    known: { title?: string; cwd?: string },
    notice: SessionInfo['notice'],
  ): void {
    this.exit = exit;
    this.endedAt = endedAt;
    this.notice = notice;
    if (known.title && !this.shell.title) this.shell.title = known.title.slice(0, TerminalLimits.maxTitleLength);
    this.procCwd = known.cwd;
    delete this.shell.busy;
    delete this.shell.progress;
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
    if (this.state === 'ended') return;
    this.state = 'ended';
    this.exit = exit;
    this.endedAt = Date.now();
    this.input.close();
    this.pty = undefined;
    delete this.shell.busy;
    delete this.shell.progress;
    this.audience.programEnded(exit);
    this.journal?.update({ exit, endedAt: this.endedAt, title: this.shell.title, cwd: this.cwd() });
    this.hooks.work();
    this.changed(true);
    for (const done of this.endings.splice(0)) done();
  }

  // ---- input

  async write(piece: InputPiece, bytes: Buffer, viewerId: string | undefined): Promise<void> {
    if (this.state === 'ended') throw new FailureError('session-ended', 'The program has ended');
    const viewer = viewerId === undefined ? undefined : this.audience.get(viewerId);
    if (viewer) this.sizes.typed(viewer);
    await this.input.accept(piece, bytes);
  }

  private newInput(): Input {
    return new Input({
      write: (bytes, done) => (this.pty ? this.pty.write(bytes, done) : done()),
      now: this.hooks.now,
      later: this.hooks.later,
    });
  }

  /** A key elsewhere: stands still for a moment if it floods. */
  hold(ms: number): void {
    if (this.flooding && this.pty) this.brake.hold(ms);
  }

  // ---- viewers

  attach(
    id: string,
    options: { cols: number; rows: number; history: number; visibility: Visibility; theme?: TerminalTheme },
    send: Send,
  ): void {
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
    this.pty?.resize(cols, rows);
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
    this.release();
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
    return new Promise((done) => this.drained.push({ at: this.produced, done }));
  }

  private release(all = this.mirror.upToDate): void {
    while (this.drained[0] && (all || this.mirror.offset >= this.drained[0].at)) this.drained.shift()!.done();
  }

  info(): SessionInfo {
    this.askFolder();
    // Higher than any that an earlier host gave out, as it never counts faster than the clock.
    this.revision = Math.max(this.revision + 1, Date.now());
    const { core } = this.mirror;
    const cwd = this.cwd();
    return {
      sessionId: this.id,
      revision: this.revision,
      state: this.state,
      ...(this.pty ? { pid: this.pty.pid } : {}),
      ...(this.exit ? { exit: this.exit } : {}),
      ...this.sizes.size,
      produced: this.produced,
      keptFrom: this.journal?.keptFrom ?? this.produced,
      title: this.shell.title,
      ...(cwd ? { cwd } : {}),
      lastLine: this.mirror.lastLine().slice(0, MAX_LAST_LINE),
      ...(this.shell.progress ? { progress: this.shell.progress } : {}),
      ...(this.shell.busy === undefined ? {} : { busy: this.shell.busy }),
      ...(this.shell.lastStatus === undefined ? {} : { lastStatus: this.shell.lastStatus }),
      altScreen: core._bufferService.buffers.active === core._bufferService.buffers.alt,
      journal: this.journal?.state ?? { state: 'off' },
      ...(this.notice ? { notice: this.notice } : {}),
      startedAt: this.startedAt,
      ...(this.endedAt === undefined ? {} : { endedAt: this.endedAt }),
    };
  }

  private cwd(): string | undefined {
    return this.shell.cwd ?? this.procCwd;
  }

  private askFolder(): void {
    // Before it has printed anything it may not even have been started in its folder.
    if (this.pty && this.produced > this.startOffset) this.procCwd = this.hooks.folderOf(this.pty.pid) ?? this.procCwd;
  }

  /** Something that `info` tells has changed; it is sent soon, `now` at once. */
  changed(now = false): void {
    if (this.disposed || this.replaying) return;
    if (now) {
      this.infoTimer?.();
      this.infoTimer = undefined;
      this.sendInfo();
    } else if (!this.infoTimer) {
      const wait = Math.max(INFO_MS - (this.hooks.now() - this.infoSentAt), INFO_MS / 10);
      this.infoTimer = this.hooks.later(wait, () => {
        this.infoTimer = undefined;
        this.sendInfo();
      });
    }
  }

  private sendInfo(): void {
    this.infoSentAt = this.hooks.now();
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
    this.pty?.close();
    this.pty = undefined;
    this.disposed = true;
    this.infoTimer?.();
    this.sizes.dispose();
    this.brake.dispose();
    this.input.close();
    this.release(true);
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
