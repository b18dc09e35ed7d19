import type { ProcessInfo } from '../../schemas/terminals';
import { allProcesses, type Leader, type Process, sessionProcesses, signalProcess, withCommands } from './processes';

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
  const first = sessionProcesses(await allProcesses(), leader);
  const escaped = new Map(first.escaped.map((one) => [one.pid, one]));
  for (const { pid } of first.members) {
    signalProcess(pid, 'SIGHUP');
    signalProcess(pid, 'SIGTERM');
    // A stopped one takes its signals only when it goes on.
    signalProcess(pid, 'SIGCONT');
  }
  const membersAfter = async (ms: number): Promise<Process[]> => {
    const end = performance.now() + ms;
    for (;;) {
      const { members, escaped: more } = sessionProcesses(await allProcesses(), leader);
      for (const one of more) escaped.set(one.pid, one);
      if (members.length === 0 || performance.now() >= end) return members;
      await pause(POLL_MS);
    }
  };
  let members = first.members.length ? await membersAfter(graceMs) : [];
  if (members.length) {
    for (const { pid } of members) signalProcess(pid, 'SIGKILL');
    members = await membersAfter(KILLED_MS);
  }
  const alive = new Map((await allProcesses()).filter((one) => !one.zombie).map((one) => [one.pid, one.started]));
  const survivors = [...members, ...escaped.values()].filter((one) => alive.get(one.pid) === one.started);
  return withCommands(survivors);
}
