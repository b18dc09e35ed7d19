import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface JournalContent {
  /** Offset of the first byte that is kept. */
  from: number;
  bytes: Buffer;
}

/** What the journal of a session holds on disk; without an id that of the only one. */
export function readJournal(dataDir: string, sessionId?: string): JournalContent {
  const folder = path.join(dataDir, 'scrollback');
  const names = readdirSync(folder).filter((name) => !sessionId || name.startsWith(sessionId));
  return { from: 0, bytes: Buffer.concat(names.sort().map((name) => readFileSync(path.join(folder, name)))) };
}
