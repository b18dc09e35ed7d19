import { PAUSE_BYTES } from './brake';
import type { Mirror } from './mirror';
import { resetSequence } from './reset';
import type { JournalMeta, StoredJournal } from './stored-journal';

/** Output, the size from here on, or a number of bytes that were not kept. */
export type ReplayItem = { bytes: Buffer } | { cols: number; rows: number } | { missing: number };

export interface Replay {
  /** Stream offset of the first byte that is replayed, and of the byte after the last. */
  offset: number;
  end: number;
  /** Size at the start, and all sizes from there on. */
  size: { cols: number; rows: number };
  sizes: JournalMeta['sizes'];
  items: AsyncIterable<ReplayItem>;
}

/** A stored journal as output to be shown again, each part at the size that it was made for. */
export async function replayOf(stored: StoredJournal, fallback: { cols: number; rows: number }): Promise<Replay> {
  const { segments } = stored;
  const first = segments[0];
  const start = first?.start ?? stored.meta?.sizes.at(-1)?.offset ?? 0;
  const last = segments.at(-1);
  const end = last ? last.start + last.length : start;
  // The oldest output was cut off anywhere: begin with a whole line.
  const head = first && start > 0 ? (await stored.read(first)).indexOf(0x0a) + 1 : 0;
  const offset = start + head;
  const known = stored.meta?.sizes ?? [{ offset: start, cols: fallback.cols, rows: fallback.rows }];
  const at = known.filter((size) => size.offset <= offset).at(-1) ?? known[0]!;
  const later = known.filter((size) => size.offset > offset && size.offset <= end);
  return {
    offset,
    end,
    size: { cols: at.cols, rows: at.rows },
    sizes: [at, ...later],
    items: itemsOf(stored, offset, later),
  };
}

async function* itemsOf(
  stored: StoredJournal,
  offset: number,
  sizes: JournalMeta['sizes'],
): AsyncGenerator<ReplayItem, void, void> {
  const pending = [...sizes];
  let next = offset;
  for (const segment of stored.segments) {
    // Less than the whole when it cannot be read: that is missing like what lies between two files.
    let bytes = await stored.read(segment);
    let at = segment.start;
    // Nothing of what follows a gap is meant for the place where it begins, up to its next line.
    const from = at > next ? at + bytes.indexOf(0x0a) + 1 : next;
    bytes = bytes.subarray(Math.max(0, from - at));
    at = Math.max(at, from);
    if (at > next) yield { missing: at - next };
    while (bytes.length || pending[0]?.offset === at) {
      const size = pending[0];
      const until = size && size.offset < at + bytes.length ? Math.max(0, size.offset - at) : bytes.length;
      if (until > 0) yield { bytes: Buffer.from(bytes.subarray(0, until)) };
      bytes = bytes.subarray(until);
      at += until;
      if (size && size.offset <= at) {
        pending.shift();
        yield { cols: size.cols, rows: size.rows };
      }
    }
    next = Math.max(next, at);
  }
  const last = stored.segments.at(-1);
  if (last && last.start + last.length > next) yield { missing: last.start + last.length - next };
  for (const { cols, rows } of pending) yield { cols, rows };
}

export interface Stage {
  mirror: Mirror;
  /** Resolves when the mirror shows all that was written to it. */
  upToDate(): Promise<void>;
  /** The stream has come to this offset. */
  offset(offset: number): void;
  size(size: { cols: number; rows: number }): void;
}

/** Shows a replay on an empty screen, whose offset is that of the replay. */
export async function showAgain(items: AsyncIterable<ReplayItem>, stage: Stage): Promise<void> {
  const { mirror } = stage;
  let offset = mirror.offset;
  const write = (bytes: Buffer): void => {
    offset += bytes.length;
    stage.offset(offset);
    mirror.write(bytes);
  };
  for await (const item of items) {
    if ('bytes' in item) {
      write(item.bytes);
    } else if ('missing' in item) {
      await stage.upToDate();
      const after = offset + item.missing;
      // A line stands for what is missing, if that is long enough to be replaced.
      const sign = Buffer.from(`${resetSequence(mirror)}[…]\r\n`);
      if (sign.length <= item.missing) write(sign);
      await stage.upToDate();
      offset = after;
      stage.offset(offset);
      mirror.offset = offset;
    } else {
      const { cols, rows } = item;
      stage.size({ cols, rows });
      mirror.resize(cols, rows);
    }
    if (mirror.backlog > PAUSE_BYTES) await stage.upToDate();
  }
  await stage.upToDate();
}
