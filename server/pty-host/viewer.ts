import type { Exit, StreamHeader, Visibility } from '../../schemas/terminals';
import { FrameMemory } from './frame';
import { incompleteTail, parts } from './utf8';

/** Bytes on their way to a viewer and not acknowledged. Beyond this it is shown frames instead. */
export const WINDOW_BYTES = 128 * 1024;
/** While a picture is on its way: it cannot be shown in frames. */
const IMAGE_WINDOW_BYTES = 8 * 1024 * 1024;
/** One message: what a page parses without missing a frame of its own. */
const MESSAGE_BYTES = 32 * 1024;
const IMAGE_STARTS = [Buffer.from('\x1bP'), Buffer.from('\x1b]1337;')];
const IMAGE_ENDS = [Buffer.from('\x1b\\'), Buffer.from('\x07')];

export type Send = (header: StreamHeader, bytes?: Uint8Array) => void;

/**
 * - `hidden`: nothing is sent.
 * - `waiting`: a snapshot is on its way to it.
 * - `live`: gets the program's bytes.
 * - `skip`: has fallen behind; gets the screen as it is, at frame rate.
 */
export type ViewerMode = 'hidden' | 'waiting' | 'live' | 'skip';

/** One place where a session is looked at. */
export class Viewer {
  mode: ViewerMode = 'hidden';
  /** Lines above the screen that its snapshots hold. */
  history = 0;
  /** When it last typed or changed its size. */
  lastActive = 0;
  /** Size that it was told last. */
  told = { cols: 0, rows: 0 };
  readonly memory = new FrameMemory();
  frame = 0;
  frameInFlight = false;
  frameSentAt = 0;
  /** Offset that the last frame showed. */
  painted = -1;
  /** Since when the output has been slow enough, and the screen still, to go live again. */
  slowSince = 0;
  stillSince = 0;
  /** How long it has to be slow for; grows when going live did not last. */
  patience = 0;
  liveSince = 0;
  private sent = 0;
  private acked = 0;
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  private flushScheduled = false;
  /** A picture has begun and not ended yet; what was sent up to `imageUntil` holds one. */
  private imageOpen = false;
  private imageUntil = 0;

  constructor(
    readonly id: string,
    public size: { cols: number; rows: number },
    public visibility: Visibility,
    private readonly send: Send,
    private readonly defer: (run: () => void) => void,
    /** The tab in which it is. */
    readonly tab = id,
  ) {}

  /** All raw bytes that were sent have been parsed by the viewer. */
  get caughtUp(): boolean {
    return this.acked >= this.sent;
  }

  ack(offset: number): void {
    if (offset > this.acked) this.acked = Math.min(offset, this.sent);
  }

  frameAck(frame: number): void {
    if (frame >= this.frame) this.frameInFlight = false;
  }

  /** From here on it gets bytes again, beginning at `offset`. */
  goLive(offset: number, now: number): void {
    this.mode = 'live';
    this.liveSince = now;
    this.sent = offset;
    this.acked = offset;
    this.dropPending();
  }

  /** Output for a live viewer. Answers false when it has fallen too far behind: what was not sent is dropped. */
  feed(bytes: Buffer): boolean {
    this.pending.push(bytes);
    this.pendingBytes += bytes.length;
    this.noteImage(bytes);
    const under = this.sent + this.pendingBytes - this.acked;
    const image = this.imageOpen || this.acked < this.imageUntil;
    if (under > (image ? IMAGE_WINDOW_BYTES : WINDOW_BYTES)) {
      this.dropPending();
      return false;
    }
    if (!this.flushScheduled) {
      this.flushScheduled = true;
      // What comes alone, such as the echo of a key, goes at once; what follows closely is sent together.
      this.flush();
      this.defer(() => {
        this.flushScheduled = false;
        this.flush();
      });
    }
    return true;
  }

  /** Follows pictures in the output; the check is native and runs only for viewers that are live. */
  private noteImage(bytes: Buffer): void {
    if (!this.imageOpen) {
      const start = IMAGE_STARTS.map((one) => bytes.indexOf(one)).find((at) => at >= 0);
      if (start === undefined) return;
      this.imageOpen = true;
      bytes = bytes.subarray(start + 2);
    }
    if (IMAGE_ENDS.some((end) => bytes.includes(end))) this.imageOpen = false;
    this.imageUntil = this.sent + this.pendingBytes;
  }

  /** Sends what waits. The start of a character waits for its rest, unless `all`. */
  flush(all = false): void {
    if (this.mode !== 'live' || this.pendingBytes === 0) return;
    const bytes = this.pending.length === 1 ? this.pending[0]! : Buffer.concat(this.pending, this.pendingBytes);
    const tail = all ? 0 : incompleteTail(bytes);
    const whole = tail ? bytes.subarray(0, bytes.length - tail) : bytes;
    this.pending = tail ? [bytes.subarray(bytes.length - tail)] : [];
    this.pendingBytes = tail;
    for (const part of parts(whole, MESSAGE_BYTES)) {
      const offset = this.sent;
      this.sent += part.length;
      this.send({ kind: 'raw', offset }, part);
    }
  }

  /** Has fallen behind: from here on it is shown frames. */
  startSkipping(): void {
    this.mode = 'skip';
    this.memory.reset();
    this.frameInFlight = false;
    this.frameSentAt = 0;
    this.painted = -1;
    this.slowSince = 0;
    this.stillSince = 0;
  }

  tellSize(offset: number, cols: number, rows: number): void {
    this.flush(true);
    if (this.told.cols === cols && this.told.rows === rows) return;
    this.told = { cols, rows };
    this.send({ kind: 'size', offset, cols, rows });
  }

  tellEnded(offset: number, exit: Exit): void {
    this.flush(true);
    this.send({ kind: 'ended', offset, exit });
  }

  tellStarted(offset: number): void {
    this.flush(true);
    this.send({ kind: 'started', offset });
  }

  /** A frame that cannot be sent; the next one begins anew. */
  passOver(offset: number, now: number): void {
    this.frameSentAt = now;
    this.painted = offset;
    this.memory.reset();
  }

  sendFrame(offset: number, bytes: Uint8Array, now: number): void {
    this.frame++;
    this.frameInFlight = true;
    this.frameSentAt = now;
    this.painted = offset;
    this.send({ kind: 'frame', offset, frame: this.frame }, bytes);
  }

  sendSnapshot(header: Extract<StreamHeader, { kind: 'snapshot' }>, bytes: Uint8Array): void {
    this.told = { cols: header.cols, rows: header.rows };
    this.send(header, bytes);
  }

  dropPending(): void {
    this.pending = [];
    this.pendingBytes = 0;
  }
}
