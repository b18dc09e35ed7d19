import type { CallArgs } from '../../../schemas/realtime';
import { FailureError } from '../../../schemas/result';
import { TerminalLimits } from '../../../schemas/terminals';

/** Pieces under way at once: keys never wait for the answer to the one before, a paste of a megabyte never floods the socket. */
const MAX_IN_FLIGHT = 8;
/** After an unanswered piece it is repeated with the same number; the server writes it only once. */
const RETRY_MS = 500;

type Mark = CallArgs<'terminal:input'>['paste'];
export type InputPiece = Pick<CallArgs<'terminal:input'>, 'seq' | 'paste'> & { bytes: Uint8Array };

export interface InputQueueOptions {
  /** Resolves when the server has written the piece. */
  send(piece: InputPiece): Promise<unknown>;
  /** The server will never take it, for instance because the process has ended; everything queued was dropped. */
  onRefused(error: unknown): void;
  /** After every change of `pendingBytes`. */
  onChange?(): void;
}

/** Failures after which the piece may have been written, or can be later: the same number is sent again. */
const repeatable = new Set([
  'timeout',
  'disconnected',
  'input-full',
  'viewer-missing',
  'pty-host-gone',
  'pty-host-timeout',
  'too-many-calls',
  'pty-host-starting',
  'pty-host-silent',
  'server-stopping',
]);

/** Failures that say only that the program has not taken it yet. */
const unanswered = new Set(['timeout', 'pty-host-timeout', 'input-full']);

/**
 * What a person types and pastes, on its way: in order, each piece once, over lost connections and new servers.
 * Pieces are numbered when they are queued and repeated under the same number until they are acknowledged.
 */
export class InputQueue {
  private waiting: InputPiece[] = [];
  private inFlight: InputPiece[] = [];
  private nextSeq = 1;
  /** The highest number that was ever sent. */
  private sentSeq = 0;
  private open = false;
  /** Grows with every pause, so that answers from before it change nothing. */
  private epoch = 0;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;
  /** Nothing more is taken; what is queued is still sent. */
  private finishing = false;
  /** The person stopped it: a piece that the program never took is not offered again. */
  private cancelled = false;
  /** What waits is an interrupt: it does not wait for answers to what was sent before. */
  private urgent = false;

  constructor(private readonly options: InputQueueOptions) {}

  /** Bytes that were not acknowledged yet. */
  get pendingBytes(): number {
    return [...this.inFlight, ...this.waiting].reduce((sum, piece) => sum + piece.bytes.length, 0);
  }

  get empty(): boolean {
    return this.waiting.length === 0 && this.inFlight.length === 0;
  }

  /** `oneUnit`: nothing of other viewers may be written between its pieces. */
  push(bytes: Uint8Array, oneUnit = false): void {
    if (this.finishing || bytes.length === 0) return;
    if (this.empty) this.cancelled = false;
    const size = TerminalLimits.maxInputBytes;
    const count = Math.ceil(bytes.length / size);
    for (let i = 0; i < count; i++) {
      const paste = oneUnit && count > 1 ? markOf(i, count) : undefined;
      const piece = bytes.subarray(i * size, (i + 1) * size);
      this.waiting.push({ seq: this.nextSeq++, bytes: piece, ...(paste ? { paste } : {}) });
    }
    this.pump();
    this.options.onChange?.();
  }

  /** The viewer is attached: repeats what was not acknowledged, then goes on. */
  resume(): void {
    this.pause();
    this.open = true;
    this.pump();
  }

  /** Nothing is sent until `resume`. What is under way counts as not acknowledged. */
  pause(): void {
    clearTimeout(this.retryTimer);
    this.epoch++;
    this.open = false;
    this.waiting = [...this.inFlight, ...this.waiting];
    this.inFlight = [];
  }

  /** Forgets what was not sent yet. A unit that has begun is closed properly: its last piece is still sent. */
  cancel(closing: Uint8Array): void {
    const next = this.waiting.find((piece) => piece.paste)?.paste;
    const begun = next === 'more' || next === 'last';
    this.waiting = [];
    this.cancelled = true;
    // Numbers that the server never saw are given again, so that none seems to be missing.
    this.nextSeq = Math.min(this.nextSeq, this.sentSeq + 1);
    if (begun) this.waiting.push({ seq: this.nextSeq++, bytes: closing, paste: 'last' });
    this.pump();
    this.options.onChange?.();
  }

  /**
   * A key that interrupts: what was not sent yet is dropped, and a unit that has begun is closed by `closing`. The pty
   * host drops what it has and the program has not read. Answers with the bytes that may be among those.
   */
  interrupt(bytes: Uint8Array, closing: Uint8Array): number {
    const { pendingBytes } = this;
    if (this.waiting.length > 0) this.cancel(closing);
    this.urgent = true;
    this.push(bytes);
    return pendingBytes;
  }

  /**
   * The card is gone: nothing more is taken, but what was typed or pasted still arrives, so that half a paste is never
   * left open. Without a connection it is tried until there is one.
   */
  finish(): void {
    this.finishing = true;
    if (!this.empty && !this.open) this.resume();
  }

  private pump(): void {
    while (this.open && (this.urgent || this.inFlight.length < MAX_IN_FLIGHT)) {
      const piece = this.waiting.shift();
      if (!piece) {
        this.urgent = false;
        return;
      }
      this.inFlight.push(piece);
      this.sentSeq = Math.max(this.sentSeq, piece.seq);
      const { epoch } = this;
      this.options.send(piece).then(
        () => epoch === this.epoch && this.acknowledged(piece),
        (error: unknown) => epoch === this.epoch && this.failed(error),
      );
    }
  }

  private acknowledged(piece: InputPiece): void {
    this.inFlight = this.inFlight.filter((other) => other !== piece);
    this.pump();
    this.options.onChange?.();
  }

  private failed(error: unknown): void {
    this.pause();
    const unwanted = this.cancelled && error instanceof FailureError && unanswered.has(error.code);
    if (error instanceof FailureError && repeatable.has(error.code) && !unwanted) {
      this.retryTimer = setTimeout(() => this.resume(), RETRY_MS);
      return;
    }
    if (error instanceof FailureError && error.code === 'input-gap' && this.renumber(error.params?.expected)) return;
    this.waiting = [];
    this.open = true;
    this.options.onRefused(error);
    this.options.onChange?.();
  }

  /** Numbers were left out because their pieces were dropped here: what is queued takes the numbers that are expected. */
  private renumber(expected: unknown): boolean {
    if (typeof expected !== 'number' || this.waiting.length === 0) return false;
    // An earlier piece is still here: it only has to come first.
    if (expected < this.waiting[0]!.seq) {
      this.nextSeq = expected;
      this.waiting = this.waiting.map((piece) => ({ ...piece, seq: this.nextSeq++ }));
    } else if (!this.waiting.some((piece) => piece.seq === expected)) return false;
    this.waiting = this.waiting.filter((piece) => piece.seq >= expected);
    this.resume();
    return true;
  }
}

function markOf(index: number, count: number): Mark {
  if (index === 0) return 'first';
  return index === count - 1 ? 'last' : 'more';
}
