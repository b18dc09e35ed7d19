import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { until } from './until';

export interface RunningProcess {
  pid: number;
  parent: number;
  command: string;
}

/**
 * Every live process that was started with this HOME: the server of a test, its pty host, their shells and what those
 * started. A test's HOME is a folder of its own, so this finds what a pid file would miss, and nothing else.
 */
export function processesOf(home: string): RunningProcess[] {
  return existsSync('/proc/self/environ') ? fromProc(home) : fromPs(home);
}

function fromProc(home: string): RunningProcess[] {
  const wanted = `\0HOME=${home}\0`;
  const found: RunningProcess[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    try {
      if (!`\0${readFileSync(`/proc/${name}/environ`, 'latin1')}`.includes(wanted)) continue;
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (fields[0] === 'Z') continue;
      const command = readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ').trim();
      found.push({ pid: Number(name), parent: Number(fields[1]), command });
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
  return found;
}

/** It ended while we looked, or it belongs to somebody else: then it is not ours. */
function isGone(error: unknown): boolean {
  return ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '');
}

function fromPs(home: string): RunningProcess[] {
  const text = execFileSync('ps', ['-axEww', '-o', 'pid=,ppid=,command='], { encoding: 'utf8', maxBuffer: 64 << 20 });
  return text
    .split('\n')
    .filter((line) => line.includes(` HOME=${home} `))
    .map((line) => line.trim().match(/^(\d+)\s+(\d+)\s+(.*)$/))
    .filter((match) => match !== null)
    .map((match) => ({ pid: Number(match[1]), parent: Number(match[2]), command: match[3] ?? '' }))
    .filter((entry) => entry.pid !== process.pid);
}

/** Ends all of them, the hard way, and waits until they are gone. */
export async function endProcessesOf(home: string): Promise<void> {
  await until(
    `the processes of ${home} to end`,
    () => {
      const left = processesOf(home);
      for (const { pid } of left) signal(pid, 'SIGKILL');
      return left.length === 0;
    },
    { timeoutMs: 20_000, last: () => processesOf(home) },
  );
}

/** Sends a signal; a process that is gone already is no error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\S+ \(.*\) Z/.test(existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'latin1') : '');
  } catch {
    return false;
  }
}

/** Resident memory in bytes; 0 when it is gone. */
export function residentBytes(pid: number): number {
  const status = `/proc/${pid}/status`;
  if (!existsSync('/proc/self/status'))
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024;
  if (!existsSync(status)) return 0;
  return Number(readFileSync(status, 'latin1').match(/^VmRSS:\s+(\d+) kB/m)?.[1] ?? 0) * 1024;
}

/** Open file descriptors of a process (Linux). */
export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
