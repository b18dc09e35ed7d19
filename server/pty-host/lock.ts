import { linkSync, mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { startedOf } from './processes';

/** How long a server or host waits for another one that is tidying up. */
const PATIENCE_MS = 2000;

/** Who is the pty host of a data folder, and where it listens. */
export interface HostLock {
  pid: number;
  /** With the pid it names the process for good. */
  started: string;
  socket: string;
  /** The versioned copy that it runs from. */
  directory: string;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function isLock(value: unknown): value is HostLock {
  const lock = (value ?? {}) as Record<keyof HostLock, unknown>;
  const texts = [lock.started, lock.socket, lock.directory];
  return Number.isInteger(lock.pid) && Number(lock.pid) > 0 && texts.every((one) => typeof one === 'string');
}

/** The lock in this file, and whether its holder lives. Undefined: there is none that can be read. */
export async function readLock(path: string): Promise<{ lock: HostLock; alive: boolean } | undefined> {
  let lock: unknown;
  try {
    lock = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
  if (!isLock(lock)) return undefined;
  const started = await startedOf(lock.pid);
  return { lock, alive: started !== '' && started === lock.started };
}

/**
 * Takes the lock, or answers false because another live process holds it. A link makes it in one step, complete; only
 * who holds a second lock takes a dead one away, and looks again before it does.
 */
export async function takeLock(path: string, lock: HostLock): Promise<boolean> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`${path} is a folder where a file belongs. Move it away, then start again.`);
  }
  const own = `${path}.${process.pid}`;
  writeFileSync(own, JSON.stringify(lock), { mode: 0o600 });
  try {
    const end = Date.now() + PATIENCE_MS;
    do {
      if (linkOnce(own, path)) return true;
      const held = await readLock(path);
      if (held?.alive) return false;
      await removeDead(own, path);
    } while (Date.now() < end);
    return false;
  } finally {
    unlinkSync(own);
  }
}

export function releaseLock(path: string): void {
  if (holdsLock(path)) removeFile(path);
}

/** Whether the lock is there and this process has it. */
export function holdsLock(path: string): boolean {
  try {
    const lock: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isLock(lock) && lock.pid === process.pid;
  } catch {
    return false;
  }
}

async function removeDead(own: string, path: string): Promise<void> {
  const broom = `${path}.broom`;
  if (!linkOnce(own, broom)) {
    // Another one tidies up; a broom whose holder died is taken away.
    const held = await readLock(broom);
    if (!held?.alive) removeFile(broom);
    await pause(20);
    return;
  }
  try {
    const held = await readLock(path);
    if (!held?.alive) removeFile(path);
  } finally {
    removeFile(broom);
  }
}

function linkOnce(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
