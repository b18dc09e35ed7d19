import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { Ajv } from 'ajv';
import { Cols, Exit, Rows, TerminalLimits } from '../../schemas/terminals';

/** A new file is begun at this size; the oldest one goes when all are over the limit. */
const SEGMENT_BYTES = 1024 * 1024;
/** One write to the disk. */
const WRITE_BYTES = 1024 * 1024;
/** After a failure: time until the next try. */
const RETRY_MS = 30_000;
/** Sizes that are remembered; a drag makes one or two. */
const MAX_SIZES = 500;
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
});
export type JournalMeta = Static<typeof Meta>;
const isMeta = new Ajv().compile<JournalMeta>(Meta);

/** The disk, so that a test can fill it. */
export interface JournalFiles {
  mkdir(path: string): Promise<unknown>;
  create(path: string): Promise<Pick<FileHandle, 'write' | 'close'>>;
  append(path: string): Promise<Pick<FileHandle, 'write' | 'close'>>;
  replace(path: string, text: string): Promise<void>;
  remove(path: string): Promise<void>;
}

export const diskFiles: JournalFiles = {
  mkdir: (path) => mkdir(path, { recursive: true, mode: 0o700 }),
  create: (path) => open(path, 'w', 0o600),
  append: (path) => open(path, 'a', 0o600),
  async replace(path, text) {
    await writeFile(`${path}.new`, text, { mode: 0o600 });
    await rename(`${path}.new`, path);
  },
  remove: (path) => rm(path, { recursive: true, force: true }),
};

interface Segment {
  start: number;
  length: number;
}

export interface JournalOptions {
  directory: string;
  meta: JournalMeta;
  /** Stream offset of the next byte. */
  offset: number;
  /** What is on disk already and goes on. */
  segments?: Segment[];
  limit?: number;
  files?: JournalFiles;
  later?(ms: number, run: () => void): () => void;
  changed(): void;
}

/**
 * The raw output of a session on disk: bounded, written in order, never in the way of the session. A failure (a full
 * disk) is told and tried again; the session goes on without it.
 */
export class Journal {
  readonly meta: JournalMeta;
  private readonly segments: Segment[];
  private readonly limit: number;
  private readonly files: JournalFiles;
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  private offset: number;
  private handle: Pick<FileHandle, 'write' | 'close'> | undefined;
  private metaDirty = true;
  private running: Promise<void> | undefined;
  private cancelRetry: (() => void) | undefined;
  private failure: string | undefined;
  private closed = false;

  constructor(private readonly options: JournalOptions) {
    this.meta = options.meta;
    this.offset = options.offset;
    this.segments = options.segments ?? [];
    this.limit = options.limit ?? TerminalLimits.journalBytes;
    this.files = options.files ?? diskFiles;
    this.work();
  }

  get state(): { state: 'on' } | { state: 'failed'; reason: string } {
    return this.failure === undefined ? { state: 'on' } : { state: 'failed', reason: this.failure };
  }

  /** The first byte that is still on disk. */
  get keptFrom(): number {
    return this.segments[0]?.start ?? this.offset;
  }

  /** Bytes that wait for the disk. */
  get lag(): number {
    return this.pendingBytes;
  }

  append(bytes: Buffer): void {
    if (this.closed) return;
    if (this.failure !== undefined) {
      this.offset += bytes.length;
      return;
    }
    this.pending.push(bytes);
    this.pendingBytes += bytes.length;
    this.work();
  }

  /** Output from `offset` on is made for this size. */
  size(offset: number, cols: number, rows: number): void {
    const { sizes } = this.meta;
    const last = sizes.at(-1)!;
    if (last.offset === offset) sizes.pop();
    sizes.push({ offset, cols, rows });
    if (sizes.length > MAX_SIZES) sizes.splice(0, sizes.length - MAX_SIZES);
    this.save();
  }

  update(change: Partial<JournalMeta>): void {
    Object.assign(this.meta, change);
    this.save();
  }

  /** Everything is on disk, or has failed. */
  async flush(): Promise<void> {
    while (this.running) await this.running;
  }

  async close(): Promise<void> {
    this.cancelRetry?.();
    await this.flush();
    this.closed = true;
    await this.handle?.close().catch(() => {});
    this.handle = undefined;
  }

  /** Closes and deletes. What is being written is waited for first. */
  async delete(): Promise<void> {
    this.pending = [];
    this.pendingBytes = 0;
    this.metaDirty = false;
    await this.close();
    await this.files.remove(this.options.directory);
  }

  private save(): void {
    this.metaDirty = true;
    if (this.failure === undefined) this.work();
  }

  private work(): void {
    if (this.running || this.closed) return;
    this.running = this.run().finally(() => {
      this.running = undefined;
      if (!this.closed && this.failure === undefined && (this.pending.length || this.metaDirty)) this.work();
    });
  }

  private async run(): Promise<void> {
    try {
      if (!this.handle) await this.openSegment();
      while (this.pending.length || this.metaDirty) {
        if (this.metaDirty) {
          this.metaDirty = false;
          this.dropOldSizes();
          await this.files.replace(join(this.options.directory, 'meta.json'), JSON.stringify(this.meta));
        }
        await this.writeSome();
      }
    } catch (error) {
      await this.fail(error);
    }
  }

  private async writeSome(): Promise<void> {
    let segment = this.segments.at(-1)!;
    if (segment.length >= SEGMENT_BYTES) {
      await this.nextSegment();
      segment = this.segments.at(-1)!;
    }
    const room = Math.min(WRITE_BYTES, SEGMENT_BYTES - segment.length);
    const parts: Buffer[] = [];
    let size = 0;
    while (this.pending.length && size < room) {
      const next = this.pending[0]!;
      const part = next.length > room - size ? next.subarray(0, room - size) : next;
      if (part === next) this.pending.shift();
      else this.pending[0] = next.subarray(part.length);
      parts.push(part);
      size += part.length;
    }
    if (size === 0) return;
    const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts, size);
    for (let at = 0; at < size; ) {
      const { bytesWritten } = await this.handle!.write(bytes, at, size - at);
      at += bytesWritten;
      segment.length += bytesWritten;
    }
    this.pendingBytes -= size;
    this.offset += size;
  }

  private async openSegment(): Promise<void> {
    await this.files.mkdir(this.options.directory);
    const last = this.segments.at(-1);
    if (last && last.start + last.length === this.offset) {
      this.handle = await this.files.append(this.path(last));
      return;
    }
    // There is a gap, or nothing: what lies before it is of no use any more.
    for (const old of this.segments.splice(0)) await this.files.remove(this.path(old));
    await this.createSegment();
  }

  private async nextSegment(): Promise<void> {
    await this.handle!.close();
    this.handle = undefined;
    await this.createSegment();
    let total = this.segments.reduce((sum, one) => sum + one.length, 0);
    while (this.segments.length > 1 && total + SEGMENT_BYTES > this.limit) {
      const oldest = this.segments.shift()!;
      total -= oldest.length;
      await this.files.remove(this.path(oldest));
    }
  }

  private async createSegment(): Promise<void> {
    const segment = { start: this.offset, length: 0 };
    this.handle = await this.files.create(this.path(segment));
    this.segments.push(segment);
  }

  private path(segment: Segment): string {
    return join(this.options.directory, `${String(segment.start).padStart(16, '0')}.log`);
  }

  private dropOldSizes(): void {
    const { sizes } = this.meta;
    while (sizes.length > 1 && sizes[1]!.offset <= this.keptFrom) sizes.shift();
  }

  private async fail(error: unknown): Promise<void> {
    this.failure = reasonOf(error);
    await this.handle?.close().catch(() => {});
    this.handle = undefined;
    this.offset += this.pendingBytes;
    this.pending = [];
    this.pendingBytes = 0;
    this.metaDirty = true;
    this.options.changed();
    if (this.closed) return;
    this.cancelRetry = (this.options.later ?? unrefLater)(RETRY_MS, () => {
      this.running = this.again().finally(() => {
        this.running = undefined;
        if (!this.closed && this.failure === undefined && (this.pending.length || this.metaDirty)) this.work();
      });
    });
  }

  private async again(): Promise<void> {
    try {
      await this.openSegment();
      this.failure = undefined;
      this.options.changed();
      await this.run();
    } catch (error) {
      await this.fail(error);
    }
  }
}

function unrefLater(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  timer.unref();
  return () => clearTimeout(timer);
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC') return 'The disk is full';
  if (code === 'EACCES' || code === 'EPERM') return 'The folder may not be written';
  return (message || String(error)).slice(0, 300);
}

/** What a journal on disk holds, as far as it can be read. */
export interface StoredJournal {
  /** Absent: it was missing or damaged. */
  meta: JournalMeta | undefined;
  /** The segments that follow one another up to the end. */
  segments: Segment[];
  /** Something was wrong with it and part of it is left out. */
  damaged: boolean;
  read(segment: Segment): Promise<Buffer>;
}

/** Looks at the journal in a folder. Undefined: there is none. A damaged one gives what can be read, never an error. */
export async function readJournal(directory: string): Promise<StoredJournal | undefined> {
  const names = await readdir(directory).catch(() => undefined);
  if (!names) return undefined;
  let damaged = false;
  let meta: JournalMeta | undefined;
  try {
    const value: unknown = JSON.parse(await readFile(join(directory, 'meta.json'), 'utf8'));
    if (isMeta(value)) meta = value;
  } catch {
    // Told by `damaged` below.
  }
  if (!meta) damaged = true;
  const all: Segment[] = [];
  for (const name of names.sort()) {
    const match = NAME.exec(name);
    if (!match) continue;
    const length = await stat(join(directory, name))
      .then((one) => (one.isFile() ? one.size : 0))
      .catch(() => 0);
    all.push({ start: Number(match[1]), length });
  }
  if (all.length === 0 && !meta) return undefined;
  let first = all.length - 1;
  while (first > 0 && all[first - 1]!.start + all[first - 1]!.length === all[first]!.start) first--;
  if (first > 0) damaged = true;
  const path = (segment: Segment): string => join(directory, `${String(segment.start).padStart(16, '0')}.log`);
  return {
    meta,
    segments: all.slice(Math.max(0, first)),
    damaged,
    read: async (segment) => (await readFile(path(segment)).catch(() => Buffer.alloc(0))).subarray(0, segment.length),
  };
}
