/** What a start took and must give back, newest first, once. */
export class Closers {
  private readonly steps: { name: string; close: () => unknown }[] = [];
  private closing: Promise<unknown[]> | undefined;

  constructor(private readonly onError: (name: string, error: unknown) => void) {}

  add(name: string, close: () => unknown): void {
    this.steps.push({ name, close });
  }

  /** One step that fails keeps no other from being done. Resolves to why steps failed. */
  close(): Promise<unknown[]> {
    this.closing ??= (async () => {
      const failures: unknown[] = [];
      for (const { name, close } of this.steps.reverse()) {
        try {
          await close();
        } catch (error) {
          failures.push(error);
          this.onError(name, error);
        }
      }
      return failures;
    })();
    return this.closing;
  }
}
