/** Length of the window over which the rate is taken. */
const WINDOW_MS = 50;

/** Bytes a second of a stream, over the last short window. */
export class Rate {
  private started = 0;
  private bytes = 0;
  private last = 0;

  add(bytes: number, now: number): void {
    this.roll(now);
    this.bytes += bytes;
  }

  /** The greater of the last whole window and the current one, so that the start of a flood shows at once. */
  perSecond(now: number): number {
    this.roll(now);
    return Math.max(this.last, (this.bytes * 1000) / WINDOW_MS);
  }

  private roll(now: number): void {
    const elapsed = now - this.started;
    if (elapsed < WINDOW_MS) return;
    this.last = elapsed < 2 * WINDOW_MS ? (this.bytes * 1000) / elapsed : 0;
    this.bytes = 0;
    this.started = now;
  }
}
