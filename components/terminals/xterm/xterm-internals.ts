import type { Terminal } from '@xterm/xterm';
import type { KeptLinks } from '../../../schemas/kept-links';
import { MAX_CELL_LENGTH, RepeatLimits } from '../../../schemas/terminals';

/**
 * The only file that touches what xterm 6.0.0 keeps private. Each use is guarded: where a newer xterm has changed, the
 * function says so by its result, and only speed or smoothness is lost.
 */
interface Internals {
  _bufferService?: { buffer?: { lines?: { get(index: number): Line | undefined } } };
  _renderService?: RenderService;
  _viewport?: Viewport;
  _writeBuffer?: { writeSync?(data: Uint8Array): void };
  _oscLinkService?: Partial<KeptLinks>;
  _inputHandler?: {
    setHyperlink?(data: string): boolean;
    registerCsiHandler?(id: { final: string }, handler: (params: { params: Int32Array }) => boolean): void;
  };
}

type Point = [number, number] | undefined;

interface RenderService {
  handleSelectionChanged?(start: Point, end: Point, columnSelectMode: boolean): void;
  refreshRows?(start: number, end: number, isRedrawOnly?: boolean): void;
  _isPaused?: boolean;
  _selectionState?: { start: Point; end: Point; columnSelectMode: boolean };
  _needsSelectionRefresh?: boolean;
  _needsFullRefresh?: boolean;
}

interface Viewport {
  _isSyncing?: boolean;
  _sync?(): void;
  scrollToLine?(line: number, disableSmoothScroll?: boolean): void;
}

function internals(term: Terminal): Internals {
  return (term as unknown as { _core?: Internals })._core ?? {};
}

/** Keeps one control sequence from asking for more work than a screen can show; the pty host's mirror does the same. */
export function limitRepeats(term: Terminal): boolean {
  const handler = internals(term)._inputHandler;
  if (!handler?.registerCsiHandler) return false;
  for (const [final, limit] of Object.entries(RepeatLimits)) {
    handler.registerCsiHandler({ final }, ({ params }) => {
      params[0] = Math.min(params[0] ?? 0, typeof limit === 'number' ? limit : term[limit]);
      return false;
    });
  }
  return true;
}

interface Line {
  _data?: Uint32Array;
  _combined?: Record<number, string>;
  addCodepointToCell?(x: number, code: number, width: number): void;
}
/** Of a cell's three words the first tells whether it holds more than one character, and its width. */
const Cell = { words: 3, combined: 1 << 21, width: 22 } as const;
const limitedLines = new WeakSet<object>();

/** Keeps one cell from growing without end; for all terminals at once. The pty host's mirror does the same. */
export function limitCells(term: Terminal): boolean {
  const line = internals(term)._bufferService?.buffer?.lines?.get(0);
  const lines = line && (Object.getPrototypeOf(line) as Line);
  const add = lines?.addCodepointToCell;
  if (!line?._data || !line._combined || !lines || !add) return false;
  if (limitedLines.has(lines)) return true;
  limitedLines.add(lines);
  lines.addCodepointToCell = function (x, code, width) {
    const at = x * Cell.words;
    const word = this._data![at]!;
    if (!(word & Cell.combined) || this._combined![x]!.length < MAX_CELL_LENGTH) add.call(this, x, code, width);
    else if (width) this._data![at] = (word & ~(3 << Cell.width)) | (width << Cell.width);
  };
  return true;
}

/**
 * Without this the DOM renderer draws all rows again on every scrolled line, even off screen, although nothing is
 * selected. Call after `open`.
 */
export function patchSelectionRefresh(term: Terminal): boolean {
  const service = internals(term)._renderService;
  const original = service?.handleSelectionChanged?.bind(service);
  if (!service || !original) return false;
  let had = false;
  service.handleSelectionChanged = (start, end, columnSelectMode) => {
    const has = Boolean(start && end && (start[0] !== end[0] || start[1] !== end[1]));
    if (!has && !had) return;
    had = has;
    if (service._isPaused) {
      service._selectionState = { start, end, columnSelectMode };
      service._needsSelectionRefresh = true;
      service._needsFullRefresh = true;
      return;
    }
    original(start, end, columnSelectMode);
  };
  return true;
}

/**
 * Stops drawing and scroll-bar work while a snapshot is parsed; an opened terminal then parses about as fast as one that
 * was never opened. Returns what ends it and shows `line` at the top of the view (undefined: the end of the buffer).
 */
export function beginQuiet(term: Terminal): (line?: number) => void {
  const { _renderService: service, _viewport: viewport } = internals(term);
  const canPause = typeof service?.refreshRows === 'function';
  if (service && canPause) service.refreshRows = () => {};
  if (viewport && typeof viewport._isSyncing === 'boolean') viewport._isSyncing = true;
  return (line) => {
    // The prototype's own method comes back.
    if (service && canPause) delete service.refreshRows;
    if (viewport && typeof viewport._isSyncing === 'boolean') viewport._isSyncing = false;
    viewport?._sync?.();
    const top = line ?? term.buffer.active.baseY;
    if (viewport?.scrollToLine) viewport.scrollToLine(top, true);
    else term.scrollToLine(top);
    term.refresh(0, term.rows - 1);
  };
}

/** The links that the terminal keeps; nothing where a newer xterm keeps them otherwise. */
export function keptLinks(term: Terminal): KeptLinks | undefined {
  const links = internals(term)._oscLinkService;
  return links?._dataByLinkId instanceof Map ? (links as KeptLinks) : undefined;
}

/** Ends an open OSC 8 link, so that a refused one does not lengthen it. */
export function closeHyperlink(term: Terminal): void {
  internals(term)._inputHandler?.setHyperlink?.(';');
}

/**
 * Parses bytes at once, in a terminal into which nothing else is being written; `write` parses in a timer, and those of
 * a page that is still loading come up to a third of a second late. Answers false when it is not possible.
 */
export function parseNow(term: Terminal, bytes: Uint8Array): boolean {
  const buffer = internals(term)._writeBuffer;
  if (typeof buffer?.writeSync !== 'function') return false;
  buffer.writeSync(bytes);
  return true;
}
