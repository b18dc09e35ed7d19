import {
  type Attributes,
  BackgroundFlag,
  CellWords,
  Colour,
  Content,
  type ExtendedAttributes,
  ForegroundFlag,
  type Internals,
  type Line,
} from './xterm-internals';

const ESC = '\x1b';
const CONTROL = /[\x00-\x1f\x7f-\x9f]/g;

/** Strips what could end or start an escape sequence inside one of ours. */
export const withoutControls = (text: string): string => text.replace(CONTROL, '');

function colour(word: number, base: number, bright: number, extended: number): string {
  const mode = (word & Colour.modeMask) >>> 24;
  if (mode === 0) return '';
  const value = word & Colour.valueMask;
  if (mode === Colour.modeRgb) return `;${extended};2;${value >>> 16};${(value >>> 8) & 255};${value & 255}`;
  const index = value & 255;
  if (mode === Colour.modePalette16 && index < 16) return `;${index < 8 ? base + index : bright + index - 8}`;
  return `;${extended};5;${index}`;
}

function underlineColour(word: number): string {
  // All bits set stand for "the text's own colour".
  if (word === (Colour.modeMask | Colour.valueMask)) return ';59';
  const mode = (word & Colour.modeMask) >>> 24;
  const value = word & Colour.valueMask;
  if (mode === Colour.modeRgb) return `;58:2::${value >>> 16}:${(value >>> 8) & 255}:${value & 255}`;
  return mode ? `;58:5:${value & 255}` : '';
}

/** The underline style that SGR set; a link reports "dashed" in its place. */
function underlineStyle(ext: ExtendedAttributes): number {
  return ((ext as unknown as { _ext: number })._ext >>> 26) & 7;
}

/** The SGR (and DECSCA) that turns any pen into this one. */
export function penSequence(fg: number, bg: number, ext: ExtendedAttributes | undefined): string {
  let sgr = `${ESC}[0`;
  if (fg & ForegroundFlag.bold) sgr += ';1';
  if (bg & BackgroundFlag.dim) sgr += ';2';
  if (bg & BackgroundFlag.italic) sgr += ';3';
  const style = ext ? underlineStyle(ext) : 0;
  if (fg & ForegroundFlag.underline) sgr += style > 1 ? `;4:${style}` : ';4';
  if (fg & ForegroundFlag.blink) sgr += ';5';
  if (fg & ForegroundFlag.inverse) sgr += ';7';
  if (fg & ForegroundFlag.invisible) sgr += ';8';
  if (fg & ForegroundFlag.strikethrough) sgr += ';9';
  if (bg & BackgroundFlag.overline) sgr += ';53';
  sgr += colour(fg, 30, 90, 38) + colour(bg, 40, 100, 48);
  if (ext && fg & ForegroundFlag.underline) sgr += underlineColour(ext.underlineColor);
  return `${sgr}m${bg & BackgroundFlag.protected ? `${ESC}[1"q` : ''}`;
}

/** Opens a link. A link without an id gets one, so that its pieces stay one link in the other terminal. */
export function linkSequence(core: Internals, urlId: number): string {
  const link = urlId ? core._oscLinkService.getLinkData(urlId) : undefined;
  if (!link) return `${ESC}]8;;${ESC}\\`;
  const uri = withoutControls(link.uri);
  const id = withoutControls(link.id ?? `t${urlId}`).replace(/[:;]/g, '');
  return `${ESC}]8;id=${id};${uri}${ESC}\\`;
}

export function penOf(core: Internals, pen: Attributes): string {
  // An underline colour counts for the pen even while nothing is underlined.
  const underlined = (pen.fg & ForegroundFlag.underline) !== 0;
  const extra = underlined ? '' : underlineColour(pen.extended.underlineColor).slice(1);
  const sgr = penSequence(pen.fg, pen.bg, pen.extended) + (extra ? `${ESC}[${extra}m` : '');
  // DECRC brings back a pen without its link, though the link itself is still there.
  return pen.bg & BackgroundFlag.extended && liveLink(core, pen.extended.urlId)
    ? sgr + linkSequence(core, pen.extended.urlId)
    : sgr;
}

/** The id, or 0 for a link that the terminal has forgotten with its last row. */
function liveLink(core: Internals, urlId: number): number {
  return urlId && core._oscLinkService.getLinkData(urlId) ? urlId : 0;
}

export const cellWidth = (line: Line, x: number): number => (line._data[x * CellWords] ?? 0) >>> Content.widthShift;
export const cellHasContent = (line: Line, x: number): boolean =>
  ((line._data[x * CellWords] ?? 0) & Content.hasContent) !== 0;

export function cellText(line: Line, x: number): string {
  const content = line._data[x * CellWords] ?? 0;
  if (content & Content.combined) return line._combined[x] ?? ' ';
  const codepoint = content & Content.codepoint;
  return codepoint ? String.fromCodePoint(codepoint) : '';
}

const BACKGROUND_COLOUR = Colour.modeMask | Colour.valueMask;

/** The column after the last cell that shows something. */
function contentEnd(line: Line, cols: number): number {
  const data = line._data;
  let end = cols;
  while (end > 0) {
    const at = (end - 1) * CellWords;
    const content = data[at]!;
    if (content & Content.hasContent || data[at + 2]! & Colour.modeMask || content >>> Content.widthShift === 0) break;
    end--;
  }
  return end;
}

/** At most this many characters more does a row's text take for its links. */
export function linksLength(core: Internals, line: Line): number {
  let length = 0;
  let before = 0;
  for (const x in line._extendedAttrs) {
    const urlId = liveLink(core, line._extendedAttrs[x]!.urlId);
    if (urlId && urlId !== before) length += linkSequence(core, urlId).length;
    before = urlId;
  }
  return length;
}

export interface RowText {
  text: string;
  /** The column after the last cell that was written; what lies right of it is empty. */
  end: number;
}

/**
 * The text that paints one row from its first column, with the default pen before and after. Empty cells between
 * others are jumped over, or erased where `overwrite` says that something else may stand there. Without `links` a link
 * is text.
 */
export function serialiseRow(
  core: Internals,
  line: Line,
  cols: number,
  { overwrite, links }: { overwrite: boolean; links: boolean },
): RowText {
  const data = line._data;
  const end = contentEnd(line, cols);
  let text = '';
  let fg = 0;
  let bg = 0;
  let extBits = 0;
  let urlId = 0;
  let gap = 0;
  /** Where the other terminal's cursor is. */
  let column = 0;
  const flushGap = (): void => {
    if (bg & Colour.modeMask || overwrite) text += `${ESC}[${gap}X`;
    text += `${ESC}[${gap}C`;
    column += gap;
    gap = 0;
  };
  for (let x = 0; x < end; x++) {
    const at = x * CellWords;
    const content = data[at]!;
    const width = content >>> Content.widthShift;
    // The second half of the wide character before it.
    if (width === 0 && x < column) continue;
    const filled = width > 0 && (content & Content.hasContent) !== 0;
    const cellBg = data[at + 2]!;
    let ext = cellBg & BackgroundFlag.extended ? line._extendedAttrs[x] : undefined;
    // An underline style on a cell that is not underlined shows nothing.
    if (ext && !(links && liveLink(core, ext.urlId)) && !(data[at + 1]! & ForegroundFlag.underline)) ext = undefined;
    // An empty cell has a background colour and nothing else.
    const nextFg = filled ? data[at + 1]! : 0;
    const nextBg = filled ? (ext ? cellBg : cellBg & ~BackgroundFlag.extended) : cellBg & BACKGROUND_COLOUR;
    const nextExt = filled && ext ? (ext as unknown as { _ext: number })._ext : 0;
    const nextUrl = links && filled && ext ? liveLink(core, ext.urlId) : 0;
    if (gap && (filled || nextBg !== bg)) flushGap();
    if (nextFg !== fg || nextBg !== bg || nextExt !== extBits) {
      text += nextFg === 0 && nextBg === 0 ? `${ESC}[m` : penSequence(nextFg, nextBg, ext);
      fg = nextFg;
      bg = nextBg;
      extBits = nextExt;
    }
    if (nextUrl !== urlId) {
      text += linkSequence(core, nextUrl);
      urlId = nextUrl;
    }
    if (!filled) {
      gap++;
      continue;
    }
    // A half of a wide character that lost the other one puts the rest of the row out of step.
    if (column !== x) text += `${ESC}[${x + 1}G`;
    column = x + width;
    if (content & Content.combined) text += line._combined[x] ?? ' ';
    else {
      const codepoint = content & Content.codepoint;
      text += codepoint > 0xffff ? String.fromCodePoint(codepoint) : String.fromCharCode(codepoint);
    }
  }
  if (gap) flushGap();
  if (urlId) text += `${ESC}]8;;${ESC}\\`;
  if (fg || bg) text += `${ESC}[m`;
  return { text, end };
}
