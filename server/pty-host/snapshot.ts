import { charsetName } from './charsets';
import type { Colours } from './colours';
import type { KeyProtocol } from './key-protocol';
import { type Mark, type Marks, markSequence } from './marks';
import { cursorStyle, hasDefaultTabs, inputModes, tabStops } from './modes';
import {
  cellHasContent,
  cellText,
  cellWidth,
  linkSequence,
  linksLength,
  penOf,
  penSequence,
  serialiseRow,
  withoutControls,
} from './row-serialiser';
import {
  BackgroundFlag,
  CellWords,
  type HeadlessTerminal,
  type Internals,
  type Line,
  type ScreenBuffer,
} from './xterm-internals';

const ESC = '\x1b';
/** What the links of a snapshot may take, characters; the links of older rows are text then. */
const MAX_LINKS_LENGTH = 2_000_000;
const cup = (row: number, column: number): string => `${ESC}[${row + 1};${column + 1}H`;

/** What a snapshot is made of. The terminal must not change while the parts are being taken. */
export interface SnapshotSource {
  terminal: HeadlessTerminal;
  core: Internals;
  colours: Colours;
  marks: Marks;
  keys: KeyProtocol;
  /** The program has set or reset ?12 itself. */
  blinkChosen: boolean;
  /** Bytes after the last rest of the parser: the start of a sequence that is not complete yet. */
  unfinished: Uint8Array;
}

/**
 * The whole state as a stream of text: after RIS and this, another terminal equals ours: the lines above the screen
 * (the last `history` of them), both screens and every mode. Taken row by row, so that the caller can slice it.
 */
export function* snapshot(source: SnapshotSource, history: number): Generator<string, void, void> {
  const { terminal, core } = source;
  const { normal, alt, active } = core._bufferService.buffers;
  const rows = terminal.rows;
  const cols = terminal.cols;
  yield `${ESC}c${ESC}[?2026h${ESC}[20l${ESC}[?7h`;
  yield* bufferRows(core, normal, Math.max(0, normal.ybase - history), rows, cols, source.marks.byRow());
  yield savedCursor(normal);
  if (active === alt) {
    // ?47, because ?1049 would save the cursor anew.
    yield `${tabs(normal, cols)}${margins(normal, rows)}${cursor(core, normal, 0, cols)}${ESC}[m${ESC}[?47h${ESC}[H`;
    yield* bufferRows(core, alt, alt.ybase, rows, cols, undefined);
    yield savedCursor(alt);
  }
  yield globalState(source, active, rows, cols);
}

/** How many lines above the screen a snapshot with this wish holds. */
export function historyLines(core: Internals, wanted: number): { history: number; historyTotal: number } {
  const total = core._bufferService.buffers.normal.ybase;
  return { history: Math.min(wanted, total), historyTotal: total };
}

function* bufferRows(
  core: Internals,
  buffer: ScreenBuffer,
  from: number,
  rows: number,
  cols: number,
  marks: Map<number, Mark[]> | undefined,
): Generator<string, void, void> {
  const end = Math.min(buffer.lines.length, buffer.ybase + rows);
  const linked = linkedFrom(core, buffer, from, end);
  for (let y = from; y < end; y++) {
    const line = buffer.lines.get(y)!;
    const links = y >= linked;
    const { text, end: written } = serialiseRow(core, line, cols, { overwrite: false, links });
    let out = text;
    const here = marks?.get(y);
    if (here) out += marksOf(here, cols);
    if (y + 1 < end)
      out += rowBreak(core, line, buffer.lines.get(y + 1)!, { written, cols, links, moved: here !== undefined });
    yield out;
  }
}

/** The first row whose links fit into the snapshot together with those of all rows below it. */
function linkedFrom(core: Internals, buffer: ScreenBuffer, from: number, end: number): number {
  let length = 0;
  for (let y = end - 1; y >= from; y--) {
    length += linksLength(core, buffer.lines.get(y)!);
    if (length > MAX_LINKS_LENGTH) return y + 1;
  }
  return from;
}

/** Sets the marks of a row after its text. */
function marksOf(marks: Mark[], cols: number): string {
  return marks.map((mark) => `${ESC}[${Math.min(mark.column, cols - 1) + 1}G${markSequence(mark)}`).join('');
}

/**
 * From a row to the next one. A soft wrap is made by printing over the edge with the default pen, so that the new row
 * has no colour of its own; the row is then painted from its start.
 */
function rowBreak(
  core: Internals,
  line: Line,
  next: Line,
  { written, cols, links, moved }: { written: number; cols: number; links: boolean; moved: boolean },
): string {
  if (!next.isWrapped) return '\r\n';
  const lastIsWide = cellWidth(line, cols - 1) === 0;
  const full = written === cols && (lastIsWide || cellHasContent(line, cols - 1));
  const last = lastIsWide ? cols - 2 : cols - 1;
  if (full && !moved) return ` \r${ESC}[X`;
  // The last cell has to be printed for the wrap to happen; an empty one is erased again afterwards.
  const fill = full ? reprint(core, line, last, links) : ' ';
  const erase = full ? '' : `${ESC}[A${ESC}[${cols}G${emptyCell(line, cols - 1)}${ESC}[B`;
  return `${ESC}[${last + 1}G${fill} ${erase}\r${ESC}[X`;
}

/** Erases the cell under the cursor with the background that it has here. */
function emptyCell(line: Line, x: number): string {
  const bg = line._data[x * CellWords + 2]! & 0x3ffffff;
  return bg ? `${penSequence(0, bg, undefined)}${ESC}[X${ESC}[m` : `${ESC}[X`;
}

/** A cell in its own colours, with the default pen afterwards. */
function reprint(core: Internals, line: Line, x: number, links = true): string {
  const fg = line._data[x * CellWords + 1]!;
  const bg = line._data[x * CellWords + 2]!;
  const ext = bg & BackgroundFlag.extended ? line._extendedAttrs[x] : undefined;
  const text = cellText(line, x) || ' ';
  const linked = links && ext?.urlId ? `${linkSequence(core, ext.urlId)}${text}${ESC}]8;;${ESC}\\` : text;
  return `${penSequence(fg, bg, ext)}${linked}${ESC}[m`;
}

/** The position; "wrap pending" (column = cols) comes about only by printing the last cell again. */
function cursor(core: Internals, buffer: ScreenBuffer, origin: number, cols: number): string {
  const row = buffer.y - origin;
  if (buffer.x < cols) return cup(row, buffer.x);
  const line = buffer.lines.get(buffer.ybase + buffer.y)!;
  const x = cellWidth(line, cols - 1) === 0 ? cols - 2 : cols - 1;
  return cup(row, x) + reprint(core, line, x);
}

/** Whether the last thing that was printed is the cell before the cursor, in the pen's own colours. */
function joinable(core: Internals, buffer: ScreenBuffer): { line: Line; x: number } | undefined {
  if (core._inputHandler._parser.precedingJoinState === 0 || buffer.x === 0) return undefined;
  const line = buffer.lines.get(buffer.ybase + buffer.y)!;
  const x = cellWidth(line, buffer.x - 1) === 0 ? buffer.x - 2 : buffer.x - 1;
  if (x < 0 || !cellHasContent(line, x)) return undefined;
  const pen = core._inputHandler._curAttrData;
  const same = line._data[x * CellWords + 1] === pen.fg >>> 0 && line._data[x * CellWords + 2] === pen.bg >>> 0;
  const plain = !(pen.bg & BackgroundFlag.extended) && core._charsetService.charset === undefined;
  return same && plain && !core.coreService.modes.insertMode ? { line, x } : undefined;
}

const MAIN_CHARSETS = ['(', ')', '*', '+'];
const SHIFTS = ['\x0f', '\x0e', `${ESC}n`, `${ESC}o`];

function charsets(core: Internals): string {
  const service = core._charsetService;
  let text = '';
  MAIN_CHARSETS.forEach((designator, index) => {
    text += `${ESC}${designator}${charsetName(service._charsets[index])}`;
  });
  return text + SHIFTS[service.glevel];
}

function tabs(buffer: ScreenBuffer, cols: number): string {
  if (hasDefaultTabs(buffer.tabs, cols)) return '';
  return `${ESC}[3g${tabStops(buffer.tabs, cols)
    .map((stop) => `${ESC}[${stop + 1}G${ESC}H`)
    .join('')}`;
}

function margins(buffer: ScreenBuffer, rows: number): string {
  if (buffer.scrollTop === 0 && buffer.scrollBottom === rows - 1) return '';
  return `${ESC}[${buffer.scrollTop + 1};${buffer.scrollBottom + 1}r`;
}

function savedCursor(buffer: ScreenBuffer): string {
  const pen = buffer.savedCurAttrData;
  if (!buffer.savedX && !buffer.savedY && !pen.fg && !pen.bg && !buffer.savedCharset) return '';
  const row = Math.max(buffer.savedY - buffer.ybase, 0);
  // The flags of the pen are saved, its link and underline style are not.
  const sgr = penSequence(pen.fg, pen.bg & ~BackgroundFlag.extended, undefined);
  return `${cup(row, buffer.savedX)}${sgr}${ESC}(${charsetName(buffer.savedCharset)}\x0f${ESC}7${ESC}[m${ESC}(B`;
}

/** Everything but the cells, in the one order that works: what moves the cursor comes before it. */
function globalState(source: SnapshotSource, buffer: ScreenBuffer, rows: number, cols: number): string {
  const { core } = source;
  const modes = core.coreService.decPrivateModes;
  const origin = modes.origin ? buffer.scrollTop : 0;
  let text = `${ESC}[m`;
  text += tabs(buffer, cols) + margins(buffer, rows);
  if (modes.origin) text += `${ESC}[?6h`;
  text += cursor(core, buffer, origin, cols);
  if (core.coreService.modes.insertMode) text += `${ESC}[4h`;
  if (core.optionsService.rawOptions.convertEol) text += `${ESC}[20h`;
  text += charsets(core) + penOf(core, core._inputHandler._curAttrData);
  if (modes.reverseWraparound) text += `${ESC}[?45h`;
  if (!modes.wraparound) text += `${ESC}[?7l`;
  text += cursorStyle(core);
  if (source.blinkChosen) text += `${ESC}[?12${core.optionsService.rawOptions.cursorBlink ? 'h' : 'l'}`;
  text += source.colours.sequence();
  text += `${ESC}]2;${withoutControls(core._inputHandler._windowTitle)}${ESC}\\`;
  text += inputModes(core) + source.keys.sequence();
  text += `${ESC}[?2026${modes.synchronizedOutput ? 'h' : 'l'}`;
  const join = joinable(core, buffer);
  // Printed once more as the very last thing, so that a combining character that comes next still joins it.
  if (join && modes.wraparound) text += cup(buffer.y - origin, join.x) + cellText(join.line, join.x);
  return text;
}
