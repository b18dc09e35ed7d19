import { existsSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { PtyHostProtocol } from '../../schemas/pty-host';
import { Connection } from './connection';
import { PtyHost } from './host';
import { Listening } from './listening';
import { holdsLock, releaseLock, takeLock } from './lock';
import { createLog, describeError } from './log';
import { startedOf } from './processes';
import { startPty } from './pty';

/** Exit code when another host has the data folder: the starter looks for that one. */
const EXIT_TAKEN = 3;
const MAX_SOCKET_PATH = 107;
/** A server that finds the socket gone asks for longer than this. */
const LOOK_MS = 2000;

const { values } = parseArgs({
  options: {
    'data-dir': { type: 'string' },
    socket: { type: 'string' },
    version: { type: 'string', default: '0' },
  },
});
const log = createLog(writeLine);
const dataDir = values['data-dir'];
const socketPath = values.socket;
if (!dataDir || !socketPath || Buffer.byteLength(socketPath) > MAX_SOCKET_PATH) {
  log.error('cannot start', { reason: 'a data folder and a socket path of at most 107 bytes are needed' });
  process.exit(2);
}

// A fault in one session must not end the others.
process.on('uncaughtException', (error) => log.error('uncaught exception', { error: describeError(error) }));
process.on('unhandledRejection', (error) => log.error('unhandled rejection', { error: describeError(error) }));
process.on('SIGHUP', () => log.info('SIGHUP ignored'));
process.umask(0o077);

const lockPath = join(dataDir, 'pty-host', 'host.json');
const lock = {
  pid: process.pid,
  started: await startedOf(process.pid),
  socket: socketPath,
  directory: import.meta.dirname,
};
try {
  if (!(await takeLock(lockPath, lock))) {
    log.info('another pty host has this data folder');
    process.exit(EXIT_TAKEN);
  }
} catch (error) {
  log.error('cannot take the lock', { path: lockPath, error: describeError(error) });
  process.exit(1);
}

const host = new PtyHost({
  dataDir,
  version: values.version,
  log,
  startPty,
  exit: () => {
    listening.stop();
    releaseLock(lockPath);
    log.info('ended');
    process.exit(0);
  },
});
const listening = new Listening({
  path: socketPath,
  everyMs: LOOK_MS,
  // While the lock is ours, a socket that is there is a dead host's.
  ours: () => holdsLock(lockPath),
  log,
  connection: (socket) => {
    const connection = new Connection(
      socket,
      {
        call: (method, params, body, from) => host.call(method, params, body, from),
        notice: (name, params) => host.notice(name, params),
        closed: (from) => host.disconnected(from),
      },
      log,
    );
    host.connected(connection);
  },
});
try {
  await listening.start();
  log.info('listening', { pid: process.pid, version: values.version });
} catch (error) {
  log.error('cannot listen', { socket: socketPath, error: describeError(error) });
  releaseLock(lockPath);
  process.exit(1);
}

/** Without its lock file the next server would have to guess where this host is. One that another host has stays its. */
async function keepLock(): Promise<void> {
  if (host.isLeaving || existsSync(lockPath) || !existsSync(dirname(lockPath))) return;
  try {
    if (await takeLock(lockPath, lock)) log.info('the lock file was gone and is back');
  } catch (error) {
    log.error('the lock file is gone', { error: describeError(error) });
  }
}
setInterval(() => void keepLock(), LOOK_MS);

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void host.leave(true));

/** A log that cannot be written, on a full disk, is no reason to end anything. */
function writeLine(line: string): void {
  try {
    writeSync(1, line);
  } catch {
    // There is no other place to say it.
  }
}

const lonelyMs = Number(process.env.TESSERA_PTY_HOST_LONELY_MS) || PtyHostProtocol.lonelyMs;
setInterval(
  () => {
    if (host.lonelyFor < lonelyMs) return;
    log.info('nothing to do any more');
    void host.leave(false);
  },
  Math.min(lonelyMs / 2, 30_000),
);
