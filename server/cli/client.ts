import type { Instance } from '../../schemas/auth';
import type { Failure } from '../../schemas/result';
import { FailureError } from '../../schemas/result';
import { dataFolders, processStartTime, runningInstance } from '../instance';
import type { ControlName, ControlReplies, controlRequests } from './control';

/** A server that does not answer a local question within this time is stuck, milliseconds. */
const ANSWER_WITHIN_MS = 10_000;

/** The running server of a data folder, or an error that says how to start one. */
export function requireInstance(dataDir: string): Instance {
  const instance = runningInstance(dataFolders(dataDir).runDir);
  if (instance) return instance;
  throw new FailureError('not-running', `No Tessera runs on ${dataDir}. Start one with "npx tessera" or "npm start".`);
}

/** Asks a running server, as a program of the same person. */
export async function control<N extends ControlName>(
  instance: Instance,
  name: N,
  body: (typeof controlRequests)[N]['static'],
): Promise<ControlReplies[N]> {
  let response: Response;
  try {
    response = await fetch(`${instance.url}/api/control/${name}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${instance.control}` },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
  } catch (error) {
    throw new FailureError(
      'no-answer',
      `Tessera (process ${instance.pid}) does not answer: ${(error as Error).message}.`,
    );
  }
  const reply = (await response.json()) as ControlReplies[N] | { error: Failure };
  if (response.ok) return reply as ControlReplies[N];
  const { error } = reply as { error: Failure };
  throw new FailureError(error.code, error.message, error.params);
}

/** Waits until a process is gone. False when it is still there after `withinMs`. */
export async function untilGone(
  { pid, startTime }: Pick<Instance, 'pid' | 'startTime'>,
  withinMs: number,
): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (processStartTime(pid) === startTime) {
    if (Date.now() > deadline) return false;
    await new Promise((done) => setTimeout(done, 25));
  }
  return true;
}

/** Waits for a server that holds the data folder to say where it is; null if it never does. */
export async function untilRunning(runDir: string, withinMs: number): Promise<Instance | null> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const instance = runningInstance(runDir);
    if (instance || Date.now() > deadline) return instance;
    await new Promise((done) => setTimeout(done, 50));
  }
}
