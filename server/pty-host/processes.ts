import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { promisify } from 'node:util';
import type { ProcessInfo } from '../../schemas/terminals';

const MAX_COMMAND = 400;

/** One process of the machine, as far as sessions need it. */
export interface Process {
  pid: number;
  parent: number;
  /** Process group in the foreground of its terminal; -1 without one. */
  foreground: number;
  session: number;
  /** Ticks since boot (Linux) or the start as text (macOS): with the pid it names a process for good. */
  started: string;
  zombie: boolean;
}

/** Who a pid was when it was noted. */
export type ProcessKey = Pick<Process, 'pid' | 'started'>;

/** The first process of a session; its pid is the session id. */
export interface Leader extends ProcessKey {
  /** Its terminal's device, while that is open. */
  terminal: string | undefined;
}

/** The first process of a session, as it is written down for a host that comes later. */
export interface LostLeader extends ProcessKey {
  terminal: string;
  /** Start times and pids count from the start of the machine. */
  boot: string;
}

const isLinux = process.platform === 'linux';

/** Everything that runs on this machine. */
export async function allProcesses(): Promise<Process[]> {
  if (!isLinux) return psProcesses();
  const found: Process[] = [];
  for (const name of readdirSync('/proc')) {
    if (name.charCodeAt(0) > 0x39) continue;
    const one = linuxProcess(name);
    if (one) found.push(one);
  }
  return found;
}

function linuxProcess(pid: string): Process | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    // It ended in between.
    return undefined;
  }
  // The name in brackets may hold anything, brackets too.
  const [state, parent, , session, , foreground, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return {
    pid: Number(pid),
    parent: Number(parent),
    foreground: Number(foreground),
    session: Number(session),
    started: rest[13] ?? '',
    zombie: state === 'Z' || state === 'X',
  };
}

async function psProcesses(): Promise<Process[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pid=,ppid=,sess=,tpgid=,stat=,lstart='], {
    env: { ...process.env, LC_ALL: 'C' },
    maxBuffer: 16 * 1024 * 1024,
  });
  const found: Process[] = [];
  for (const line of stdout.split('\n')) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(-?\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line);
    if (!match) continue;
    const pid = Number(match[1]);
    found.push({
      pid,
      parent: Number(match[2]),
      session: Number.parseInt(match[3]!, 10) || 0,
      foreground: Number(match[4]),
      started: match[6]!,
      zombie: match[5]!.startsWith('Z'),
    });
  }
  return found;
}

/** What a process is called on its card: its command line, shortened. */
export async function commandOf(pid: number): Promise<string> {
  if (isLinux) {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replace(/\0+$/, '').replaceAll('\0', ' ');
      return (line || readFileSync(`/proc/${pid}/comm`, 'utf8').trim()).slice(0, MAX_COMMAND);
    } catch {
      return '';
    }
  }
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]);
    return stdout.trim().slice(0, MAX_COMMAND);
  } catch {
    return '';
  }
}

export interface SessionProcesses {
  /** Members of the session, its leader among them. */
  members: Process[];
  /** Those that left it by setsid: descendants, and whatever still reads or writes its terminal. */
  escaped: Process[];
}

/**
 * The processes of a session. The leader is known by pid and start: after its end a stranger may have got its pid.
 */
export function sessionProcesses(all: Process[], leader: Leader): SessionProcesses {
  const stranger = all.find((one) => one.pid === leader.pid && one.started !== leader.started);
  if (stranger) return { members: [], escaped: [] };
  const alive = all.filter((one) => !one.zombie);
  // macOS does not tell session ids to everybody: there, descent has to do.
  const inSession = (one: Process): boolean => one.session === leader.pid || one.pid === leader.pid;
  const members = alive.filter(inSession);
  const known = new Set(members.map((one) => one.pid));
  const escaped = leader.terminal ? alive.filter((one) => !known.has(one.pid) && uses(one.pid, leader.terminal!)) : [];
  for (const one of escaped) known.add(one.pid);
  for (let grew = true; grew; ) {
    grew = false;
    for (const one of alive) {
      if (known.has(one.pid) || !known.has(one.parent)) continue;
      known.add(one.pid);
      (isLinux ? escaped : members).push(one);
      grew = true;
    }
  }
  return { members, escaped };
}

/** Names this run of the machine; empty where there is no such name. */
export function bootId(): string {
  if (!isLinux) return '';
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return '';
  }
}

/**
 * What is left of a session whose host is gone. A leader that lives vouches for its session. When it has ended, only
 * those are ours that began after it and still hold its terminal or have our environment: its number may have been
 * another's meanwhile.
 */
export function leftOvers(all: Process[], lost: LostLeader): Process[] {
  if (lost.boot !== bootId()) return [];
  const leader = all.find((one) => one.pid === lost.pid);
  if (leader && leader.started !== lost.started) return [];
  const members = all.filter((one) => !one.zombie && (one.session === lost.pid || one.pid === lost.pid));
  if (leader) return members;
  if (!isLinux) return [];
  return members.filter(
    ({ pid, started }) =>
      Number(started) >= Number(lost.started) &&
      (uses(pid, lost.terminal) || uses(pid, `${lost.terminal} (deleted)`) || hasOurEnvironment(pid)),
  );
}

function hasOurEnvironment(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes('TERM_PROGRAM=tessera');
  } catch {
    return false;
  }
}

/** Whether a process has this terminal as input or output. Orphans have lost their parents but not that. */
function uses(pid: number, terminal: string): boolean {
  if (!isLinux || pid === process.pid) return false;
  for (const descriptor of [0, 1, 2]) {
    try {
      if (readlinkSync(`/proc/${pid}/fd/${descriptor}`) === terminal) return true;
    } catch {
      // Closed, ended, or another user's.
    }
  }
  return false;
}

export async function withCommands(processes: Process[]): Promise<ProcessInfo[]> {
  return Promise.all(processes.map(async ({ pid }) => ({ pid, command: await commandOf(pid) })));
}

/** Sends a signal. Which process has that number now is for the caller to know, by a list of a moment ago. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // Gone already is what was wanted; not ours to kill is said by the list of survivors.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

/** When the process started; empty when it is gone. One that ended but still has its pid is gone, unless `ended`. */
export async function startedOf(pid: number, { ended = false } = {}): Promise<string> {
  if (isLinux) {
    const found = linuxProcess(String(pid));
    return found && (ended || !found.zombie) ? found.started : '';
  }
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)], {
      env: { ...process.env, LC_ALL: 'C' },
    });
    return stdout.trim();
  } catch {
    return '';
  }
}

/** The folder of the program in the foreground, or of the shell. Only Linux tells it cheaply. */
export function foregroundFolder(shell: number): string | undefined {
  if (!isLinux) return undefined;
  const foreground = linuxProcess(String(shell))?.foreground ?? -1;
  for (const pid of foreground > 0 && foreground !== shell ? [foreground, shell] : [shell]) {
    try {
      const folder = readlinkSync(`/proc/${pid}/cwd`);
      // The kernel says so behind the path of a folder that was removed.
      return folder.endsWith(' (deleted)') ? folder.slice(0, -' (deleted)'.length) : folder;
    } catch {
      // It ended, or belongs to somebody else: ask the next one.
    }
  }
  return undefined;
}
