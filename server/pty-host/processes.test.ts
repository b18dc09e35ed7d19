import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { endLeftOvers } from './ending';
import { allProcesses, bootId, leftOvers, type Process, sessionProcesses, startedOf } from './processes';
import { until } from './testing';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) if (child.exitCode === null) child.kill('SIGKILL');
});

/** A shell at the head of its own session, which tells when its script has come to `echo`. */
async function session(script: string, env: Record<string, string> = {}): Promise<ChildProcess> {
  const child = spawn('/bin/bash', ['-c', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...env } as NodeJS.ProcessEnv,
  });
  children.push(child);
  await once(child.stdout!, 'data');
  return child;
}

const processOf = (pid: number, change: Partial<Process> = {}): Process => ({
  ...{ pid, parent: 1, foreground: -1, session: pid, started: '100', zombie: false },
  ...change,
});

describe('the start of a process', () => {
  it('is known of one that ended while nobody has taken note', async () => {
    // The shell never waits for its child.
    const parent = await session('sleep 0 & echo $!; exec sleep 60');
    let zombie: Process | undefined;
    await until('its child has ended', () => {
      void allProcesses().then((all) => {
        zombie = all.find((one) => one.parent === parent.pid && one.zombie);
      });
      return zombie !== undefined;
    });
    expect(await startedOf(zombie!.pid)).toBe('');
    expect(await startedOf(zombie!.pid, { ended: true })).toBe(zombie!.started);
  });

  it('tells a session from a stranger with the same number', () => {
    const leader = { pid: 500, started: '50', terminal: undefined };
    expect(sessionProcesses([processOf(500)], leader).members).toEqual([]);
    expect(sessionProcesses([processOf(500)], { ...leader, started: '100' }).members).toHaveLength(1);
    expect(sessionProcesses([processOf(500)], { ...leader, started: '' }).members).toEqual([]);
  });
});

describe('what an earlier host left behind', () => {
  const lost = { pid: 999_999_500, started: '100', terminal: '/dev/pts/none', boot: bootId() };

  it('is the session of a leader that lives, and nothing of a stranger or of another run of the machine', () => {
    const all = [processOf(lost.pid), processOf(lost.pid + 1, { session: lost.pid, started: '120' }), processOf(7)];
    expect(leftOvers(all, lost).map(({ pid }) => pid)).toEqual([lost.pid, lost.pid + 1]);
    expect(leftOvers(all, { ...lost, started: '99' })).toEqual([]);
    expect(leftOvers(all, { ...lost, boot: 'another' })).toEqual([]);
    // Its leader has ended, and nothing says that it is ours.
    expect(leftOvers(all.slice(1), lost)).toEqual([]);
  });

  it('is ended, with force where that is needed', async () => {
    const shell = await session('trap "" HUP TERM; sleep 600 & echo go; while :; do sleep 0.1; done');
    const leader = { ...lost, pid: shell.pid!, started: await startedOf(shell.pid!) };
    const ended = await endLeftOvers(leader, 100);
    expect(ended.map(({ pid }) => pid)).toContain(shell.pid);
    expect(ended.length).toBeGreaterThan(1);
    const left = (await allProcesses()).filter((one) => one.session === shell.pid && !one.zombie);
    expect(left).toEqual([]);
  });

  it('of a leader that has ended is known by its environment', async () => {
    const shell = await session('sleep 600 & echo $!; wait', { TERM_PROGRAM: 'tessera' });
    const other = await session('sleep 600 & echo $!; wait');
    const lostOf = async ({ pid }: ChildProcess) => ({ ...lost, pid: pid!, started: await startedOf(pid!) });
    const leaders = [await lostOf(shell), await lostOf(other)];
    for (const child of [shell, other]) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    const ofShell = (await allProcesses()).filter((one) => one.session === shell.pid);
    expect((await endLeftOvers(leaders[0]!, 500)).map(({ pid }) => pid)).toEqual(ofShell.map(({ pid }) => pid));
    expect(ofShell).toHaveLength(1);
    expect(await endLeftOvers(leaders[1]!, 500)).toEqual([]);
    const spared = (await allProcesses()).filter((one) => one.session === other.pid);
    expect(spared).toHaveLength(1);
    process.kill(spared[0]!.pid, 'SIGKILL');
  });
});
