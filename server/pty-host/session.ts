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
import { frame } from './frame';
import { followImages } from './images';
import { Input, type InputPiece } from './input';
import { Mirror } from './mirror';
import { followShell, type ShellState } from './osc';
import type { Pty, StartPty } from './pty';
import { answerQueries } from './queries';
import { Rate } from './rate';
import { resetSequence } from './reset';
import type { Pumpable } from './scheduler';
import { historyLines, snapshot } from './snapshot';
import { parts } from './utf8';
import { type Send, Viewer } from './viewer';

/** The PTY is paused when this much waits for the mirror or for the disk, and goes on below the second figure. */
const PAUSE_BYTES = 4 * 1024 * 1024;
const RESUME_BYTES = 1024 * 1024;
/** One part of a snapshot. */
const PART_BYTES = 64 * 1024;
/** Text that is gathered before it is made a part; a row adds at most some tens of KB. */
const PART_CHARACTERS = 24 * 1024;
const FRAME_MS = 24;
/** For viewers that are visible but not looked at, while something floods. */
const BACKGROUND_FRAME_MS = 100;
/** Nothing new for this long: the viewer goes live. */
const STILL_MS = 150;
/** Or slower than this for this long: output that never ends must not keep a viewer on frames for ever. */
const SLOW_BYTES_PER_SECOND = 100 * 1024;
const SLOW_MS = 300;
/** Faster than that but steady: tried after longer, and ever longer when it did not last. */
const BRISK_BYTES_PER_SECOND = 1024 * 1024;
const BRISK_MS = 1500;
const MAX_PATIENCE_MS = 12_000;
const RELAPSE_MS = 3000;
/** A drag sends a size per step; the program is told the first and then the last. */
const RESIZE_QUIET_MS = 100;
/** A reload detaches and attaches again: the size waits this long for it. */
const SIZE_HANDOVER_MS = 1000;
/** A synchronized update is not shown half done, unless it takes this long. */
const SYNCHRONIZED_MS = 100;
/** About five a second. */
const INFO_MS = 200;
const MAX_LAST_LINE = 400;
/** How long a snapshot waits for the end of a picture that is being received. */
const SEQUENCE_WAIT_MS = 2000;

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

interface SnapshotJob {
  viewer: Viewer;
  /** Taken once the mirror is there. */
  from: number;
  since: number;
  rows?: Generator<string, void, void>;
  part: number;
  text: string;
  header?: { offset: number; cols: number; rows: number; history: number; historyTotal: number };
  unfinished?: Uint8Array;
}

/**
 * One session: a program in a PTY, the screen that its output makes, everyone who looks at it. The session outlives
 * its program: ended, it stays readable and can be started again. No I/O here: PTY, clock and disk are given.
 */
export class Session implements Pumpable {
  readonly mirror: Mirror;
  private readonly shell: ShellState;
  private readonly viewers = new Map<string, Viewer>();
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
  private size: { cols: number; rows: number };
  private wantedSize: { cols: number; rows: number } | undefined;
  private resizedAt = 0;
  private cancelResize: (() => void) | undefined;
  private cancelHandover: (() => void) | undefined;
  private sizeOwner: string | undefined;
  private ptyPaused = false;
  private heldUntil = 0;
  private cancelHold: (() => void) | undefined;
  private snapshots: SnapshotJob[] = [];
  private drained: { at: number; done: () => void }[] = [];
  private endings: (() => void)[] = [];
  private infoTimer: (() => void) | undefined;
  private infoSentAt = 0;
  /** What was told last does not hold all of the output yet. */
  private infoBehind = false;
  private procCwd: string | undefined;
  /** What was printed before the last start. */
  private startOffset = 0;
  private synchronizedSince = 0;
  private replaying = false;
  private disposed = false;
  /** Absent: output is not kept on disk. */
  journal: JournalWriter | undefined;

  constructor(
    readonly id: string,
    size: { cols: number; rows: number; scrollback: number },
    private readonly hooks: SessionHooks,
    start: { offset?: number; startedAt?: number } = {},
  ) {
    this.size = { cols: size.cols, rows: size.rows };
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
  }

  get running(): boolean {
    return this.state === 'running';
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
    if (this.mirror.flooding) return true;
    for (const viewer of this.viewers.values()) if (viewer.mode === 'skip') return true;
    return false;
  }

  get isEmpty(): boolean {
    return this.viewers.size === 0;
  }

  // ---- the program

  start(spec: LaunchSpec): void {
    if (this.state === 'running') throw new FailureError('session-running', 'The session is running already');
    const size = { cols: spec.cols, rows: spec.rows };
    // With somebody looking, their size counts and not the one that was stored.
    const { cols, rows } = this.owner()?.size ?? size;
    if (spec.theme) this.mirror.colours.theme = spec.theme;
    if (this.mirror.terminal.options.scrollback !== spec.scrollback) this.setScrollback(spec.scrollback);
    this.setSize(cols, rows);
    const pty = this.hooks.startPty(spec, this.size, {
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
    this.ptyPaused = false;
    this.procCwd = spec.cwd;
    this.startOffset = this.produced;
    delete this.shell.cwd;
    delete this.shell.progress;
    delete this.shell.busy;
    delete this.shell.lastStatus;
    this.journal?.update({ exit: undefined, endedAt: undefined, startedAt: this.startedAt, cwd: spec.cwd });
    for (const viewer of this.viewers.values()) if (viewer.mode === 'live') viewer.tellStarted(this.produced);
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
  async replay(items: AsyncIterable<{ bytes: Buffer } | { cols: number; rows: number }>): Promise<void> {
    this.replaying = true;
    for await (const item of items) {
      if ('bytes' in item) {
        this.produced += item.bytes.length;
        this.mirror.write(item.bytes);
      } else {
        this.size = item;
        this.mirror.resize(item.cols, item.rows);
      }
      if (this.mirror.backlog > PAUSE_BYTES) await this.whenDrained();
    }
    await this.whenDrained();
    this.replaying = false;
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
    const job = this.snapshots[0];
    this.mirror.terminal.options.scrollback = lines;
    if (job?.rows) this.requestSnapshot(job.viewer);
  }

  private output(bytes: Buffer): void {
    if (this.disposed || bytes.length === 0) return;
    const now = this.hooks.now();
    this.produced += bytes.length;
    this.rate.add(bytes.length, now);
    this.journal?.append(bytes);
    for (const viewer of this.viewers.values()) {
      if (viewer.mode === 'live' && !viewer.feed(bytes)) this.fallBehind(viewer, now);
    }
    this.mirror.write(bytes);
    this.throttle();
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
    for (const viewer of this.viewers.values()) if (viewer.mode === 'live') viewer.tellEnded(this.produced, exit);
    this.journal?.update({ exit, endedAt: this.endedAt, title: this.shell.title, cwd: this.cwd() });
    this.hooks.work();
    this.changed(true);
    for (const done of this.endings.splice(0)) done();
  }

  // ---- input

  async write(piece: InputPiece, bytes: Buffer, viewerId: string | undefined): Promise<void> {
    if (this.state === 'ended') throw new FailureError('session-ended', 'The program has ended');
    const viewer = viewerId === undefined ? undefined : this.viewers.get(viewerId);
    if (viewer) this.own(viewer, true);
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
    if (!this.flooding || !this.pty) return;
    this.heldUntil = this.hooks.now() + ms;
    if (this.cancelHold) return;
    this.pausePty(true);
    const release = (): void => {
      const left = this.heldUntil - this.hooks.now();
      if (left > 1) {
        this.cancelHold = this.hooks.later(left, release);
        return;
      }
      this.cancelHold = undefined;
      this.throttle();
      this.hooks.work();
    };
    this.cancelHold = this.hooks.later(ms, release);
  }

  private get held(): boolean {
    return this.cancelHold !== undefined;
  }

  private throttle(): void {
    const waiting = Math.max(this.mirror.backlog, this.journal?.lag ?? 0);
    if (waiting > PAUSE_BYTES) this.pausePty(true);
    else if (waiting < RESUME_BYTES && !this.held) this.pausePty(false);
  }

  private pausePty(pause: boolean): void {
    if (this.ptyPaused === pause) return;
    this.ptyPaused = pause;
    if (pause) this.pty?.pause();
    else this.pty?.resume();
  }

  // ---- viewers

  attach(
    id: string,
    options: { cols: number; rows: number; history: number; visibility: Visibility; theme?: TerminalTheme },
    send: Send,
  ): void {
    this.detach(id);
    const viewer = new Viewer(
      id,
      { cols: options.cols, rows: options.rows },
      options.visibility,
      send,
      this.hooks.defer,
    );
    viewer.history = options.history;
    this.viewers.set(id, viewer);
    if (options.theme) this.setTheme(options.theme);
    const owner = this.owner();
    if (!owner || owner === viewer || this.viewers.size === 1) this.own(viewer);
    if (options.visibility !== 'hidden') this.requestSnapshot(viewer);
  }

  detach(id: string): void {
    const viewer = this.viewers.get(id);
    if (!viewer) return;
    viewer.mode = 'hidden';
    this.viewers.delete(id);
    this.dropSnapshots(viewer);
    if (this.sizeOwner !== id) return;
    this.cancelHandover?.();
    this.cancelHandover = this.hooks.later(SIZE_HANDOVER_MS, () => {
      this.cancelHandover = undefined;
      if (this.owner()) return;
      const next = [...this.viewers.values()].sort((a, b) => b.lastActive - a.lastActive)[0];
      if (next) this.own(next);
    });
  }

  setVisibility(id: string, visibility: Visibility): void {
    const viewer = this.viewer(id);
    const was = viewer.visibility;
    viewer.visibility = visibility;
    if (visibility === 'hidden') {
      viewer.mode = 'hidden';
      viewer.dropPending();
      this.dropSnapshots(viewer);
    } else if (was === 'hidden') this.requestSnapshot(viewer);
  }

  resync(id: string, history: number): void {
    const viewer = this.viewer(id);
    viewer.history = history;
    if (viewer.visibility !== 'hidden') this.requestSnapshot(viewer);
  }

  setTheme(theme: TerminalTheme): void {
    this.mirror.colours.theme = theme;
  }

  ack(id: string, offset: number): void {
    this.viewers.get(id)?.ack(offset);
  }

  frameAck(id: string, frameNumber: number): void {
    this.viewers.get(id)?.frameAck(frameNumber);
  }

  private viewer(id: string): Viewer {
    const viewer = this.viewers.get(id);
    if (!viewer) throw new FailureError('unknown-viewer', 'This viewer is not attached');
    return viewer;
  }

  private fallBehind(viewer: Viewer, now: number): void {
    viewer.mode = 'skip';
    viewer.memory.reset();
    viewer.frameInFlight = false;
    viewer.frameSentAt = 0;
    viewer.painted = -1;
    viewer.skippingSince = now;
    viewer.slowSince = 0;
    viewer.stillSince = 0;
    if (now - viewer.liveSince < RELAPSE_MS)
      viewer.patience = Math.min(MAX_PATIENCE_MS, Math.max(BRISK_MS, viewer.patience * 2));
    else viewer.patience = BRISK_MS;
    this.hooks.work();
  }

  // ---- size: that of the viewer which typed or changed its size last

  resizeViewer(id: string, cols: number, rows: number): void {
    const viewer = this.viewer(id);
    viewer.size = { cols, rows };
    this.own(viewer);
  }

  private owner(): Viewer | undefined {
    return this.sizeOwner === undefined ? undefined : this.viewers.get(this.sizeOwner);
  }

  /** @param atOnce What is typed next must find the size of the viewer that it was typed into. */
  private own(viewer: Viewer, atOnce = false): void {
    viewer.lastActive = this.hooks.now();
    this.sizeOwner = viewer.id;
    if (!atOnce) this.wantSize(viewer.size);
    else if (viewer.size.cols !== this.size.cols || viewer.size.rows !== this.size.rows) {
      this.cancelResize?.();
      this.wantedSize = viewer.size;
      this.applySize();
    }
  }

  private wantSize(size: { cols: number; rows: number }): void {
    this.wantedSize = size;
    if (this.cancelResize) {
      // A drag goes on: the last size counts once it rests.
      this.cancelResize();
      this.cancelResize = this.hooks.later(RESIZE_QUIET_MS, () => this.applySize());
    } else if (this.hooks.now() - this.resizedAt >= RESIZE_QUIET_MS) this.applySize();
    else if (size.cols !== this.size.cols || size.rows !== this.size.rows) {
      this.cancelResize = this.hooks.later(RESIZE_QUIET_MS, () => this.applySize());
    }
  }

  private applySize(): void {
    this.cancelResize = undefined;
    const size = this.wantedSize;
    this.wantedSize = undefined;
    if (size) this.setSize(size.cols, size.rows);
  }

  private setSize(cols: number, rows: number): void {
    if (cols === this.size.cols && rows === this.size.rows) return;
    this.size = { cols, rows };
    this.resizedAt = this.hooks.now();
    this.pty?.resize(cols, rows);
    this.journal?.size(this.produced, cols, rows);
    for (const viewer of this.viewers.values()) if (viewer.mode === 'live') viewer.tellSize(this.produced, cols, rows);
    this.mirror.resize(cols, rows);
    this.hooks.work();
    this.changed(true);
  }

  // ---- work in slices

  pump(): boolean {
    if (this.disposed) return false;
    const job = this.snapshots[0];
    if (job?.rows) return this.snapshotStep(job) || this.snapshots.length > 0 || !this.mirror.upToDate;
    if (job && this.beginSnapshot(job)) return true;
    if (this.held && !job) return false;
    const more = this.mirror.pump();
    this.throttle();
    this.release();
    if (this.infoBehind && this.mirror.upToDate) this.changed();
    return more || (this.snapshots.length > 0 && this.mirror.snapshotReady);
  }

  /** To be called every few milliseconds while `restless`. */
  tick(): void {
    const now = this.hooks.now();
    if (this.held) return;
    if (this.mirror.flooding) {
      this.mirror.tick();
      if (!this.mirror.flooding) this.hooks.work();
    }
    for (const viewer of this.viewers.values()) if (viewer.mode === 'skip') this.skipTick(viewer, now);
  }

  private skipTick(viewer: Viewer, now: number): void {
    const latest = this.latestOffset();
    if (!viewer.frameInFlight && this.mayPromote(viewer, now, latest)) {
      this.requestSnapshot(viewer);
      return;
    }
    if (viewer.frameInFlight || latest === viewer.painted) return;
    const slow = viewer.visibility === 'background' && this.hooks.underLoad();
    if (now - viewer.frameSentAt < (slow ? BACKGROUND_FRAME_MS : FRAME_MS)) return;
    if (this.midUpdate(now)) return;
    const shown = this.mirror.frameSource();
    if (!shown || shown.offset === viewer.painted) return;
    const { cols, rows } = this.mirror.terminal;
    if (viewer.told.cols !== cols || viewer.told.rows !== rows) viewer.tellSize(shown.offset, cols, rows);
    viewer.sendFrame(shown.offset, frame(shown.source, viewer.memory), now);
  }

  /** What a frame would show now. */
  private latestOffset(): number {
    return this.mirror.flooding ? this.produced : this.mirror.offset;
  }

  private midUpdate(now: number): boolean {
    if (!this.mirror.core.coreService.decPrivateModes.synchronizedOutput) {
      this.synchronizedSince = 0;
      return false;
    }
    this.synchronizedSince ||= now;
    return now - this.synchronizedSince < SYNCHRONIZED_MS;
  }

  /** The viewer has seen all and nothing is moving, or it moves slowly enough to be followed byte by byte. */
  private mayPromote(viewer: Viewer, now: number, latest: number): boolean {
    const rate = this.rate.perSecond(now);
    if (!viewer.caughtUp || rate > BRISK_BYTES_PER_SECOND) {
      viewer.stillSince = 0;
      viewer.slowSince = 0;
      return false;
    }
    viewer.slowSince ||= now;
    if (this.mirror.upToDate && latest === viewer.painted) {
      viewer.stillSince ||= now;
      if (now - viewer.stillSince >= STILL_MS) return true;
    } else viewer.stillSince = 0;
    return now - viewer.slowSince >= (rate < SLOW_BYTES_PER_SECOND ? SLOW_MS : viewer.patience);
  }

  // ---- snapshots

  private requestSnapshot(viewer: Viewer): void {
    if (viewer.mode !== 'skip') {
      viewer.mode = 'waiting';
      viewer.dropPending();
    }
    // What has come by now is shown by it; what comes meanwhile follows as bytes.
    const job: SnapshotJob = { viewer, from: this.produced, since: this.hooks.now(), part: 0, text: '' };
    if (this.snapshots.some((one) => one.viewer === viewer && !one.rows)) return;
    this.dropSnapshots(viewer);
    this.snapshots.push(job);
    this.hooks.work();
    if (!this.mirror.snapshotReady) this.hooks.later(SEQUENCE_WAIT_MS, () => this.hooks.work());
  }

  private dropSnapshots(viewer: Viewer): void {
    this.snapshots = this.snapshots.filter((job) => job.viewer !== viewer);
    this.mirror.frozen = this.snapshots[0]?.rows !== undefined;
  }

  /** Begins when the mirror has reached the output that was there when it was asked for. */
  private beginSnapshot(job: SnapshotJob): boolean {
    if (this.mirror.flooding) this.mirror.endFlood();
    if (this.mirror.offset < job.from && !this.mirror.upToDate) return false;
    if (!this.mirror.queueIsWhole || this.mirror.sizeIsNext) return false;
    if (!this.mirror.snapshotReady && this.hooks.now() - job.since < SEQUENCE_WAIT_MS) return false;
    const source = this.mirror.snapshotSource();
    const { cols, rows } = this.mirror.terminal;
    job.header = { offset: this.mirror.offset, cols, rows, ...historyLines(this.mirror.core, job.viewer.history) };
    job.unfinished = source.unfinished;
    job.rows = snapshot(source, job.viewer.history);
    job.viewer.mode = 'waiting';
    this.mirror.frozen = true;
    return true;
  }

  /** Serialises some rows. The mirror stands still until all are done; output waits in its queue. */
  private snapshotStep(job: SnapshotJob): boolean {
    while (job.text.length < PART_CHARACTERS) {
      const row = job.rows!.next();
      if (row.done) {
        this.finishSnapshot(job);
        return false;
      }
      job.text += row.value;
    }
    this.sendParts(job, Buffer.from(job.text), false);
    job.text = '';
    return true;
  }

  private sendParts(job: SnapshotJob, bytes: Buffer, last: boolean): void {
    const all = [...parts(bytes, PART_BYTES)];
    for (const [index, part] of all.entries()) {
      const header = {
        kind: 'snapshot',
        ...job.header!,
        part: job.part++,
        last: last && index === all.length - 1,
      } as const;
      job.viewer.sendSnapshot(header, part);
    }
  }

  private finishSnapshot(job: SnapshotJob): void {
    this.snapshots.shift();
    this.mirror.frozen = false;
    const { viewer } = job;
    this.sendParts(job, Buffer.concat([Buffer.from(job.text), job.unfinished!]), true);
    const now = this.hooks.now();
    viewer.goLive(job.header!.offset, now);
    let offset = job.header!.offset;
    for (const item of this.mirror.queued()) {
      if ('bytes' in item) {
        offset += item.bytes.length;
        const bytes = Buffer.from(item.bytes.buffer, item.bytes.byteOffset, item.bytes.byteLength);
        if (!viewer.feed(bytes)) {
          this.fallBehind(viewer, now);
          return;
        }
      } else viewer.tellSize(offset, item.cols, item.rows);
    }
    if (this.state === 'ended' && this.exit) viewer.tellEnded(this.produced, this.exit);
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
      cols: this.size.cols,
      rows: this.size.rows,
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
    this.disposed = true;
    this.infoTimer?.();
    this.cancelResize?.();
    this.cancelHold?.();
    this.cancelHandover?.();
    this.input.close();
    this.pty?.close();
    this.pty = undefined;
    this.release(true);
    this.mirror.dispose();
    this.viewers.clear();
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
