/** Time for the mirrors of all sessions together before input and output get their turn again. */
const BUDGET_MS = 4;

export interface Pumpable {
  /** Does a small piece of work. Answers whether there is more. */
  pump(): boolean;
}

/** Shares one slice of time among all sessions, in turn, so that ten floods delay a key no more than one does. */
export class Scheduler {
  private ring: Pumpable[] = [];
  private readonly waiting = new Set<Pumpable>();
  private scheduled = false;

  constructor(
    private readonly hooks: {
      now(): number;
      defer(run: () => void): void;
      failed(who: Pumpable, error: unknown): void;
    },
  ) {}

  add(who: Pumpable): void {
    if (!this.waiting.has(who)) {
      this.waiting.add(who);
      this.ring.push(who);
    }
    if (this.scheduled) return;
    this.scheduled = true;
    this.hooks.defer(this.run);
  }

  remove(who: Pumpable): void {
    if (this.waiting.delete(who)) this.ring = this.ring.filter((other) => other !== who);
  }

  private readonly run = (): void => {
    this.scheduled = false;
    const end = this.hooks.now() + BUDGET_MS;
    do {
      const who = this.ring.shift();
      if (!who) return;
      this.waiting.delete(who);
      if (this.pump(who) && !this.waiting.has(who)) {
        this.waiting.add(who);
        this.ring.push(who);
      }
    } while (this.hooks.now() < end);
    if (this.ring.length && !this.scheduled) {
      this.scheduled = true;
      this.hooks.defer(this.run);
    }
  };

  private pump(who: Pumpable): boolean {
    try {
      return who.pump();
    } catch (error) {
      this.hooks.failed(who, error);
      return false;
    }
  }
}
