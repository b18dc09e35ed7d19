import type { Logger } from 'pino';
import { FailureError } from '../../schemas/result';
import type { Closers } from './closers';

/**
 * A stop that takes longer is broken off, milliseconds. More than its longest part: terminals that were closed are ended,
 * a pty host that does not answer is waited for, and it is asked to end (4, 8 and 10 seconds).
 */
const STOPS_WITHIN_MS = 30_000;

/** Gives everything back and ends the process: with 0, or with 1 and the reasons when something could not be ended. */
export async function end(closers: Closers, log: Logger): Promise<never> {
  setTimeout(() => {
    log.error('the stop took too long');
    process.exit(1);
  }, STOPS_WITHIN_MS).unref();
  const failures = await closers.close();
  for (const failure of failures) {
    if (failure instanceof FailureError) process.stderr.write(`Not everything could be ended: ${failure.message}\n`);
  }
  process.exit(failures.length > 0 ? 1 : 0);
}

/** Ends on the signals by which a person, a terminal or a system asks for it; survives what nobody expected. */
export function endOnSignals(closers: Closers, log: Logger): void {
  // A terminal sends Ctrl+C to npm and to us, and npm passes it on: the second one must not cut the stop short.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(closers, log));
  // One request or one tab must not take everybody's server along.
  process.on('uncaughtException', (error) => log.fatal({ err: error }, 'an error that nobody expected'));
  process.on('unhandledRejection', (error) => log.fatal({ err: error }, 'a promise that nobody awaited'));
}
