import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folders of journals are called as their sessions are. */
const SESSION_ID = /^[A-Za-z0-9_-]{6,40}$/;

/** The sessions of which the pty host has kept output on disk. */
export function journalsIn(dataDir: string): string[] {
  try {
    return readdirSync(join(dataDir, 'scrollback'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && SESSION_ID.test(entry.name))
      .map(({ name }) => name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
