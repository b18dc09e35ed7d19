import type { InputQueue } from './viewer/input-queue';

/** Input that is under way for longer is shown; a few keys are not, the line that says "reconnecting" is enough. */
const BUSY_AFTER_MS = 1_000;
/** Less is typed and not pasted. */
export const BUSY_FROM_BYTES = 16 * 1024;

/** A paste that takes long: bytes that are still under way, and of how many. */
export interface Sending {
  left: number;
  total: number;
}

/** Says how far a long paste is, once it has taken a while, and null when all of it has arrived. */
export class SendingState {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private total = 0;
  private shown = false;

  constructor(
    private readonly input: () => Pick<InputQueue, 'empty' | 'pendingBytes'>,
    private readonly tell: (sending: Sending | null) => void,
  ) {}

  /** The queue of input is another. */
  changed(): void {
    const { empty, pendingBytes } = this.input();
    if (empty) {
      this.dispose();
      this.total = 0;
      this.shown = false;
      this.tell(null);
      return;
    }
    this.total = Math.max(this.total, pendingBytes);
    if (this.shown) this.show();
    else if (this.total >= BUSY_FROM_BYTES) this.timer ??= setTimeout(() => this.show(), BUSY_AFTER_MS);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private show(): void {
    this.shown = true;
    this.tell({ left: this.input().pendingBytes, total: this.total });
  }
}
