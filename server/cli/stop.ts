import path from 'node:path';
import { FailureError } from '../../schemas/result';
import { dataFolders, processStartTime } from '../instance';
import { readLock } from '../pty-host';
import { control, requireInstance, untilGone } from './client';

/** The server has this long to be gone, milliseconds. */
const SERVER_GONE_MS = 45_000;
/** After it the pty host: programs that ignore being asked to end are ended, and what they printed is written down. */
const HOST_GONE_MS = 15_000;

interface RunningProcess {
  pid: number;
  startTime: string;
}

/**
 * Ends the server of a data folder, and with `endSessions` all terminals. Resolves to the sentence that says so when they
 * are gone; throws `not-running`, `no-answer`, or `still-there` with what still runs.
 */
export async function stop(
  dataDir: string,
  { endSessions, hostGoneMs = HOST_GONE_MS }: { endSessions: boolean; hostGoneMs?: number },
): Promise<string> {
  const before = await ptyHost(dataDir);
  let instance: ReturnType<typeof requireInstance>;
  try {
    instance = requireInstance(dataDir);
  } catch (error) {
    if (!endSessions || !before) throw error;
    // The server is gone, its terminals are not: their host can be asked without it.
    process.kill(before.pid, 'SIGTERM');
    if (!(await untilGone(before, hostGoneMs))) throw stillThere(before, dataDir);
    return 'No server ran any more; the terminals have ended.';
  }
  await control(instance, 'stop', { endSessions });
  if (!(await untilGone(instance, SERVER_GONE_MS))) {
    throw new FailureError('still-there', `Tessera (process ${instance.pid}) is still ending.`);
  }
  if (!endSessions) return 'Tessera has ended; its terminals keep running.';
  // The one of before may have taken its name away already; one that the server started last is found only now.
  for (const host of [before, await ptyHost(dataDir)]) {
    if (host && !(await untilGone(host, hostGoneMs))) throw stillThere(host, dataDir);
  }
  return 'Tessera and its terminals have ended.';
}

/** The process that holds the terminals of a data folder, if there is one. */
async function ptyHost(dataDir: string): Promise<RunningProcess | undefined> {
  const held = await readLock(path.join(dataDir, 'pty-host', 'host.json'));
  const startTime = held?.alive ? processStartTime(held.lock.pid) : null;
  return held && startTime !== null ? { pid: held.lock.pid, startTime } : undefined;
}

function stillThere({ pid }: RunningProcess, dataDir: string): FailureError {
  return new FailureError(
    'still-there',
    `Tessera has ended, but the pty host (process ${pid}) still runs, and the terminals in it. ` +
      `Why is in ${dataFolders(dataDir).logsDir}; "kill ${pid}" ends them all.`,
  );
}
