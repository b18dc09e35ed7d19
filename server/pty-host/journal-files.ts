import { access, type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** One open file of the disk. */
export type JournalFile = Pick<FileHandle, 'write' | 'close'>;

/** The disk, so that a test can fill it. */
export interface JournalFiles {
  mkdir(path: string): Promise<unknown>;
  create(path: string): Promise<JournalFile>;
  /** Opens a file to go on at `length`; what lies behind it is cut off. */
  goOn(path: string, length: number): Promise<JournalFile>;
  replace(path: string, text: string): Promise<void>;
  remove(path: string): Promise<void>;
  exists(path: string): Promise<boolean>;
  /** What was written to this file outlasts a loss of power. */
  sync(path: string): Promise<void>;
}

export const diskFiles: JournalFiles = {
  mkdir: (path) => mkdir(path, { recursive: true, mode: 0o700 }),
  create: (path) => open(path, 'w', 0o600),
  async goOn(path, length) {
    const file = await open(path, 'r+');
    try {
      await file.truncate(length);
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  },
  async replace(path, text) {
    const file = await open(`${path}.new`, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.new`, path);
  },
  remove: (path) => rm(path, { recursive: true, force: true }),
  exists: (path) =>
    access(path).then(
      () => true,
      () => false,
    ),
  async sync(path) {
    const file = await open(path, 'r');
    try {
      await file.datasync();
    } finally {
      await file.close();
    }
  },
};

/** Part of a session's output on disk: `length` bytes from stream offset `start` on. */
export interface Segment {
  start: number;
  length: number;
}

export const segmentPath = (directory: string, { start }: Segment): string =>
  join(directory, `${String(start).padStart(16, '0')}.log`);
