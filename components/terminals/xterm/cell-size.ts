import { TerminalLimits } from '../../../schemas/terminals';

export const FONT_FAMILY = '"JetBrains Mono Variable", "JetBrains Mono", ui-monospace, monospace';
export const LINE_HEIGHT = 1.25;
/** Room between the edge of the card and the grid, CSS pixels; the left one holds the gutter of exit marks. */
export const PADDING = { left: 14, top: 8, bottom: 6 } as const;
/** Room at the right in which xterm's scroll bar stands, CSS pixels. */
export const SCROLLBAR = 14;
/** A font that does not come must not keep a terminal from opening. */
const FONT_WAIT_MS = 1_500;

const measured = new Map<string, { width: number; height: number }>();

/** The size of a character cell in CSS pixels, by the same sums as xterm's DOM renderer, before anything is opened. */
export function cellSize(fontSize: number): { width: number; height: number } {
  const dpr = window.devicePixelRatio || 1;
  const key = `${fontSize}/${dpr}`;
  const known = measured.get(key);
  if (known) return known;
  const context = new OffscreenCanvas(100, 100).getContext('2d');
  if (!context) return { width: fontSize * 0.6, height: fontSize * LINE_HEIGHT * 1.32 };
  context.font = `${fontSize}px ${FONT_FAMILY}`;
  const metrics = context.measureText('W');
  const charHeight = Math.ceil((metrics.fontBoundingBoxAscent + metrics.fontBoundingBoxDescent) * dpr);
  const size = { width: metrics.width, height: Math.floor(charHeight * LINE_HEIGHT) / dpr };
  measured.set(key, size);
  return size;
}

/** The grid that a card body of this size (CSS pixels, not scaled by the canvas) has room for. */
export function gridFor(width: number, height: number, fontSize: number): { cols: number; rows: number } {
  const cell = cellSize(fontSize);
  const cols = Math.floor((width - PADDING.left - SCROLLBAR) / cell.width);
  const rows = Math.floor((height - PADDING.top - PADDING.bottom) / cell.height);
  return {
    cols: clamp(cols, TerminalLimits.minCols, TerminalLimits.maxCols),
    rows: clamp(rows, TerminalLimits.minRows, TerminalLimits.maxRows),
  };
}

let fontReady: Promise<void> | undefined;

/** Resolves when the terminal's font can be measured. */
export function terminalFont(): Promise<void> {
  fontReady ??= loadFont();
  return fontReady;
}

async function loadFont(): Promise<void> {
  const wanted = ['400', '700'].map((weight) => document.fonts.load(`${weight} 13px ${FONT_FAMILY}`, 'W│é'));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, FONT_WAIT_MS);
  });
  await Promise.race([Promise.allSettled(wanted), late]);
  clearTimeout(timer);
  measured.clear();
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, Number.isFinite(value) ? value : least));
}
