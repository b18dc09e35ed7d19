/** How often something may fail in a while; after that it is refused unlooked. */
export class FailedAttempts {
  private failures: number[] = [];

  constructor(
    private readonly max: number,
    private readonly windowMs: number,
    // Not the clock on the wall, which can be set back.
    private readonly now: () => number = () => performance.now(),
  ) {}

  get exhausted(): boolean {
    const since = this.now() - this.windowMs;
    this.failures = this.failures.filter((at) => at > since);
    return this.failures.length >= this.max;
  }

  add(): void {
    this.failures.push(this.now());
  }
}
