import { lastLines, type PlainScan, penBytes, scanPlain } from './plain';

/** Beyond this the lines are too long for skipping to win anything: parse them. */
const MAX_BACKLOG_BYTES = 8 * 1024 * 1024;
/** Colour sequences without a reset that are remembered before they are condensed into one. */
const MAX_PEN_BYTES = 4096;

interface Chunk {
  bytes: Buffer;
  scan: PlainScan;
}

/** What is left to parse when a flood ends. */
export interface Remainder {
  /** Lines were dropped: the cursor has to go to the first column of a fresh row and the pen to `pen`. */
  skipped: boolean;
  /** SGR sequences that make the pen at the cut out of the default one. */
  pen: Buffer;
  bytes: Buffer[];
}

/**
 * The plain output of a flood, held back from the mirror and trimmed to what can still be in its buffer. Nothing that
 * is dropped could be seen any more: it lies more than `keep` line feeds above the end.
 */
export class Flood {
  private chunks: Chunk[] = [];
  private lineFeeds = 0;
  private bytes = 0;
  private dropped = false;
  /** The start of a character or sequence whose end has not come yet. */
  private pending = Buffer.alloc(0);

  /**
   * @param keep Line feeds that are kept at least: more than the mirror's buffer has lines.
   * @param pen SGR sequences that make the pen at the start out of the default one.
   * @param condense Turns many SGR sequences into the one that has the same effect on a default pen.
   */
  constructor(
    private readonly keep: number,
    private pen: Buffer,
    private readonly condense: (sgr: Buffer) => Buffer,
  ) {}

  /** Bytes that are held, dropped ones not counted. */
  get size(): number {
    return this.bytes + this.pending.length;
  }

  /**
   * Takes output in. Answers with the bytes that it did not take: they begin with something that is not plain, and the
   * flood is over. Undefined: all was taken.
   */
  take(chunk: Buffer): Buffer | undefined {
    const bytes = this.pending.length ? Buffer.concat([this.pending, chunk]) : chunk;
    const scan = scanPlain(bytes);
    this.pending = Buffer.alloc(0);
    if (scan.end > 0) this.add(scan.end === bytes.length ? bytes : bytes.subarray(0, scan.end), scan);
    if (scan.stop === 'other') return bytes.subarray(scan.end);
    if (scan.stop === 'incomplete') this.pending = Buffer.from(bytes.subarray(scan.end));
    return undefined;
  }

  /** The lines are so long that the backlog grows without bound. */
  get overflowed(): boolean {
    return this.bytes > MAX_BACKLOG_BYTES;
  }

  private add(bytes: Buffer, scan: PlainScan): void {
    this.chunks.push({ bytes, scan });
    this.bytes += bytes.length;
    this.lineFeeds += scan.lineFeeds;
    this.trim();
  }

  /** Drops as many whole chunks as it may: the first that stays holds a place to cut, with enough lines after it. */
  private trim(): void {
    let drop = 0;
    let lineFeeds = this.lineFeeds;
    let left = lineFeeds;
    for (let index = 1; index < this.chunks.length; index++) {
      const { firstLineEnd, lineFeedsToFirstLineEnd } = this.chunks[index]!.scan;
      left -= this.chunks[index - 1]!.scan.lineFeeds;
      if (left < this.keep) break;
      // A chunk may be a byte or two without a line's end: the next one will do.
      if (firstLineEnd < 0 || left - lineFeedsToFirstLineEnd < this.keep) continue;
      drop = index;
      lineFeeds = left;
    }
    if (drop === 0) return;
    for (const { bytes, scan } of this.chunks.splice(0, drop)) {
      this.bytes -= bytes.length;
      this.pen = this.after(this.pen, bytes, scan);
    }
    this.lineFeeds = lineFeeds;
    this.dropped = true;
  }

  private after(pen: Buffer, bytes: Uint8Array, scan: Pick<PlainScan, 'reset' | 'pens'>): Buffer {
    if (!scan.reset && scan.pens.length === 0) return pen;
    const own = penBytes(bytes, scan.pens);
    const all = scan.reset ? own : Buffer.concat([pen, own]);
    return all.length > MAX_PEN_BYTES ? this.condense(all) : all;
  }

  /** Ends the flood: what the mirror must parse to be as if it had parsed all. */
  finish(): Remainder {
    const rest = this.pending.length ? [this.pending] : [];
    const all = this.chunks.map((chunk) => chunk.bytes);
    if (!this.dropped) return { skipped: false, pen: this.pen, bytes: [...all, ...rest] };
    const first = this.chunks[0]!;
    const cut = first.scan.firstLineEnd;
    const pen = this.after(this.pen, first.bytes, scanPlain(first.bytes, 0, cut));
    return { skipped: true, pen, bytes: [first.bytes.subarray(cut), ...all.slice(1), ...rest] };
  }

  /**
   * The last lines, enough to fill a screen: `lines` line feeds at least, cut after a CR LF, with the pen at the cut
   * and the number of bytes after them that are held because they are not complete.
   * Undefined while there are too few.
   */
  tail(lines: number): { pen: Buffer; bytes: Buffer; pending: number } | undefined {
    let from = this.chunks.length;
    let lineFeeds = 0;
    while (from > 0 && lineFeeds <= lines) {
      from--;
      lineFeeds += this.chunks[from]!.scan.lineFeeds;
    }
    // One more, as the cut needs a CR LF above the lines.
    if (from > 0) from--;
    const bytes = Buffer.concat(this.chunks.slice(from).map((chunk) => chunk.bytes));
    const cut = lastLines(bytes, lines);
    if (cut < 0) return undefined;
    const head = scanPlain(bytes, 0, cut);
    const parts = [penBytes(bytes, head.pens)];
    let found = head.reset;
    for (let index = from - 1; index >= 0 && !found; index--) {
      const chunk = this.chunks[index]!;
      parts.unshift(penBytes(chunk.bytes, chunk.scan.pens));
      found = chunk.scan.reset;
    }
    if (!found) parts.unshift(this.pen);
    return { pen: Buffer.concat(parts), bytes: bytes.subarray(cut), pending: this.pending.length };
  }

  /** The last line with something on it, as raw bytes; for the summary. */
  lastLine(): Buffer {
    for (let index = this.chunks.length - 1; index >= 0; index--) {
      const { bytes } = this.chunks[index]!;
      let end = bytes.length;
      while (end > 0 && (bytes[end - 1] === 0x0a || bytes[end - 1] === 0x0d)) end--;
      if (end > 0) return bytes.subarray(Math.max(0, bytes.lastIndexOf(0x0a, end - 1) + 1), end);
    }
    return Buffer.alloc(0);
  }
}
