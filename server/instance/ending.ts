import type { Logger } from 'pino';
import type { Closers } from './closers';

/** A stop that takes longer is broken off, milliseconds. */
const STOPS_WITHIN_MS = 20_000;

/** Gives everything back and ends the process. */
export async function end(closers: Closers, log: Logger): Promise<never> {
  setTimeout(() => {
    log.error('the stop took too long');
    process.exit(1);
  }, STOPS_WITHIN_MS).unref();
  await closers.close();
  process.exit(0);
}

/** Ends on the signals by which a person, a terminal or a system asks for it; survives what nobody expected. */
export function endOnSignals(closers: Closers, log: Logger): void {
  // A terminal sends Ctrl+C to npm and to us, and npm passes it on: the second one must not cut the stop short.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(closers, log));
  // One request or one tab must not take everybody's server along.
  process.on('uncaughtException', (error) => log.fatal({ err: error }, 'an error that nobody expected'));
  process.on('unhandledRejection', (error) => log.fatal({ err: error }, 'a promise that nobody awaited'));
}
