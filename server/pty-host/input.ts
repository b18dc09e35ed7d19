import { FailureError } from '../../schemas/result';

/** Inputs whose last piece is remembered, so that a repeated one is answered and not typed again. */
const REMEMBERED_INPUTS = 64;
/** Input that waits for a program which does not read. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
/** Below this an input is answered at once; above it only when the program has read some. */
const EASY_BYTES = 256 * 1024;
/** An answer does not wait longer than this; the input is safe in the queue. */
const MAX_ANSWER_DELAY_MS = 5000;
/** Replies to queries that pile up behind a program which does not read are dropped beyond this. */
const MAX_REPLY_BACKLOG = 64 * 1024;
/** A paste whose next piece does not come for this long is over. */
const PASTE_GUARD_MS = 10_000;
/** Around a bracketed paste. */
const PASTE_START = Buffer.from('\x1b[200~');
const PASTE_END = Buffer.from('\x1b[201~');
/** A terminal has room for this, whatever it holds unread (Linux: 4095 bytes; macOS: about 1000). */
const EASY_UNREAD_BYTES = 1000;
/** One write to the PTY. */
const WRITE_BYTES = 16 * 1024;

/** Ctrl+C, Ctrl+Z and Ctrl+\\, typed alone. */
const INTERRUPTS = new Set([0x03, 0x1a, 0x1c]);

export interface InputPiece {
  inputId: string;
  seq: number;
  paste?: 'first' | 'more' | 'last';
}

export interface InputHooks {
  /** Writes to the PTY; `done` when the kernel has taken it all. */
  write(bytes: Buffer, done: () => void): void;
  /** Sees to it that the terminal gets a key that interrupts, although its programs may not have read what was before. */
  makeWay(key: number, written: () => boolean): Promise<void>;
  now(): number;
  /** Calls back later; answers with a function that cancels. */
  later(ms: number, run: () => void): () => void;
}

/**
 * What goes to the program: each piece once, in order, nothing in the middle of a paste, and never more under way than
 * the program reads. A key that interrupts overtakes what waits, which is dropped.
 */
export class Input {
  private readonly seen = new Map<string, number>();
  private queue: Buffer[] = [];
  private waiting = 0;
  private writing = false;
  private answers: (() => void)[] = [];
  private paste: { inputId: string; held: Buffer[]; bracketed: boolean; cancelGuard: () => void } | undefined;
  /** Whose bracketed paste was given up: should the rest come after all, it must not be taken for typed. */
  private cutOff: string | undefined;
  /** Whose paste was interrupted: its rest is taken and not written. */
  private interrupted: string | undefined;
  /** The program was told that a bracketed paste begins, and not yet that it ends. */
  private inBrackets = false;
  /** The most that the program can have left unread. */
  private unread = 0;
  /** Ways that are being made for interrupts, and what goes before the last of them, itself included. The rest waits. */
  private ways = 0;
  private ahead = 0;
  private lastWritten = Buffer.alloc(0);
  private closed = false;

  constructor(private readonly hooks: InputHooks) {}

  /** Answers when the piece is accepted. A piece that was there before is answered and not written again. */
  accept(piece: InputPiece, bytes: Buffer): Promise<void> {
    const last = this.seen.get(piece.inputId);
    if (last !== undefined && piece.seq <= last) return Promise.resolve();
    if (last !== undefined && piece.seq !== last + 1) {
      throw new FailureError('input-gap', `Piece ${last + 1} of the input is missing`, { expected: last + 1 });
    }
    if (this.waiting + bytes.length > MAX_WAITING_BYTES) {
      throw new FailureError('input-full', 'The program does not read its input');
    }
    this.seen.delete(piece.inputId);
    this.seen.set(piece.inputId, piece.seq);
    if (this.seen.size > REMEMBERED_INPUTS) this.seen.delete(this.seen.keys().next().value as string);
    if (piece.paste === undefined || piece.paste === 'first') {
      if (this.interrupted === piece.inputId) this.interrupted = undefined;
    } else if (this.interrupted === piece.inputId) return Promise.resolve();
    const interrupts = bytes.length === 1 && INTERRUPTS.has(bytes[0]!);
    if (interrupts) this.interrupt();
    this.route(piece, bytes);
    if (interrupts) this.makeWay(bytes[0]!);
    return this.easy();
  }

  /** A terminal's own answer to a query. */
  reply(bytes: Buffer): void {
    if (this.waiting > MAX_REPLY_BACKLOG) return;
    if (this.paste) this.hold(bytes);
    else this.push(bytes);
  }

  /** The program has ended: what it did not read is gone. */
  close(): void {
    this.closed = true;
    this.queue = [];
    this.waiting = 0;
    this.paste?.cancelGuard();
    this.paste = undefined;
    this.release();
  }

  /** What the program has not read must not keep it from being interrupted, and is dropped as a terminal drops it. */
  private interrupt(): void {
    if (this.queue.length === 0 && !this.paste) return;
    const { paste } = this;
    for (const bytes of [...this.queue, ...(paste?.held ?? [])]) this.waiting -= bytes.length;
    this.queue = [];
    paste?.cancelGuard();
    // A second interrupt does not make the rest of a paste that the first cut off into typed keys.
    if (paste) this.interrupted = paste.inputId;
    this.paste = undefined;
    if (this.inBrackets) this.push(PASTE_END);
    if (this.waiting < EASY_BYTES) this.release();
  }

  /** Past our own queue there is the terminal's, and an interrupt must not wait there either. */
  private makeWay(key: number): void {
    if (this.unread < EASY_UNREAD_BYTES || this.closed) return;
    this.ways++;
    this.ahead = this.queue.length;
    const written = (): boolean => this.closed || (this.ahead === 0 && !this.writing);
    void this.hooks.makeWay(key, written).then(() => {
      this.ways--;
      if (written()) this.unread = 0;
      this.next();
    });
  }

  private noteBrackets(bytes: Buffer): void {
    const written = Buffer.concat([this.lastWritten, bytes]);
    const start = written.lastIndexOf(PASTE_START);
    const end = written.lastIndexOf(PASTE_END);
    if (start >= 0 || end >= 0) this.inBrackets = start > end;
    this.lastWritten = written.subarray(-(PASTE_START.length - 1));
  }

  private route(piece: InputPiece, bytes: Buffer): void {
    const { paste } = this;
    if (paste && paste.inputId !== piece.inputId) {
      this.hold(bytes);
      return;
    }
    const rest = !paste && this.cutOff === piece.inputId && (piece.paste === 'more' || piece.paste === 'last');
    if (piece.paste === 'first' || (piece.paste === 'more' && !paste)) {
      this.openPaste(piece.inputId, rest || bytes.subarray(0, PASTE_START.length).equals(PASTE_START));
    } else if (paste) this.guard(paste);
    if (rest) this.push(PASTE_START);
    if (this.cutOff === piece.inputId) this.cutOff = undefined;
    this.push(bytes);
    if (this.paste && piece.paste !== 'first' && piece.paste !== 'more') this.closePaste();
  }

  private openPaste(inputId: string, bracketed: boolean): void {
    this.paste?.cancelGuard();
    const paste = { inputId, held: this.paste?.held ?? [], bracketed, cancelGuard: () => {} };
    this.paste = paste;
    this.guard(paste);
  }

  private guard(paste: NonNullable<Input['paste']>): void {
    paste.cancelGuard();
    paste.cancelGuard = this.hooks.later(PASTE_GUARD_MS, () => this.giveUpPaste());
  }

  /** Its tab is gone: a program that waits for the end of the paste would take every key for a part of it. */
  private giveUpPaste(): void {
    if (this.paste?.bracketed) {
      this.cutOff = this.paste.inputId;
      this.push(PASTE_END);
    }
    this.closePaste();
  }

  private closePaste(): void {
    const { paste } = this;
    if (!paste) return;
    paste.cancelGuard();
    this.paste = undefined;
    for (const bytes of paste.held) {
      this.waiting -= bytes.length;
      this.push(bytes);
    }
  }

  private hold(bytes: Buffer): void {
    this.waiting += bytes.length;
    this.paste!.held.push(bytes);
  }

  private push(bytes: Buffer): void {
    if (this.closed || bytes.length === 0) return;
    for (let at = 0; at < bytes.length; at += WRITE_BYTES) this.queue.push(bytes.subarray(at, at + WRITE_BYTES));
    this.waiting += bytes.length;
    this.next();
  }

  private next(): void {
    // Input that comes after an interrupt must not be dropped with what was before it.
    if (this.writing || (this.ways > 0 && this.ahead === 0)) return;
    const bytes = this.queue.shift();
    if (!bytes) return;
    if (this.ways > 0) this.ahead--;
    this.writing = true;
    this.unread += bytes.length;
    this.noteBrackets(bytes);
    this.hooks.write(bytes, () => {
      this.writing = false;
      if (this.closed) return;
      this.waiting -= bytes.length;
      if (this.waiting < EASY_BYTES) this.release();
      this.next();
    });
  }

  private easy(): Promise<void> {
    if (this.waiting < EASY_BYTES || this.closed) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.hooks.later(MAX_ANSWER_DELAY_MS, resolve);
      this.answers.push(() => {
        cancel();
        resolve();
      });
    });
  }

  private release(): void {
    for (const answer of this.answers.splice(0)) answer();
  }
}
