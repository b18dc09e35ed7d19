import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { Cols, Exit, Rows } from '../../schemas/terminals';
import { Validators } from '../../schemas/validators';
import { type Segment, segmentPath } from './journal-files';

const NAME = /^(\d{16})\.log$/;

const Meta = Type.Object({
  v: Type.Literal(1),
  /** From `offset` on the output was made for this size. In order. */
  sizes: Type.Array(Type.Object({ offset: Type.Integer({ minimum: 0 }), cols: Cols, rows: Rows }), { minItems: 1 }),
  /** Set when the program has ended; absent: it was running when this was written. */
  exit: Type.Optional(Exit),
  startedAt: Type.Integer(),
  endedAt: Type.Optional(Type.Integer()),
  title: Type.Optional(Type.String()),
  cwd: Type.Optional(Type.String()),
  /** The first process of what was running; its pid is the session id. */
  leader: Type.Optional(
    Type.Object({
      pid: Type.Integer({ minimum: 2 }),
      started: Type.String({ minLength: 1 }),
      terminal: Type.String(),
      boot: Type.String(),
    }),
  ),
});
export type JournalMeta = Static<typeof Meta>;
const validators = new Validators();

/** What a journal on disk holds, as far as it can be read. */
export interface StoredJournal {
  /** Absent: it was missing or damaged. */
  meta: JournalMeta | undefined;
  /** In order; between two of them output may be missing. */
  segments: Segment[];
  /** Something was wrong with it or is missing. */
  damaged: boolean;
  read(segment: Segment): Promise<Buffer>;
}

/** Looks at the journal in a folder. Undefined: there is none. A damaged one gives what can be read, never an error. */
export async function readJournal(directory: string): Promise<StoredJournal | undefined> {
  const names = await readdir(directory).catch(() => undefined);
  if (!names) return undefined;
  let meta: JournalMeta | undefined;
  try {
    const value: unknown = JSON.parse(await readFile(join(directory, 'meta.json'), 'utf8'));
    if (validators.of(Meta)(value)) meta = value;
  } catch {
    // Told by `damaged` below.
  }
  let damaged = !meta;
  const segments: Segment[] = [];
  for (const name of names.sort()) {
    const match = NAME.exec(name);
    if (!match) continue;
    const length = await stat(join(directory, name))
      .then((one) => (one.isFile() ? one.size : 0))
      .catch(() => 0);
    const start = Number(match[1]);
    const before = segments.at(-1);
    if (before && before.start + before.length !== start) {
      damaged = true;
      // What two files claim belongs to the later one.
      before.length = Math.min(before.length, start - before.start);
    }
    segments.push({ start, length });
  }
  if (segments.length === 0 && !meta) return undefined;
  return {
    meta,
    segments,
    damaged,
    read: async (segment) =>
      (await readFile(segmentPath(directory, segment)).catch(() => Buffer.alloc(0))).subarray(0, segment.length),
  };
}
