import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { processStartTime } from './process-time';

/**
 * One server a data folder. The lock names its process, so that one of a killed server is nobody's. Returns the way to
 * give it back, or null while another server holds it.
 */
export function acquireLock(runDir: string): (() => void) | null {
  const file = path.join(runDir, 'server.lock');
  const mine = path.join(runDir, `server.lock.${randomBytes(6).toString('hex')}`);
  const holder = `${process.pid} ${processStartTime(process.pid)}`;
  writeFileSync(mine, holder, { mode: 0o600, flag: 'wx' });
  try {
    // A link is made whole or not at all: a lock without a holder's name never exists.
    for (let attempt = 0; attempt < 10; attempt++) {
      try {
        linkSync(mine, file);
        return () => {
          if (read(file) === holder) rmSync(file, { force: true });
        };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const found = read(file);
      if (found !== null && isHeld(found)) return null;
      if (found !== null && !dropStale(runDir, file, found)) return null;
    }
    return null;
  } finally {
    rmSync(mine, { force: true });
  }
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function isHeld(text: string): boolean {
  const [pid, startTime] = text.split(/ (.*)/s);
  return processStartTime(Number(pid)) === startTime;
}

/** False if somebody else took the lock between our look and our hand: then it is put back. */
function dropStale(runDir: string, file: string, found: string): boolean {
  const aside = path.join(runDir, `server.lock.${randomBytes(6).toString('hex')}`);
  try {
    renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
  try {
    if (read(aside) === found) return true;
    linkSync(aside, file);
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}
