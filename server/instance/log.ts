import { existsSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import pino, { type Logger } from 'pino';

/** A log that has grown beyond this is put aside at the next start; the one put aside before goes. */
const MAX_LOG_BYTES = 10 * 1024 * 1024;

const secret = [
  'token',
  'key',
  'cookie',
  'authorization',
  'password',
  'control',
  'secret',
  '["set-cookie"]',
  '["x-tessera-key"]',
];
const below = (prefix: string) =>
  secret.map((name) => (name.startsWith('[') ? `${prefix}${name}` : `${prefix}.${name}`));

/** What must never be written, wherever it turns up in what is logged. */
export const redactedPaths = [
  ...secret,
  ...['*', '*.*', 'err', 'req.headers', 'headers', 'err.config.headers', 'handshake.auth', 'handshake.headers'].flatMap(
    below,
  ),
];

/** `<logsDir>/server.log` (0600), a line of JSON an event. */
export function openLog(
  logsDir: string,
  level = process.env.TESSERA_LOG_LEVEL ?? 'info',
): { log: Logger; flush(): void } {
  const file = path.join(logsDir, 'server.log');
  if (existsSync(file) && statSync(file).size > MAX_LOG_BYTES) renameSync(file, `${file}.1`);
  const destination = pino.destination({ dest: file, sync: true, mode: 0o600 });
  const known = pino.levels.values[level] !== undefined;
  const log = pino(
    {
      level: known ? level : 'info',
      base: { pid: process.pid },
      redact: { paths: redactedPaths, censor: '[redacted]' },
    },
    destination,
  );
  return { log, flush: () => destination.flushSync() };
}
