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
  /** The first byte that was meant to be kept, and how far output was on disk, at least, when this was written. */
  keptFrom: Type.Optional(Type.Integer({ minimum: 0 })),
  written: Type.Optional(Type.Integer({ minimum: 0 })),
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

/** Output that was kept and is not there, as far as it is known. */
export interface Lost {
  bytes: number;
  /** The error of the file system, when a file is there but cannot be read. */
  reason?: string;
}

/** What a journal on disk holds, as far as it can be read. */
export interface StoredJournal {
  /** Absent: it was missing or damaged. */
  meta: JournalMeta | undefined;
  /** In order; between two of them output may be missing. */
  segments: Segment[];
  /** Grows while it is read: a disk may fail only then. */
  lost: Lost;
  /** Files that look like segments and cannot be any. */
  ignored: string[];
  /** What cannot be read is answered with fewer bytes, and counted as lost. */
  read(segment: Segment): Promise<Buffer>;
}

/** Looks at the journal in a folder. Undefined: there is none. A damaged one gives what can be read, never an error. */
export async function readJournal(directory: string): Promise<StoredJournal | undefined> {
  const names = await readdir(directory).catch(() => undefined);
  if (!names) return undefined;
  const meta = await readMeta(directory);
  const lost: Lost = { bytes: 0 };
  const segments: Segment[] = [];
  const ignored: string[] = [];
  for (const name of names.sort()) {
    const match = NAME.exec(name);
    if (!match) continue;
    const start = Number(match[1]);
    const length = await lengthOf(join(directory, name));
    if (length === undefined || !Number.isSafeInteger(start + length)) {
      ignored.push(name);
      continue;
    }
    const before = segments.at(-1);
    if (before) {
      lost.bytes += Math.max(0, start - before.start - before.length);
      // What two files claim belongs to the later one.
      before.length = Math.min(before.length, start - before.start);
    }
    segments.push({ start, length });
  }
  if (segments.length === 0 && !meta) return undefined;
  const { keptFrom = 0, written = keptFrom } = meta ?? {};
  const first = segments[0];
  const last = segments.at(-1);
  if (!first || !last) lost.bytes += Math.max(0, written - keptFrom);
  else {
    if (meta?.keptFrom !== undefined) lost.bytes += Math.max(0, first.start - keptFrom);
    lost.bytes += Math.max(0, written - last.start - last.length);
  }
  const unread = new Set<Segment>();
  return {
    meta,
    segments,
    lost,
    ignored,
    read: async (segment) => {
      try {
        const bytes = await readFile(segmentPath(directory, segment));
        return bytes.subarray(0, segment.length);
      } catch (error) {
        if (!unread.has(segment)) lost.bytes += segment.length;
        unread.add(segment);
        lost.reason = (error as NodeJS.ErrnoException).code ?? String(error);
        return Buffer.alloc(0);
      }
    },
  };
}

async function readMeta(directory: string): Promise<JournalMeta | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(join(directory, 'meta.json'), 'utf8'));
    return validators.of(Meta)(value) ? value : undefined;
  } catch {
    // The caller says so.
    return undefined;
  }
}

/** Undefined: it is no file. */
async function lengthOf(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? found.size : undefined;
}
