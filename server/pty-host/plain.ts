/**
 * Finds where a stream stops being plain. Plain is what changes nothing but the row that the cursor is on and, by a
 * line feed or a wrap, the rows below: printable characters in valid UTF-8 (no C1), TAB, BS, CR, LF, SGR and "erase in
 * line". Plain lines that will have scrolled away need not be parsed.
 */

const LF = 0x0a;
const CR = 0x0d;
const ESC = 0x1b;

const Kind = { plain: 0, lineFeed: 1, escape: 2, two: 3, three: 4, four: 5, other: 6 } as const;

const KIND = new Uint8Array(256).fill(Kind.other);
for (let byte = 0x20; byte < 0x7f; byte++) KIND[byte] = Kind.plain;
KIND[0x08] = KIND[0x09] = KIND[CR] = Kind.plain;
KIND[LF] = Kind.lineFeed;
KIND[ESC] = Kind.escape;
KIND.fill(Kind.two, 0xc2, 0xe0);
KIND.fill(Kind.three, 0xe0, 0xf0);
KIND.fill(Kind.four, 0xf0, 0xf5);

/** Longest sequence that is still plain; SGR with three true colours takes about 60 bytes. */
const MAX_SEQUENCE = 128;

export interface PlainScan {
  /** Bytes that are plain and complete. Equal to the length: all of it. */
  end: number;
  /** What stands at `end`: nothing, a character or sequence that may still turn out plain, or something else. */
  stop: 'end' | 'incomplete' | 'other';
  lineFeeds: number;
  /** After the first CR LF, and how many line feeds are up to there; -1 when there is none. */
  firstLineEnd: number;
  lineFeedsToFirstLineEnd: number;
  /** Whether the pen was reset in here. */
  reset: boolean;
  /** [start, end) of every SGR since that reset (which is the first of them if it sets anything too). */
  pens: number[];
}

/** Scans bytes from the ground state of the parser. */
export function scanPlain(bytes: Uint8Array, from = 0, to = bytes.length): PlainScan {
  let at = from;
  let lineFeeds = 0;
  let firstLineEnd = -1;
  let lineFeedsToFirstLineEnd = 0;
  let reset = false;
  let pens: number[] = [];
  let stop: PlainScan['stop'] = 'end';
  const isTail = (index: number): boolean => (bytes[index]! & 0xc0) === 0x80;

  scan: while (at < to) {
    while (at < to && KIND[bytes[at]!] === Kind.plain) at++;
    if (at >= to) break;
    const byte = bytes[at]!;
    switch (KIND[byte]) {
      case Kind.lineFeed:
        lineFeeds++;
        at++;
        if (firstLineEnd < 0 && at - 2 >= from && bytes[at - 2] === CR) {
          firstLineEnd = at;
          lineFeedsToFirstLineEnd = lineFeeds;
        }
        continue;
      case Kind.escape: {
        let end = at + 1;
        if (end < to && bytes[end] !== 0x5b) {
          stop = 'other';
          break scan;
        }
        end++;
        while (end < to && bytes[end]! >= 0x30 && bytes[end]! <= 0x3b) end++;
        if (end >= to) {
          stop = end - at > MAX_SEQUENCE ? 'other' : 'incomplete';
          break scan;
        }
        const final = bytes[end];
        end++;
        if (final === 0x6d) {
          const first = bytes[at + 2];
          const second = bytes[at + 3];
          const resets = first === 0x6d || (first === 0x30 && (second === 0x6d || second === 0x3b));
          if (resets) {
            reset = true;
            pens = [];
          }
          if (!resets || second === 0x3b) pens.push(at, end);
        } else if (final !== 0x4b || end - at > 4) {
          stop = 'other';
          break scan;
        }
        at = end;
        continue;
      }
      case Kind.two:
        if (at + 1 >= to) {
          stop = 'incomplete';
          break scan;
        }
        if (!isTail(at + 1) || (byte === 0xc2 && bytes[at + 1]! < 0xa0)) {
          stop = 'other';
          break scan;
        }
        at += 2;
        continue;
      case Kind.three: {
        if (at + 2 >= to) {
          stop = 'incomplete';
          break scan;
        }
        const second = bytes[at + 1]!;
        const valid =
          isTail(at + 1) && isTail(at + 2) && !(byte === 0xe0 && second < 0xa0) && !(byte === 0xed && second >= 0xa0);
        if (!valid) {
          stop = 'other';
          break scan;
        }
        at += 3;
        continue;
      }
      case Kind.four: {
        if (at + 3 >= to) {
          stop = 'incomplete';
          break scan;
        }
        const second = bytes[at + 1]!;
        const tails = isTail(at + 1) && isTail(at + 2) && isTail(at + 3);
        if (!tails || (byte === 0xf0 && second < 0x90) || (byte === 0xf4 && second >= 0x90)) {
          stop = 'other';
          break scan;
        }
        at += 4;
        continue;
      }
      default:
        stop = 'other';
        break scan;
    }
  }
  return { end: at, stop, lineFeeds, firstLineEnd, lineFeedsToFirstLineEnd, reset, pens };
}

/** The pen's sequences of a scan as bytes. */
export function penBytes(bytes: Uint8Array, pens: number[]): Buffer {
  const parts: Uint8Array[] = [];
  for (let i = 0; i < pens.length; i += 2) parts.push(bytes.subarray(pens[i], pens[i + 1]));
  return Buffer.concat(parts);
}

/** The offset after the `count`-th last line feed that ends a CR LF at least; -1 when there are too few. */
export function lastLines(bytes: Uint8Array, count: number): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = buffer.length;
  for (let found = 0; at > 0; ) {
    at = buffer.lastIndexOf(LF, at - 1);
    if (at <= 0) return -1;
    found++;
    if (found > count && buffer[at - 1] === CR) return at + 1;
  }
  return -1;
}
