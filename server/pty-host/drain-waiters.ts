/** Those who wait until the screen shows what had come when they asked. */
export class DrainWaiters {
  private waiting: { offset: number; done: () => void }[] = [];

  /** Resolves when the screen shows all up to `offset`, in bytes; offsets never fall from one call to the next. */
  wait(offset: number): Promise<void> {
    return new Promise((done) => this.waiting.push({ offset, done }));
  }

  /** The screen shows all up to `offset`; `Infinity` lets everybody go. */
  reached(offset: number): void {
    while (this.waiting[0] && offset >= this.waiting[0].offset) this.waiting.shift()!.done();
  }
}
