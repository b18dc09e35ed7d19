/** What a start took and must give back, newest first, once. */
export class Closers {
  private readonly steps: { name: string; close: () => unknown }[] = [];
  private closing: Promise<void> | undefined;

  constructor(private readonly onError: (name: string, error: unknown) => void) {}

  add(name: string, close: () => unknown): void {
    this.steps.push({ name, close });
  }

  /** One step that fails keeps no other from being done. */
  close(): Promise<void> {
    this.closing ??= (async () => {
      for (const { name, close } of this.steps.reverse()) {
        try {
          await close();
        } catch (error) {
          this.onError(name, error);
        }
      }
    })();
    return this.closing;
  }
}
