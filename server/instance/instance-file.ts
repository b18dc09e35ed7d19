import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Value } from '@sinclair/typebox/value';
import { Instance } from '../../schemas/auth';
import { writePrivateFile } from './private-file';
import { processStartTime } from './process-time';

const fileOf = (runDir: string) => path.join(runDir, 'instance.json');

/** run/instance.json (0600): how local tools of the same person find the server and prove that they are one. */
export function writeInstance(runDir: string, instance: Instance): void {
  writePrivateFile(fileOf(runDir), `${JSON.stringify(instance)}\n`);
}

/** The running server of a data folder; null when there is none, also when the file is of one that is gone. */
export function runningInstance(runDir: string): Instance | null {
  const instance = readInstance(runDir);
  return instance && processStartTime(instance.pid) === instance.startTime ? instance : null;
}

function readInstance(runDir: string): Instance | null {
  let text: string;
  try {
    text = readFileSync(fileOf(runDir), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    const value: unknown = JSON.parse(text);
    return Value.Check(Instance, value) ? value : null;
  } catch {
    // Half a file can only be of a start that failed; the lock says whether one is under way.
    return null;
  }
}

/** Removes the file if it is this process's own. */
export function removeInstance(runDir: string): void {
  if (readInstance(runDir)?.pid === process.pid) rmSync(fileOf(runDir), { force: true });
}
