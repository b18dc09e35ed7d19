import { PtyHostProtocol } from '../../schemas/pty-host';
import { FailureError } from '../../schemas/result';
import type { Exit, Visibility } from '../../schemas/terminals';
import { frame } from './frame';
import type { Mirror } from './mirror';
import type { Rate } from './rate';
import type { Size } from './size-rule';
import { historyLines, snapshot } from './snapshot';
import { parts } from './utf8';
import { type Send, Viewer } from './viewer';

/** One part of a snapshot. */
const PART_BYTES = 64 * 1024;
/** Text that is gathered before it is made a part; a row adds at most some tens of KB. */
const PART_CHARACTERS = 24 * 1024;
const FRAME_MS = 24;
/** A frame is one message, and the server hangs up on one that is too long: with it every terminal would be cut off. */
const MAX_FRAME_BYTES = PtyHostProtocol.maxMessageBytes / 2;
/** For viewers that are visible but not looked at, while something floods. */
const BACKGROUND_FRAME_MS = 100;
/** For those while keys are pressed elsewhere: drawing one frame can take longer than echoing a key. */
const TYPING_FRAME_MS = 300;
/** Keys count as one stretch of typing when no more than this lies between them. */
const TYPING_MS = 800;
/** Nothing new for this long: the viewer goes live. */
const STILL_MS = 150;
/** Or slower than this for this long: output that never ends must not keep a viewer on frames for ever. */
export const SLOW_BYTES_PER_SECOND = 100 * 1024;
const SLOW_MS = 300;
/** Faster than that but steady: tried after longer, and ever longer when it did not last. */
const BRISK_BYTES_PER_SECOND = 1024 * 1024;
const BRISK_MS = 1500;
const MAX_PATIENCE_MS = 12_000;
const RELAPSE_MS = 3000;
/** A synchronized update is not shown half done, unless it takes this long. */
const SYNCHRONIZED_MS = 100;
/** How long a snapshot waits for the end of a picture that is being received. */
const SEQUENCE_WAIT_MS = 2000;

export interface AudienceHooks {
  now(): number;
  defer(run: () => void): void;
  later(ms: number, run: () => void): () => void;
  /** There is work for the scheduler. */
  work(): void;
  underLoad(): boolean;
  /** Offset after the last byte that came. */
  produced(): number;
  /** Set when the program has ended. */
  ended(): Exit | undefined;
}

interface SnapshotJob {
  viewer: Viewer;
  /** Taken once the mirror is there. */
  from: number;
  since: number;
  part: number;
  text: string;
  begun?: {
    rows: Generator<string, void, void>;
    header: { offset: number; cols: number; rows: number; history: number; historyTotal: number };
    unfinished: Uint8Array;
  };
}

/**
 * Everyone who looks at a session: who keeps up gets its bytes, who does not gets the screen as it is, and everyone
 * comes back to the bytes by a snapshot.
 */
export class Audience {
  private readonly viewers = new Map<string, Viewer>();
  private snapshots: SnapshotJob[] = [];
  private synchronizedSince = 0;
  private typingUntil = 0;

  constructor(
    private readonly mirror: Mirror,
    private readonly rate: Rate,
    private readonly hooks: AudienceHooks,
  ) {}

  all(): Iterable<Viewer> {
    return this.viewers.values();
  }

  get size(): number {
    return this.viewers.size;
  }

  /** Somebody is shown frames. */
  get skipping(): boolean {
    for (const viewer of this.viewers.values()) if (viewer.mode === 'skip') return true;
    return false;
  }

  get(id: string): Viewer | undefined {
    return this.viewers.get(id);
  }

  known(id: string): Viewer {
    const viewer = this.viewers.get(id);
    if (!viewer) throw new FailureError('unknown-viewer', 'This viewer is not attached');
    return viewer;
  }

  attach(id: string, options: Size & { history: number; visibility: Visibility; tab?: string }, send: Send): Viewer {
    const { cols, rows, history, visibility, tab } = options;
    const viewer = new Viewer(id, { cols, rows }, visibility, send, this.hooks.defer, tab);
    viewer.history = history;
    this.viewers.set(id, viewer);
    if (visibility !== 'hidden') this.requestSnapshot(viewer);
    return viewer;
  }

  detach(id: string): Viewer | undefined {
    const viewer = this.viewers.get(id);
    if (!viewer) return undefined;
    this.silence(viewer);
    this.viewers.delete(id);
    return viewer;
  }

  setVisibility(id: string, visibility: Visibility): void {
    const viewer = this.known(id);
    const was = viewer.visibility;
    viewer.visibility = visibility;
    if (visibility === 'hidden') this.silence(viewer);
    else if (was === 'hidden') this.requestSnapshot(viewer);
  }

  resync(id: string, history: number): void {
    const viewer = this.known(id);
    viewer.history = history;
    if (viewer.visibility !== 'hidden') this.requestSnapshot(viewer);
  }

  // ---- what happens in the session, in the order of its bytes

  output(bytes: Buffer): void {
    for (const viewer of this.live()) if (!viewer.feed(bytes)) this.fallBehind(viewer);
  }

  resized({ cols, rows }: Size): void {
    for (const viewer of this.live()) viewer.tellSize(this.hooks.produced(), cols, rows);
  }

  programEnded(exit: Exit): void {
    for (const viewer of this.live()) viewer.tellEnded(this.hooks.produced(), exit);
  }

  programStarted(): void {
    for (const viewer of this.live()) viewer.tellStarted(this.hooks.produced());
  }

  /** The mirror was changed other than by output: a snapshot that is being taken begins anew. */
  mirrorChanged(): void {
    const job = this.snapshots[0];
    if (job?.begun) this.requestSnapshot(job.viewer);
  }

  clear(): void {
    for (const viewer of this.viewers.values()) viewer.mode = 'hidden';
    this.viewers.clear();
    this.snapshots = [];
  }

  private *live(): Generator<Viewer, void, void> {
    for (const viewer of this.viewers.values()) if (viewer.mode === 'live') yield viewer;
  }

  private silence(viewer: Viewer): void {
    viewer.mode = 'hidden';
    viewer.dropPending();
    this.dropSnapshots(viewer);
  }

  // ---- frames

  private fallBehind(viewer: Viewer): void {
    viewer.startSkipping();
    const relapsed = this.hooks.now() - viewer.liveSince < RELAPSE_MS;
    viewer.patience = relapsed ? Math.min(MAX_PATIENCE_MS, Math.max(BRISK_MS, viewer.patience * 2)) : BRISK_MS;
    this.hooks.work();
  }

  /** A key was pressed in another session. */
  typedElsewhere(): void {
    this.typingUntil = this.hooks.now() + TYPING_MS;
  }

  /** To be called every few milliseconds while somebody is skipping. */
  tick(): void {
    const now = this.hooks.now();
    for (const viewer of this.viewers.values()) if (viewer.mode === 'skip') this.skipTick(viewer, now);
  }

  private skipTick(viewer: Viewer, now: number): void {
    if (viewer.frameInFlight) return;
    // What a frame would show now.
    const latest = this.mirror.flooding ? this.hooks.produced() : this.mirror.offset;
    if (this.mayPromote(viewer, now, latest)) {
      this.requestSnapshot(viewer);
      return;
    }
    if (now - viewer.frameSentAt < this.frameInterval(viewer, now) || latest === viewer.painted || this.midUpdate(now))
      return;
    const shown = this.mirror.frameSource();
    if (!shown || shown.offset === viewer.painted) return;
    const { cols, rows } = this.mirror.terminal;
    const bytes = Buffer.from(frame(shown.source, viewer.memory));
    if (bytes.length > MAX_FRAME_BYTES) {
      // Thousands of long links, say. It is shown by the snapshot, which goes in parts, when the flood is over.
      viewer.passOver(shown.offset, now);
      return;
    }
    viewer.tellSize(shown.offset, cols, rows);
    viewer.sendFrame(shown.offset, bytes, now);
  }

  private frameInterval(viewer: Viewer, now: number): number {
    if (viewer.visibility !== 'background') return FRAME_MS;
    if (now < this.typingUntil) return TYPING_FRAME_MS;
    return this.hooks.underLoad() ? BACKGROUND_FRAME_MS : FRAME_MS;
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

  // ---- snapshots, one at a time

  get snapshotWaiting(): boolean {
    return this.snapshots.length > 0;
  }

  /** Does a piece of the snapshot that is due. Answers false when the mirror has to be pumped first, or none is due. */
  pumpSnapshot(): boolean {
    const job = this.snapshots[0];
    if (!job) return false;
    if (!job.begun) return this.begin(job);
    this.step(job, job.begun);
    return true;
  }

  private requestSnapshot(viewer: Viewer): void {
    if (viewer.mode !== 'skip') {
      viewer.mode = 'waiting';
      viewer.dropPending();
    }
    if (this.snapshots.some((one) => one.viewer === viewer && !one.begun)) return;
    this.dropSnapshots(viewer);
    // What has come by now is shown by it; what comes meanwhile follows as bytes.
    this.snapshots.push({ viewer, from: this.hooks.produced(), since: this.hooks.now(), part: 0, text: '' });
    this.hooks.work();
    if (!this.mirror.snapshotReady) this.hooks.later(SEQUENCE_WAIT_MS, () => this.hooks.work());
  }

  private dropSnapshots(viewer: Viewer): void {
    this.snapshots = this.snapshots.filter((job) => job.viewer !== viewer);
    this.mirror.frozen = this.snapshots[0]?.begun !== undefined;
  }

  /** Begins when the mirror has reached the output that was there when it was asked for. */
  private begin(job: SnapshotJob): boolean {
    const { mirror, hooks } = this;
    mirror.endFlood();
    if (mirror.offset < job.from && !mirror.upToDate) return false;
    if (!mirror.queueIsWhole || mirror.sizeIsNext) return false;
    if (!mirror.snapshotReady && hooks.now() - job.since < SEQUENCE_WAIT_MS) return false;
    const source = mirror.snapshotSource();
    const { cols, rows } = mirror.terminal;
    job.begun = {
      rows: snapshot(source, job.viewer.history),
      header: { offset: mirror.offset, cols, rows, ...historyLines(mirror.core, job.viewer.history) },
      unfinished: source.unfinished,
    };
    job.viewer.mode = 'waiting';
    mirror.frozen = true;
    return true;
  }

  /** Serialises some rows. The mirror stands still until all are done; output waits in its queue. */
  private step(job: SnapshotJob, begun: NonNullable<SnapshotJob['begun']>): void {
    for (let isFull = false; !isFull; ) {
      const row = begun.rows.next();
      if (row.done) {
        this.finish(job, begun);
        return;
      }
      if (row.value === '') continue;
      // Only now is it known that this is not the last part, which says that it is the last.
      isFull = job.text.length >= PART_CHARACTERS;
      if (isFull) {
        this.sendParts(job, begun, Buffer.from(job.text), false);
        job.text = '';
      }
      job.text += row.value;
    }
  }

  private sendParts(
    job: SnapshotJob,
    { header }: NonNullable<SnapshotJob['begun']>,
    bytes: Buffer,
    last: boolean,
  ): void {
    const all = bytes.length > 0 ? [...parts(bytes, PART_BYTES)] : [bytes];
    for (const [index, part] of all.entries()) {
      const isLast = last && index === all.length - 1;
      job.viewer.sendSnapshot({ kind: 'snapshot', ...header, part: job.part++, last: isLast }, part);
    }
  }

  private finish(job: SnapshotJob, begun: NonNullable<SnapshotJob['begun']>): void {
    const { viewer } = job;
    this.snapshots.shift();
    this.mirror.frozen = false;
    this.sendParts(job, begun, Buffer.concat([Buffer.from(job.text), begun.unfinished]), true);
    let { offset } = begun.header;
    viewer.goLive(offset, this.hooks.now());
    for (const item of this.mirror.queued()) {
      if (!('bytes' in item)) {
        viewer.tellSize(offset, item.cols, item.rows);
        continue;
      }
      offset += item.bytes.length;
      if (!viewer.feed(Buffer.from(item.bytes.buffer, item.bytes.byteOffset, item.bytes.byteLength))) {
        this.fallBehind(viewer);
        return;
      }
    }
    const exit = this.hooks.ended();
    if (exit) viewer.tellEnded(this.hooks.produced(), exit);
  }
}
