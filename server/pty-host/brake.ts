/** The PTY is paused when this much waits for the mirror or for the disk, and goes on below the second figure. */
export const PAUSE_BYTES = 4 * 1024 * 1024;
const RESUME_BYTES = 1024 * 1024;

export interface BrakeHooks {
  now(): number;
  later(ms: number, run: () => void): () => void;
  /** Bytes that wait for the slowest of those who need all of them. */
  waiting(): number;
  pause(): void;
  resume(): void;
  /** A hold is over. */
  released(): void;
}

/** Slows a program down by not reading from it: when we fall behind, or for a moment while a key is pressed elsewhere. */
export class Brake {
  private paused = false;
  private heldUntil = 0;
  private cancelHold: (() => void) | undefined;

  constructor(private readonly hooks: BrakeHooks) {}

  get held(): boolean {
    return this.cancelHold !== undefined;
  }

  hold(ms: number): void {
    this.heldUntil = this.hooks.now() + ms;
    if (this.cancelHold) return;
    this.set(true);
    this.cancelHold = this.hooks.later(ms, () => this.endHold());
  }

  /** To be called when what waits may have changed. */
  check(): void {
    const waiting = this.hooks.waiting();
    if (waiting > PAUSE_BYTES) this.set(true);
    else if (waiting < RESUME_BYTES && !this.held) this.set(false);
  }

  /** A new program is read from. */
  reset(): void {
    this.paused = false;
  }

  dispose(): void {
    this.cancelHold?.();
    this.cancelHold = undefined;
  }

  private endHold(): void {
    const left = this.heldUntil - this.hooks.now();
    if (left > 1) {
      this.cancelHold = this.hooks.later(left, () => this.endHold());
      return;
    }
    this.cancelHold = undefined;
    this.check();
    this.hooks.released();
  }

  private set(pause: boolean): void {
    if (this.paused === pause) return;
    this.paused = pause;
    if (pause) this.hooks.pause();
    else this.hooks.resume();
  }
}
