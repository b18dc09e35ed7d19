/** Answers that go out at once, in a row; more than programs ask for when they start. */
const BURST = 512;
/** How fast that fills up again. */
const PER_SECOND = 2000;
/** What is over that goes out together, after this. */
const PAUSE_MS = 16;
/** More is not kept for later: nobody who asks so much reads the answers, and they would only be typed into a shell. */
const MAX_WAITING_BYTES = 16 * 1024;

export interface RepliesHooks {
  now(): number;
  /** Calls back later; answers with a function that cancels. */
  later(ms: number, run: () => void): () => void;
  send(answers: string): void;
}

/**
 * The terminal's answers on their way to the program. Each is a write of its own, so a program that asks in a loop would
 * keep the host from everything else: beyond a burst answers are late and together, and beyond that they are dropped.
 * One that waits for each answer before it asks again loses none.
 */
export class Replies {
  private tokens = BURST;
  private filledAt: number;
  private waiting: string[] = [];
  private waitingBytes = 0;
  private cancel: (() => void) | undefined;

  constructor(private readonly hooks: RepliesHooks) {
    this.filledAt = hooks.now();
  }

  add(answer: string): void {
    if (this.waiting.length === 0) {
      this.fill();
      if (this.tokens >= 1) {
        this.tokens -= 1;
        this.hooks.send(answer);
        return;
      }
    }
    if (this.waitingBytes + answer.length > MAX_WAITING_BYTES) return;
    this.waiting.push(answer);
    this.waitingBytes += answer.length;
    this.cancel ??= this.hooks.later(PAUSE_MS, () => this.flush());
  }

  /** The program that asked is gone. */
  clear(): void {
    this.cancel?.();
    this.cancel = undefined;
    this.waiting = [];
    this.waitingBytes = 0;
  }

  private flush(): void {
    this.cancel = undefined;
    this.fill();
    const ready = this.waiting.splice(0, Math.floor(this.tokens));
    this.tokens -= ready.length;
    const answers = ready.join('');
    this.waitingBytes -= answers.length;
    if (this.waiting.length > 0) this.cancel = this.hooks.later(PAUSE_MS, () => this.flush());
    if (answers) this.hooks.send(answers);
  }

  private fill(): void {
    const now = this.hooks.now();
    this.tokens = Math.min(BURST, this.tokens + ((now - this.filledAt) * PER_SECOND) / 1000);
    this.filledAt = now;
  }
}
