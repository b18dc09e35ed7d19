/** How often a condition is looked at; short beside what a person notices. */
const LOOK_EVERY_MS = 25;

type Truthy<T> = Exclude<T, false | null | undefined | '' | 0>;

/**
 * Waits until `look` gives something true and returns it. The only way in which tests wait; on time-out the error says
 * what was awaited and what the last look saw.
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  { timeoutMs = 10_000, last }: { timeoutMs?: number; last?: () => unknown } = {},
): Promise<Truthy<T>> {
  const deadline = performance.now() + timeoutMs;
  let seen: unknown;
  for (;;) {
    try {
      const value = await look();
      if (value) return value as Truthy<T>;
      seen = value;
    } catch (error) {
      seen = error;
    }
    if (performance.now() > deadline) {
      const detail = last ? await last() : seen;
      const text =
        detail instanceof Error ? detail.message : typeof detail === 'string' ? detail : JSON.stringify(detail);
      throw new Error(`Waited ${timeoutMs} ms for ${what}; last seen: ${text}`);
    }
    await pause(LOOK_EVERY_MS);
  }
}

/** For polling loops and measurements only; a test waits with `until`. */
export function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
