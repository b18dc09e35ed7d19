import { join } from 'node:path';
import { TerminalLimits } from '../../schemas/terminals';
import { diskFiles, type JournalFile, type JournalFiles, type Segment, segmentPath } from './journal-files';
import type { JournalMeta } from './stored-journal';

/** A new file is begun at this size; the oldest one goes when all are over the limit. */
const SEGMENT_BYTES = 1024 * 1024;
/** Gaps make short files; there are never more than this many. */
const MAX_SEGMENTS = 64;
/** After a failure: time until the next try. */
const RETRY_MS = 30_000;
/** While the disk fails the latest output waits in memory, up to this much. */
const KEEP_BYTES = 1024 * 1024;
const MAX_PIECES = 4096;
/** Output outlasts a loss of power when it is older than about this. */
const SYNC_MS = 1000;
/** Sizes that are remembered; a drag makes one or two. */
const MAX_SIZES = 500;

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
  /** `lag` may have become less. */
  written?(): void;
}

/**
 * The raw output of a session on disk: bounded, written in order, never in the way of the session. A failure (a full
 * disk) is told and tried again; the session goes on without it, and the latest output waits. What has no room to wait
 * is missing on disk, between two files: each is named by the offset of its first byte, so all offsets stay true. Files
 * that somebody removed are begun anew.
 */
export class Journal {
  readonly meta: JournalMeta;
  private readonly segments: Segment[];
  private readonly limit: number;
  private readonly files: JournalFiles;
  private readonly later: (ms: number, run: () => void) => () => void;
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  /** Stream offset of the first byte that is not on disk: `offset + pendingBytes` is the end of the stream. */
  private offset: number;
  private file: JournalFile | undefined;
  private metaDirty = true;
  private running: Promise<void> | undefined;
  private cancelRetry: (() => void) | undefined;
  private cancelSync: (() => void) | undefined;
  private readonly unsynced = new Set<Segment>();
  /** Files of it were found missing. */
  private filesGone = false;
  private failure: string | undefined;
  private closed = false;
  private deleted = false;

  constructor(private readonly options: JournalOptions) {
    this.meta = options.meta;
    this.offset = options.offset;
    this.segments = options.segments ?? [];
    this.limit = options.limit ?? TerminalLimits.journalBytes;
    this.files = options.files ?? diskFiles;
    this.later = options.later ?? unrefLater;
    this.meta.keptFrom ??= this.keptFrom;
    this.work();
  }

  get state(): { state: 'on' } | { state: 'failed'; reason: string } {
    return this.failure === undefined ? { state: 'on' } : { state: 'failed', reason: this.failure };
  }

  /** The first byte that is still on disk. */
  get keptFrom(): number {
    return this.segments[0]?.start ?? this.offset;
  }

  /** Bytes that the disk is to take now; none while it fails. */
  get lag(): number {
    return this.failure !== undefined && !this.running ? 0 : this.pendingBytes;
  }

  append(bytes: Buffer): void {
    if (this.closed) return;
    this.pending.push(bytes);
    this.pendingBytes += bytes.length;
    if (this.failure === undefined) this.work();
    // What is being tried just now must stay as it is.
    else if (!this.running) this.trim();
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
    // For whoever reads it: so much was there.
    if (!this.deleted && this.meta.written !== this.offset + this.pendingBytes) this.save();
    this.closed = true;
    await this.flush();
    this.cancelRetry?.();
    this.cancelSync?.();
    if (this.failure !== undefined && !this.deleted) {
      // The last chance of what waits.
      this.begin();
      await this.flush();
    }
    await this.file?.close().catch(() => {});
    this.file = undefined;
    if (!this.deleted) await this.sync();
  }

  /** Closes and deletes. What is being written is waited for first. */
  async delete(): Promise<void> {
    this.deleted = true;
    this.pending = [];
    this.pendingBytes = 0;
    this.metaDirty = false;
    await this.close();
    await this.files.remove(this.options.directory);
  }

  private save(): void {
    if (this.closed) return;
    this.metaDirty = true;
    this.work();
  }

  private work(): void {
    if (this.failure === undefined) this.begin();
  }

  private begin(): void {
    if (this.running) return;
    this.running = this.run().finally(() => {
      this.running = undefined;
      this.options.written?.();
      if (this.pending.length || this.metaDirty) this.work();
    });
  }

  private async run(): Promise<void> {
    try {
      await this.writeAll().catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT' || this.deleted) throw error;
        this.filesGone = true;
        this.metaDirty = true;
        await this.writeAll();
      });
      this.succeeded();
    } catch (error) {
      await this.fail(error);
    }
  }

  private async writeAll(): Promise<void> {
    do {
      if (this.filesGone) await this.letGoOfMissing();
      if (!this.file) await this.openSegment();
      if (this.metaDirty) {
        this.metaDirty = false;
        await this.writeMeta();
      }
      await this.writeSome();
      // Once for each file: should it be gone one day, that is known.
      const { start, length } = this.segments.at(-1)!;
      if (length > 0 && (this.meta.written ?? 0) <= start) this.metaDirty = true;
    } while (this.pending.length || this.metaDirty);
  }

  /** Somebody removed files while they were open: what is written to those would never be found. */
  private async letGoOfMissing(): Promise<void> {
    this.filesGone = false;
    await this.file?.close().catch(() => {});
    this.file = undefined;
    const left: Segment[] = [];
    for (const segment of this.segments) if (await this.files.exists(this.path(segment))) left.push(segment);
    this.segments.splice(0, this.segments.length, ...left);
  }

  private async writeMeta(): Promise<void> {
    this.dropOldSizes();
    this.meta.written = this.offset;
    await this.files.replace(join(this.options.directory, 'meta.json'), JSON.stringify(this.meta));
  }

  private async writeSome(): Promise<void> {
    if (this.segments.at(-1)!.length >= SEGMENT_BYTES) await this.nextSegment();
    const segment = this.segments.at(-1)!;
    const bytes = this.take(SEGMENT_BYTES - segment.length);
    if (!bytes) return;
    let at = 0;
    try {
      while (at < bytes.length) {
        const { bytesWritten } = await this.file!.write(bytes, at, bytes.length - at, segment.length);
        at += bytesWritten;
        segment.length += bytesWritten;
        this.offset += bytesWritten;
        this.pendingBytes -= bytesWritten;
      }
    } catch (error) {
      if (!this.deleted) this.pending.unshift(bytes.subarray(at));
      throw error;
    }
    this.succeeded();
    this.syncSoon(segment);
    this.options.written?.();
  }

  /** Takes the next bytes, `room` at most, out of what waits. */
  private take(room: number): Buffer | undefined {
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
    return parts.length > 1 ? Buffer.concat(parts, size) : parts[0];
  }

  private async openSegment(): Promise<void> {
    await this.files.mkdir(this.options.directory);
    const last = this.segments.at(-1);
    if (last && last.start + last.length === this.offset) {
      try {
        this.file = await this.files.goOn(this.path(last), last.length);
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
        this.segments.pop();
      }
    } else if (last?.length === 0) {
      await this.remove(this.segments.pop()!);
    }
    await this.createSegment();
  }

  private async nextSegment(): Promise<void> {
    await this.file!.close();
    this.file = undefined;
    await this.createSegment();
  }

  private async createSegment(): Promise<void> {
    const segment = { start: this.offset, length: 0 };
    this.file = await this.files.create(this.path(segment));
    this.segments.push(segment);
    let total = this.segments.reduce((sum, one) => sum + one.length, 0);
    const old: Segment[] = [];
    while (this.segments.length > 1 && (total + SEGMENT_BYTES > this.limit || this.segments.length > MAX_SEGMENTS)) {
      const oldest = this.segments.shift()!;
      total -= oldest.length;
      this.meta.keptFrom = oldest.start + oldest.length;
      old.push(oldest);
    }
    if (old.length === 0) return;
    // It is on disk that they are not kept before they go: who reads after a sudden end would miss them otherwise. On a
    // full disk they go all the same, and make room.
    await this.writeMeta().catch(() => {
      this.metaDirty = true;
    });
    for (const segment of old) await this.remove(segment);
  }

  private async remove(segment: Segment): Promise<void> {
    this.unsynced.delete(segment);
    await this.files.remove(this.path(segment));
  }

  private path(segment: Segment): string {
    return segmentPath(this.options.directory, segment);
  }

  private dropOldSizes(): void {
    const { sizes } = this.meta;
    while (sizes.length > 1 && sizes[1]!.offset <= this.keptFrom) sizes.shift();
  }

  private syncSoon(segment: Segment): void {
    this.unsynced.add(segment);
    if (this.closed) return;
    this.cancelSync ??= this.later(SYNC_MS, () => {
      void this.sync().finally(() => {
        this.cancelSync = undefined;
        if (this.unsynced.size) this.syncSoon([...this.unsynced].at(-1)!);
      });
    });
  }

  /** Beside the writing, and one journal after the other, so that a flood waits for none of it. */
  private sync(): Promise<void> {
    const segments = [...this.unsynced];
    this.unsynced.clear();
    return inSyncTurn(async () => {
      for (const segment of segments) {
        if (this.deleted || !this.segments.includes(segment)) continue;
        // A disk that fails says so at the next write.
        await this.files.sync(this.path(segment)).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOENT' || this.deleted || !this.segments.includes(segment)) return;
          this.filesGone = true;
          this.save();
        });
      }
    });
  }

  private succeeded(): void {
    if (this.failure === undefined) return;
    this.failure = undefined;
    this.options.changed();
  }

  private async fail(error: unknown): Promise<void> {
    const told = this.failure;
    this.failure = reasonOf(error);
    await this.file?.close().catch(() => {});
    this.file = undefined;
    this.metaDirty = !this.deleted;
    this.trim();
    if (this.failure !== told) this.options.changed();
    if (this.closed) return;
    this.cancelRetry = this.later(RETRY_MS, () => {
      if (!this.closed) this.begin();
    });
  }

  /** Of what waits for a disk that fails only the latest is kept. */
  private trim(): void {
    let over = this.pendingBytes - KEEP_BYTES;
    while (over > 0) {
      const oldest = this.pending[0]!;
      const gone = Math.min(over, oldest.length);
      if (gone === oldest.length) this.pending.shift();
      else this.pending[0] = oldest.subarray(gone);
      over -= gone;
      this.pendingBytes -= gone;
      this.offset += gone;
    }
    // So that a program which prints letter by letter fills no more memory than its letters.
    if (this.pending.length > MAX_PIECES) this.pending = [Buffer.concat(this.pending)];
  }
}

let syncTurn: Promise<void> = Promise.resolve();
function inSyncTurn(run: () => Promise<void>): Promise<void> {
  syncTurn = syncTurn.then(run, run);
  return syncTurn;
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
