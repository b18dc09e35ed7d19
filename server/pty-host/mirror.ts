import { Colours } from './colours';
import { Flood } from './flood';
import type { FrameSource } from './frame';
import { KeyProtocol } from './key-protocol';
import { Marks } from './marks';
import { isPlainState } from './modes';
import { Rate } from './rate';
import { penOf } from './row-serialiser';
import { scratch } from './scratch';
import type { SnapshotSource } from './snapshot';
import { incompleteTail } from './utf8';
import {
  atRest,
  createTerminal,
  type HeadlessTerminal,
  type Internals,
  internalsOf,
  limitCells,
  limitLinks,
  limitRepeats,
} from './xterm-internals';

/** Output above this rate is a flood. */
const FLOOD_BYTES_PER_SECOND = 200 * 1024;
/** A flood that is smaller than this is parsed before skipping could pay… */
const FLOOD_BYTES = 64 * 1024;
/** …unless it comes this fast, when parsing could keep up but would take half a core. */
const FAST_BYTES_PER_SECOND = 2 * 1024 * 1024;
/** One call of the parser: a fraction of a millisecond. */
const PIECE_BYTES = 16 * 1024;
/** An unfinished sequence beyond this is not handed to a viewer any more. */
const MAX_UNFINISHED_BYTES = 64 * 1024;
/** Rows whose text is looked at for the last line that is not empty. */
const LAST_LINE_ROWS = 200;

type Item =
  | { kind: 'data'; bytes: Uint8Array }
  /** Bytes that the program did not send, standing for `advance` bytes of it that were skipped. */
  | { kind: 'skip'; bytes: Uint8Array; advance: number }
  | { kind: 'size'; cols: number; rows: number };

/** The server's screen of one session: what the program's output has made of a terminal so far. */
export class Mirror {
  readonly terminal: HeadlessTerminal;
  readonly core: Internals;
  readonly colours: Colours;
  readonly marks: Marks;
  readonly keys: KeyProtocol;
  blinkChosen = false;
  /** Stream offset up to which the terminal is up to date. */
  offset = 0;
  /** The terminal is being read in slices: it is not pumped, and what comes stays in the queue byte by byte. */
  frozen = false;
  /** Bytes that were never parsed; for measurements. */
  skippedBytes = 0;
  private queue: Item[] = [];
  private queuedBytes = 0;
  private flood: Flood | undefined;
  private floodBytes = 0;
  /** No new flood before this offset, so that what one left behind is parsed. */
  private noFloodBefore = 0;
  /** Frames may have shown the stream up to here. */
  private shownOffset = 0;
  private unfinished = Buffer.alloc(0);
  private unfinishedTooLong = false;
  private readonly rate = new Rate();

  constructor(
    size: { cols: number; rows: number; scrollback: number },
    private readonly hooks: { answer(reply: string): void; failed(error: unknown): void; now(): number },
  ) {
    this.terminal = createTerminal(size);
    this.core = internalsOf(this.terminal);
    this.colours = new Colours(this.core, hooks.answer);
    this.marks = new Marks(this.core);
    this.keys = new KeyProtocol(this.terminal);
    limitRepeats(this.terminal, this.core);
    limitCells(this.core);
    limitLinks(this.terminal, this.core);
    this.terminal.onData(hooks.answer);
    const noteBlink = (params: (number | number[])[]): boolean => {
      if (params.includes(12)) this.blinkChosen = true;
      return false;
    };
    this.terminal.parser.registerCsiHandler({ prefix: '?', final: 'h' }, noteBlink);
    this.terminal.parser.registerCsiHandler({ prefix: '?', final: 'l' }, noteBlink);
  }

  /** Bytes that came and are not on the screen yet, those of a flood not counted. */
  get backlog(): number {
    return this.queuedBytes;
  }

  get flooding(): boolean {
    return this.flood !== undefined;
  }

  /** The terminal shows all that came, but for the start of a character. */
  get upToDate(): boolean {
    return !this.flood && (this.queue.length === 0 || this.waitsForTail());
  }

  /** All that is left is the start of a character. */
  private waitsForTail(): boolean {
    const item = this.queue[0]!;
    return this.queue.length === 1 && item.kind === 'data' && incompleteTail(item.bytes) === item.bytes.length;
  }

  /** Size after all that is queued. */
  get size(): { cols: number; rows: number } {
    for (let index = this.queue.length - 1; index >= 0; index--) {
      const item = this.queue[index]!;
      if (item.kind === 'size') return { cols: item.cols, rows: item.rows };
    }
    return { cols: this.terminal.cols, rows: this.terminal.rows };
  }

  write(bytes: Buffer): void {
    this.rate.add(bytes.length, this.hooks.now());
    if (this.flood) {
      this.feedFlood(bytes);
      return;
    }
    const last = this.queue.at(-1);
    if (last?.kind === 'data' && last.bytes.length < 4) last.bytes = Buffer.concat([last.bytes, bytes]);
    else this.queue.push({ kind: 'data', bytes });
    this.queuedBytes += bytes.length;
    if (this.queuedBytes >= FLOOD_BYTES || this.bytesPerSecond() >= FAST_BYTES_PER_SECOND) this.tryFlood();
  }

  resize(cols: number, rows: number): void {
    this.endFlood();
    this.queue.push({ kind: 'size', cols, rows });
  }

  bytesPerSecond(): number {
    return this.rate.perSecond(this.hooks.now());
  }

  /** Ends a flood that has ebbed away; to be called every few hundredths of a second. */
  tick(): void {
    if (this.flood && this.bytesPerSecond() < FLOOD_BYTES_PER_SECOND) this.endFlood();
  }

  /** Parses one piece. Answers whether there is more. */
  pump(): boolean {
    const item = this.queue[0];
    if (!item) return false;
    if (item.kind === 'size') {
      this.queue.shift();
      this.terminal.resize(item.cols, item.rows);
    } else if (item.kind === 'skip') {
      this.queue.shift();
      this.parse(item.bytes);
      this.offset += item.advance;
    } else {
      const piece = this.takePiece(item);
      if (!piece) return this.queue.length > 1 || !this.waitsForTail();
      this.queuedBytes -= piece.length;
      this.parse(piece);
      this.offset += piece.length;
      if (this.queuedBytes >= FLOOD_BYTES) this.tryFlood();
    }
    return this.queue.length > 0 && !this.waitsForTail();
  }

  /** The next bytes to parse, ending between two characters where that is possible. */
  private takePiece(item: { bytes: Uint8Array }): Uint8Array | undefined {
    const head = item.bytes.length > PIECE_BYTES ? item.bytes.subarray(0, PIECE_BYTES) : item.bytes;
    const whole = head.length - incompleteTail(head);
    if (whole > 0) {
      if (whole === item.bytes.length) this.queue.shift();
      else item.bytes = item.bytes.subarray(whole);
      return head.subarray(0, whole);
    }
    const next = this.queue[1];
    if (!next) return undefined;
    this.queue.shift();
    if (next.kind !== 'data') return head;
    next.bytes = Buffer.concat([head, next.bytes]);
    return undefined;
  }

  /** Parses everything at once; for tests and short inputs. */
  drain(): void {
    this.endFlood();
    while (this.pump());
    if (this.flood) this.drain();
  }

  /** Puts what a flood held back in front of the parser; the screen is up to date when the queue has been parsed. */
  endFlood(): void {
    const flood = this.flood;
    if (!flood) return;
    this.flood = undefined;
    const { skipped, pen, bytes } = flood.finish();
    const items: Item[] = bytes.filter((part) => part.length > 0).map((part) => ({ kind: 'data', bytes: part }));
    const kept = bytes.reduce((sum, part) => sum + part.length, 0);
    if (skipped) {
      const advance = this.floodBytes - kept;
      // The cut is just after CR LF: first column, on a row of its own.
      items.unshift({ kind: 'skip', bytes: Buffer.concat([Buffer.from('\r\n\x1b[m'), pen]), advance });
      this.skippedBytes += advance;
    }
    this.queue.unshift(...items);
    this.queuedBytes += kept;
    this.noFloodBefore = this.offset + this.floodBytes;
    this.shownOffset = this.noFloodBefore;
    this.floodBytes = 0;
  }

  /**
   * What a frame shows now, and the offset that it stands for. Undefined for the moment after a flood in which the
   * terminal is still behind what earlier frames showed.
   */
  frameSource(): { source: FrameSource; offset: number } | undefined {
    if (this.offset < this.shownOffset) return undefined;
    const tail = this.flood?.tail(2 * this.terminal.rows + 1);
    const own = { terminal: this.terminal, core: this.core };
    if (!tail) return { source: { screen: own, state: this }, offset: this.offset };
    const screen = scratch.paint(this.terminal.cols, this.terminal.rows, tail.pen, tail.bytes);
    return { source: { screen, state: this }, offset: this.offset + this.floodBytes - tail.pending };
  }

  /** A snapshot can be taken: no long sequence such as an image is half read. */
  get snapshotReady(): boolean {
    return !this.flood && !this.unfinishedTooLong;
  }

  snapshotSource(): SnapshotSource {
    return {
      terminal: this.terminal,
      core: this.core,
      colours: this.colours,
      marks: this.marks,
      keys: this.keys,
      blinkChosen: this.blinkChosen,
      unfinished: this.unfinishedTooLong ? swallowed(this.unfinished) : this.unfinished,
    };
  }

  /** What was sent after `offset`, in order; what a viewer needs after a snapshot. */
  *queued(): Generator<{ bytes: Uint8Array } | { cols: number; rows: number }, void, void> {
    for (const item of this.queue) {
      if (item.kind === 'skip') throw new Error('Skipped output cannot be sent');
      yield item.kind === 'data' ? { bytes: item.bytes } : { cols: item.cols, rows: item.rows };
    }
  }

  /** A change of size comes before anything else. */
  get sizeIsNext(): boolean {
    return this.queue[0]?.kind === 'size';
  }

  /** Whether what is queued is all there, byte by byte. */
  get queueIsWhole(): boolean {
    return !this.flood && !this.queue.some((item) => item.kind === 'skip');
  }

  /** The last line that is not empty, without trailing blanks. */
  lastLine(): string {
    const held = this.flood?.lastLine();
    if (held?.length) {
      return held
        .toString('utf8')
        .replace(/\x1b\[[0-9;:]*[mK]/g, '')
        .replace(/[\x00-\x1f\x7f-\x9f]/g, ' ')
        .trimEnd();
    }
    const buffer = this.core._bufferService.buffers.active;
    const bottom = Math.min(buffer.lines.length, buffer.ybase + this.terminal.rows) - 1;
    for (let y = bottom; y >= 0 && y > bottom - LAST_LINE_ROWS; y--) {
      const text = buffer.lines.get(y)!.translateToString(true).trimEnd();
      if (text) return text;
    }
    return '';
  }

  /** The last lines as text, wrapped ones joined, empty ones at the end left out. The mirror must be up to date. */
  text(count: number): string[] {
    const buffer = this.core._bufferService.buffers.active;
    const lines: string[] = [];
    let text = '';
    for (let y = buffer.lines.length - 1; y >= 0 && lines.length <= count; y--) {
      const line = buffer.lines.get(y)!;
      text = line.translateToString(false) + text;
      if (line.isWrapped && y > 0) continue;
      text = text.trimEnd();
      if (text || lines.length) lines.push(text);
      text = '';
    }
    return lines.slice(0, count).reverse();
  }

  dispose(): void {
    this.queue = [];
    this.flood = undefined;
    this.terminal.dispose();
  }

  private parse(piece: Uint8Array): void {
    try {
      this.core._inputHandler.parse(piece);
    } catch (error) {
      this.hooks.failed(error);
    }
    this.noteUnfinished(piece);
  }

  private noteUnfinished(piece: Uint8Array): void {
    if (atRest(this.core)) {
      if (this.unfinished.length) this.unfinished = Buffer.alloc(0);
      this.unfinishedTooLong = false;
      return;
    }
    const start = lastStart(piece);
    if (start >= 0) {
      this.unfinished = Buffer.from(piece.subarray(start));
      this.unfinishedTooLong = false;
    } else if (!this.unfinishedTooLong) this.unfinished = Buffer.concat([this.unfinished, piece]);
    if (this.unfinished.length > MAX_UNFINISHED_BYTES) {
      this.unfinished = this.unfinished.subarray(0, 16);
      this.unfinishedTooLong = true;
    }
  }

  private tryFlood(): void {
    const produced = this.offset + this.queuedBytes;
    if (this.frozen) return;
    if (this.offset < this.noFloodBefore || this.bytesPerSecond() < FLOOD_BYTES_PER_SECOND) return;
    if (this.queue.some((item) => item.kind !== 'data')) return;
    if (!isPlainState(this.terminal, this.core) || !atRest(this.core)) return;
    const keep = this.core.optionsService.rawOptions.scrollback + 2 * this.terminal.rows + 2;
    const pen = Buffer.from(penOf(this.core, this.core._inputHandler._curAttrData));
    this.flood = new Flood(keep, pen, (sgr) => scratch.condense(sgr));
    this.floodBytes = 0;
    const items = this.queue as { kind: 'data'; bytes: Uint8Array }[];
    this.queue = [];
    this.queuedBytes = 0;
    for (const { bytes } of items) {
      if (this.flood) this.feedFlood(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      else {
        this.queue.push({ kind: 'data', bytes });
        this.queuedBytes += bytes.length;
      }
    }
    if (!this.flood) this.noFloodBefore = Math.max(this.noFloodBefore, produced);
  }

  private feedFlood(bytes: Buffer): void {
    const flood = this.flood!;
    const refused = flood.take(bytes);
    this.floodBytes += bytes.length;
    if (refused === undefined) {
      if (flood.overflowed) this.endFlood();
      return;
    }
    // What was refused may hold the start of a sequence that came with the chunk before.
    this.floodBytes -= refused.length;
    this.endFlood();
    this.queue.push({ kind: 'data', bytes: refused });
    this.queuedBytes += refused.length;
    this.noFloodBefore += refused.length;
  }
}

/** Where the last sequence in these bytes starts; -1 when it started before them. */
function lastStart(piece: Uint8Array): number {
  for (let at = piece.length - 1; at >= 0; at--) {
    if (piece[at] === 0x1b) return at;
    // An eight-bit introducer (DCS, SOS, CSI, OSC, PM, APC), as UTF-8.
    const c1 = piece[at + 1] ?? 0;
    if (piece[at] === 0xc2 && (c1 === 0x90 || c1 === 0x98 || (c1 >= 0x9b && c1 <= 0x9f && c1 !== 0x9c))) return at;
  }
  return -1;
}

/** The start of a string that swallows the rest of one that is too long to be sent. */
function swallowed(start: Uint8Array): Buffer {
  const osc = start[1] === 0x5d || start[1] === 0x9d;
  return Buffer.from(osc ? '\x1b]9999;' : '\x1bP9999z');
}
