import type { ProcessInfo } from '../../schemas/terminals';
import {
  allProcesses,
  type Leader,
  type LostLeader,
  leftOvers,
  type Process,
  sessionProcesses,
  signalProcess,
  withCommands,
} from './processes';

/** How often it is looked whether all have ended. */
const POLL_MS = 25;
/** After SIGKILL: what is there then sits in the kernel. */
const KILLED_MS = 2000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Ends every process of a session: asked first (SIGHUP, SIGTERM), forced after the grace time. Answers with what is
 * alive after that: above all descendants that left the session on purpose, which are not touched.
 */
export async function endSession(leader: Leader, graceMs: number): Promise<ProcessInfo[]> {
  const escaped = new Map<number, Process>();
  const left = await endAll(graceMs, (all) => {
    const { members, escaped: more } = sessionProcesses(all, leader);
    for (const one of more) escaped.set(one.pid, one);
    return members;
  });
  const alive = new Map((await allProcesses()).filter((one) => !one.zombie).map((one) => [one.pid, one.started]));
  const survivors = [...left, ...escaped.values()].filter((one) => alive.get(one.pid) === one.started);
  return withCommands(survivors);
}

/** Ends what an earlier host left of a session. Answers with what it found. */
export async function endLeftOvers(lost: LostLeader, graceMs: number): Promise<ProcessInfo[]> {
  const found = await withCommands(leftOvers(await allProcesses(), lost));
  if (found.length) await endAll(graceMs, (all) => leftOvers(all, lost));
  return found;
}

/** Ends those that `choose` picks among all processes, again and again until there are none. */
async function endAll(graceMs: number, choose: (all: Process[]) => Process[]): Promise<Process[]> {
  const leftAfter = async (ms: number): Promise<Process[]> => {
    const end = performance.now() + ms;
    for (;;) {
      const left = choose(await allProcesses());
      if (left.length === 0 || performance.now() >= end) return left;
      await pause(POLL_MS);
    }
  };
  let left = choose(await allProcesses());
  if (left.length === 0) return left;
  for (const { pid } of left) {
    signalProcess(pid, 'SIGHUP');
    signalProcess(pid, 'SIGTERM');
    // A stopped one takes its signals only when it goes on.
    signalProcess(pid, 'SIGCONT');
  }
  left = await leftAfter(graceMs);
  for (const { pid } of left) signalProcess(pid, 'SIGKILL');
  if (left.length) left = await leftAfter(KILLED_MS);
  return left;
}
