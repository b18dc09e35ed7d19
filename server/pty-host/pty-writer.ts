import { writeSync } from 'node:fs';

/** A full terminal is tried again soon, and less often the longer nobody reads. */
const FIRST_RETRY_MS = 1;
const LAST_RETRY_MS = 32;

/**
 * Writes to a PTY whose descriptor does not block, in order. Node's own stream for terminals must not be used for it:
 * libuv tries a full PTY again and again without end, and nothing else in the process runs until the program reads.
 */
export class PtyWriter {
  private queue: { bytes: Buffer; done: () => void }[] = [];
  private timer: NodeJS.Timeout | undefined;
  private wait = FIRST_RETRY_MS;
  private closed = false;

  /** @param failed is told of faults other than that the terminal is gone; what they hit is not written */
  constructor(
    private readonly fd: number,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** `done` when the kernel has taken it all, or never will; always after this returns. */
  write(bytes: Buffer, done: () => void): void {
    this.queue.push({ bytes, done: () => queueMicrotask(done) });
    if (this.queue.length === 1 || this.closed) this.flush();
  }

  /** Writes what there is room for now. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (let first = this.queue[0]; first; first = this.queue[0]) {
      if (!this.closed && first.bytes.length > 0) {
        const count = this.some(first.bytes);
        if (count === 0) {
          this.retry();
          return;
        }
        this.wait = FIRST_RETRY_MS;
        first.bytes = first.bytes.subarray(count);
        if (first.bytes.length > 0) continue;
      }
      this.queue.shift();
      first.done();
    }
  }

  /** Touches the descriptor no more: it may be another's from now on. */
  close(): void {
    this.closed = true;
    this.flush();
  }

  /** How much was written; 0 where there is no room. */
  private some(bytes: Buffer): number {
    try {
      return writeSync(this.fd, bytes);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EAGAIN') return 0;
      if (code !== 'EIO') this.failed(error);
      return bytes.length;
    }
  }

  private retry(): void {
    this.timer = setTimeout(() => this.flush(), this.wait);
    this.wait = Math.min(this.wait * 2, LAST_RETRY_MS);
  }
}
