import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { FailureError } from '../../schemas/result';

/** Where everything is kept unless `--data-dir` says otherwise; the same rule on Linux and macOS. */
export function defaultDataDir(env: NodeJS.ProcessEnv = process.env): string {
  const base = env.XDG_DATA_HOME;
  return path.join(base && path.isAbsolute(base) ? base : path.join(env.HOME || homedir(), '.local/share'), 'tessera');
}

/** The folders that a start needs, each for the person alone (0700). */
export interface DataFolders {
  dataDir: string;
  /** instance.json, the lock, redirect files. */
  runDir: string;
  logsDir: string;
}

export function dataFolders(dataDir: string): DataFolders {
  return { dataDir, runDir: path.join(dataDir, 'run'), logsDir: path.join(dataDir, 'logs') };
}

/** Makes what is missing and closes what is open to others. Refuses a folder of somebody else. */
export function prepareDataFolders(dataDir: string): DataFolders {
  const folders = dataFolders(dataDir);
  for (const folder of Object.values(folders)) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const stat = statSync(folder);
      if (process.getuid && stat.uid !== process.getuid()) {
        throw new FailureError(
          'data-dir-foreign',
          `The folder ${folder} belongs to another user: choose one of your own with --data-dir.`,
        );
      }
      if ((stat.mode & 0o077) !== 0) chmodSync(folder, 0o700);
    } catch (error) {
      if (error instanceof FailureError) throw error;
      const reason = (error as Error).message;
      throw new FailureError(
        'data-dir-unusable',
        `The data folder ${folder} cannot be used (${reason}): mend it or choose another with --data-dir.`,
      );
    }
  }
  // One name for one folder, however it was spelt: what runs in it is known by that.
  return dataFolders(realpathSync(dataDir));
}

/** The kernel cuts a longer socket path without a word; room for the longest name that we use is left. */
const MAX_SOCKETS_DIR = 107 - '/pty-host.sock'.length;

/**
 * Where sockets live: in a folder of the data folder's own below $XDG_RUNTIME_DIR, or beside the instance file where
 * there is no such folder that is private to the person, or below the temporary one where either path would be too long
 * for a socket. Answers anew each time: a system removes $XDG_RUNTIME_DIR at the last logout.
 */
export function socketsDir(
  { dataDir, runDir }: DataFolders,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const name = `tessera-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`;
  const fits = (folder: string): boolean => Buffer.byteLength(folder) <= MAX_SOCKETS_DIR;
  const runtime = env.XDG_RUNTIME_DIR;
  if (runtime && path.isAbsolute(runtime) && isPrivate(runtime) && fits(path.join(runtime, name))) {
    return privateFolder(path.join(runtime, name));
  }
  return fits(runDir) ? runDir : privateFolder(path.join(tmpdir(), name));
}

function isPrivate(folder: string): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0;
}

function privateFolder(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stat = lstatSync(folder);
  if (!stat.isDirectory() || stat.uid !== process.getuid?.()) {
    throw new FailureError(
      'sockets-dir-foreign',
      `The folder ${folder} belongs to somebody else: choose a data folder with a shorter path.`,
    );
  }
  chmodSync(folder, 0o700);
  return folder;
}
