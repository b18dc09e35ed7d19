import type { Colours } from './colours';
import type { KeyProtocol } from './key-protocol';
import { cursorStyle, inputModes } from './modes';
import { serialiseRow } from './row-serialiser';
import {
  BackgroundFlag,
  CellWords,
  Content,
  type HeadlessTerminal,
  type Internals,
  type Line,
} from './xterm-internals';

const ESC = '\x1b';

/** What is painted: the cells of `screen`, the modes of `state`. The two differ while the mirror skips lines. */
export interface FrameSource {
  screen: { terminal: HeadlessTerminal; core: Internals };
  state: { core: Internals; colours: Colours; keys: KeyProtocol };
}

interface PaintedRow {
  cells: Uint32Array;
  /** What the cells' words do not tell: combined characters, links, underline styles. */
  extras: string;
}

/** What a viewer's screen shows after the frames that it was sent; undefined rows are unknown. */
export class FrameMemory {
  rows: (PaintedRow | undefined)[] = [];
  cols = 0;
  alt: boolean | undefined;
  started = false;
  modes = '';
  colours = -1;

  /** Forgets all: something else was written to the viewer. */
  reset(): void {
    this.rows = [];
    this.cols = 0;
    this.alt = undefined;
    this.started = false;
    this.modes = '';
    this.colours = -1;
  }
}

/**
 * The sequence that paints the screen as it is now over what the viewer shows: only rows that differ, no scrolling, so
 * that the viewer's own history stays where it is until the next snapshot.
 */
export function frame(source: FrameSource, memory: FrameMemory): string {
  const { terminal, core } = source.screen;
  const { cols, rows } = terminal;
  const buffer = core._bufferService.buffers.active;
  const alt = buffer === core._bufferService.buffers.alt;
  let text = `${ESC}[?2026h`;
  if (memory.cols !== cols || memory.rows.length !== rows) {
    memory.rows = new Array(rows);
    memory.cols = cols;
    memory.started = false;
  }
  if (!memory.started) {
    // The viewer may stand anywhere in the program's own modes.
    text += `${ESC}[?6l${ESC}[r${ESC}[4l${ESC}[?7l\x0f${ESC}(B${ESC}]8;;${ESC}\\${ESC}[m`;
    memory.started = true;
    memory.rows.fill(undefined);
  }
  if (memory.alt !== alt) {
    text += alt ? `${ESC}[?47h` : `${ESC}[?47l`;
    memory.alt = alt;
    memory.rows.fill(undefined);
  }
  for (let y = 0; y < rows; y++) {
    const line = buffer.lines.get(buffer.ybase + y)!;
    if (!remember(memory.rows, y, line, cols)) continue;
    const row = serialiseRow(core, line, cols, { overwrite: true, links: true });
    text += `${ESC}[${y + 1};1H${row.text}${row.end < cols ? `${ESC}[K` : ''}`;
  }
  text += `${ESC}[${buffer.y + 1};${Math.min(buffer.x, cols - 1) + 1}H`;
  const modes = inputModes(source.state.core) + cursorStyle(source.state.core) + source.state.keys.sequence();
  if (modes !== memory.modes) {
    text += modes;
    memory.modes = modes;
  }
  if (source.state.colours.revision !== memory.colours) {
    text += source.state.colours.sequence();
    memory.colours = source.state.colours.revision;
  }
  return `${text}${ESC}[?2026l`;
}

/** Whether the row differs from what was sent; keeps a copy of it. */
function remember(rows: (PaintedRow | undefined)[], y: number, line: Line, cols: number): boolean {
  const data = line._data;
  const length = cols * CellWords;
  const old = rows[y];
  const extras = extrasOf(line, cols);
  if (!old) {
    rows[y] = { cells: data.slice(0, length), extras };
    return true;
  }
  const { cells } = old;
  let at = 0;
  while (at < length && cells[at] === data[at]) at++;
  if (at === length && old.extras === extras) return false;
  cells.set(data.length === length ? data : data.subarray(0, length));
  old.extras = extras;
  return true;
}

function extrasOf(line: Line, cols: number): string {
  let text = '';
  for (const key in line._combined) {
    const x = Number(key);
    if (x < cols && line._data[x * CellWords]! & Content.combined) text += `${x}${line._combined[x]}`;
  }
  for (const key in line._extendedAttrs) {
    const x = Number(key);
    const ext = line._extendedAttrs[x];
    if (ext && x < cols && line._data[x * CellWords + 2]! & BackgroundFlag.extended)
      text += `${x}:${ext.ext}:${ext.urlId};`;
  }
  return text;
}
