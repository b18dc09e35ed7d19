/** About five a second. */
const NEWS_MS = 200;

export interface NewsHooks {
  now(): number;
  later(ms: number, run: () => void): () => void;
  send(): void;
}

/** News of a session: soon after something has changed, but not more often than a person can read. */
export class News {
  private timer: (() => void) | undefined;
  private sentAt = 0;
  private over = false;

  constructor(private readonly hooks: NewsHooks) {}

  /** Something has changed; it is told soon, `now` at once. */
  changed(now: boolean): void {
    if (this.over) return;
    if (now) {
      this.timer?.();
      this.send();
    } else {
      const wait = Math.max(NEWS_MS - (this.hooks.now() - this.sentAt), NEWS_MS / 10);
      this.timer ??= this.hooks.later(wait, () => this.send());
    }
  }

  dispose(): void {
    this.over = true;
    this.timer?.();
  }

  private send(): void {
    this.timer = undefined;
    this.sentAt = this.hooks.now();
    this.hooks.send();
  }
}
