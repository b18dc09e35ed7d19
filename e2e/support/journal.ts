import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface JournalContent {
  /** Offset of the first byte that is kept. */
  from: number;
  bytes: Buffer;
}

/** What the journal of a session holds on disk: pieces that are named after the offset of their first byte. */
export function readJournal(dataDir: string, sessionId: string): JournalContent {
  const folder = path.join(dataDir, 'scrollback', sessionId);
  const pieces = readdirSync(folder)
    .filter((name) => /^\d{16}\.log$/.test(name))
    .sort()
    .map((name) => ({ from: Number(name.slice(0, 16)), bytes: readFileSync(path.join(folder, name)) }));
  let next = pieces[0]?.from ?? 0;
  for (const piece of pieces) {
    if (piece.from !== next) throw new Error(`The journal has a hole: ${next} is followed by ${piece.from}`);
    next = piece.from + piece.bytes.length;
  }
  return { from: pieces[0]?.from ?? 0, bytes: Buffer.concat(pieces.map(({ bytes }) => bytes)) };
}
