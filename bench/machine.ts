import { readdirSync, readFileSync } from 'node:fs';
import os from 'node:os';
import { processesOf } from '../e2e/support/processes';

/** Kernel clock ticks a second; 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** Busy CPU seconds of the whole machine since it started. */
function busySeconds(): number {
  return os.cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0) / 1000;
}

/** CPU seconds that these processes used so far, with those of their ended children. */
function usedSeconds(pids: number[]): number {
  let ticks = 0;
  for (const pid of pids) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      ticks += [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' && (error as NodeJS.ErrnoException).code !== 'ESRCH')
        throw error;
    }
  }
  return ticks / TICKS_PER_SECOND;
}

/**
 * Watches how much CPU went to something else than what is measured: a figure that was taken beside busy neighbours
 * says so itself.
 */
export class NoiseMeter {
  private readonly began = performance.now();
  private readonly busy = busySeconds();
  private readonly used: number;

  constructor(private readonly homes: string[]) {
    this.used = usedSeconds(this.pids());
  }

  private pids(): number[] {
    // The browser and the servers are our children; a pty host is not, it is found by its HOME.
    const ours = [process.pid, ...this.homes.flatMap((home) => processesOf(home).map(({ pid }) => pid))];
    return [...new Set(ours.flatMap(descendants))];
  }

  /** CPU seconds that ours used meanwhile: much the same whether the machine is quiet or not. */
  ownSeconds(): number {
    return usedSeconds(this.pids()) - this.used;
  }

  /** Neighbours' CPU as a share of one core, 0 to the number of cores. Short-lived children of ours count as neighbours. */
  neighbours(): number {
    const seconds = (performance.now() - this.began) / 1000;
    return Math.max(0, (busySeconds() - this.busy - (usedSeconds(this.pids()) - this.used)) / seconds);
  }
}

/** Memory that belongs to these processes, shared pages by their share, in bytes (Linux: PSS). */
export function proportionalBytes(pids: number[]): number {
  let bytes = 0;
  for (const pid of pids) {
    try {
      const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
      bytes += Number(text.match(/^Pss:\s+(\d+) kB/m)?.[1] ?? 0) * 1024;
    } catch (error) {
      if (!['ENOENT', 'ESRCH', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
  return bytes;
}

/** A process and all that it started, and what those started. */
export function descendants(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    } catch (error) {
      if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
  const found = [pid];
  for (const one of found) found.push(...(children.get(one) ?? []));
  return found;
}

export function describeMachine(): string {
  const cpu = os.cpus()[0]?.model.trim() ?? 'unknown processor';
  return `${os.cpus().length} × ${cpu}, ${Math.round(os.totalmem() / 2 ** 30)} GiB, Node ${process.version}, ${os.type()} ${os.release()}`;
}
