/** One line of JSON an entry, to stdout, which is the log file. Never output of a program, never input. */
export interface Log {
  info(message: string, details?: Record<string, unknown>): void;
  error(message: string, details?: Record<string, unknown>): void;
}

export function createLog(write: (line: string) => void): Log {
  const entry = (level: string, message: string, details: Record<string, unknown> = {}): void => {
    write(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...details })}\n`);
  };
  return {
    info: (message, details) => entry('info', message, details),
    error: (message, details) => entry('error', message, details),
  };
}

export const describeError = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
