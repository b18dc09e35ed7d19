import * as headless from '@xterm/headless';
import { type KeptLinks, LinkBound, LinkLimits } from '../../schemas/kept-links';
import { MAX_CELL_LENGTH, RepeatLimits } from '../../schemas/terminals';

/**
 * The private parts of xterm.js that the mirror stands on, in one place. They are not mangled in the pinned 6.0.0;
 * `internalsOf` refuses a terminal that lacks one of them, and xterm-internals.test.ts fails first when the version moves.
 */

/** Three 32-bit words a cell: content, foreground, background. */
export const CellWords = 3;

export const Content = {
  codepoint: 0x1fffff,
  combined: 1 << 21,
  hasContent: 0x3fffff,
  widthShift: 22,
} as const;

export const Colour = {
  modeMask: 3 << 24,
  valueMask: 0xffffff,
  modePalette16: 1,
  modePalette256: 2,
  modeRgb: 3,
} as const;

export const ForegroundFlag = {
  inverse: 1 << 26,
  bold: 1 << 27,
  underline: 1 << 28,
  blink: 1 << 29,
  invisible: 1 << 30,
  strikethrough: 1 << 31,
} as const;

export const BackgroundFlag = {
  italic: 1 << 26,
  dim: 1 << 27,
  extended: 1 << 28,
  protected: 1 << 29,
  overline: 1 << 30,
} as const;

export interface ExtendedAttributes {
  ext: number;
  underlineStyle: number;
  underlineColor: number;
  urlId: number;
}

export interface Attributes {
  fg: number;
  bg: number;
  extended: ExtendedAttributes;
  clone(): Attributes;
}

export interface Line {
  _data: Uint32Array;
  _combined: Record<number, string>;
  _extendedAttrs: Record<number, ExtendedAttributes | undefined>;
  isWrapped: boolean;
  length: number;
  addCodepointToCell(x: number, code: number, width: number): void;
  setCellFromCodepoint(x: number, code: number, width: number, attributes: Attributes): void;
  translateToString(trimRight?: boolean): string;
}

interface Disposable {
  dispose(): void;
}

export interface LineList {
  length: number;
  get(index: number): Line | undefined;
  onTrim(listener: (amount: number) => void): Disposable;
  onInsert(listener: (event: { index: number; amount: number }) => void): Disposable;
  onDelete(listener: (event: { index: number; amount: number }) => void): Disposable;
}

export type Charset = Record<string, string> | undefined;

export interface ScreenBuffer {
  lines: LineList;
  x: number;
  y: number;
  ybase: number;
  ydisp: number;
  scrollTop: number;
  scrollBottom: number;
  savedX: number;
  savedY: number;
  savedCurAttrData: Attributes;
  savedCharset: Charset;
  tabs: Record<number, boolean | undefined>;
}

export interface ColourRequest {
  /** 0 report, 1 set, 2 restore. */
  type: 0 | 1 | 2;
  /** 0–255, 256 foreground, 257 background, 258 cursor; absent: restore all of the palette. */
  index?: number;
  color?: [number, number, number];
}

export interface Internals {
  _inputHandler: {
    parse(data: Uint8Array | string): undefined | Promise<boolean>;
    lineFeed(): boolean;
    registerCsiHandler(id: { final: string }, handler: (params: { params: Int32Array }) => boolean): Disposable;
    setHyperlink(data: string): boolean;
    _parser: { currentState: number; precedingJoinState: number };
    _utf8Decoder: { interim: Uint8Array };
    _curAttrData: Attributes;
    _windowTitle: string;
    onColor(listener: (requests: ColourRequest[]) => void): Disposable;
    onRequestReset(listener: () => void): Disposable;
  };
  _bufferService: { buffers: { normal: ScreenBuffer; alt: ScreenBuffer; active: ScreenBuffer } };
  _charsetService: { glevel: number; charset: Charset; _charsets: Charset[] };
  _oscLinkService: KeptLinks & { getLinkData(id: number): { id?: string; uri: string } | undefined };
  coreService: {
    isCursorHidden: boolean;
    modes: { insertMode: boolean };
    decPrivateModes: {
      applicationCursorKeys: boolean;
      applicationKeypad: boolean;
      bracketedPasteMode: boolean;
      cursorBlink: boolean | undefined;
      cursorStyle: 'block' | 'underline' | 'bar' | undefined;
      origin: boolean;
      reverseWraparound: boolean;
      sendFocus: boolean;
      synchronizedOutput: boolean;
      wraparound: boolean;
    };
  };
  coreMouseService: { activeProtocol: string; activeEncoding: string };
  optionsService: { rawOptions: { convertEol: boolean; cursorBlink: boolean; scrollback: number } };
}

export type HeadlessTerminal = headless.Terminal;

/** Both packages are CommonJS: Node shows them as a default export, a bundler by name. */
function commonJs<T extends object>(module: T): T {
  return (module as { default?: T }).default ?? module;
}

/**
 * The addon reads its tables from the start of the ArrayBuffer behind a Buffer, which is right only for a Buffer that
 * is not part of Node's pool.
 */
async function loadGraphemes(): Promise<typeof import('@xterm/addon-unicode-graphemes')> {
  const { poolSize } = Buffer;
  Buffer.poolSize = 0;
  try {
    return commonJs(await import('@xterm/addon-unicode-graphemes'));
  } finally {
    Buffer.poolSize = poolSize;
  }
}
const { Terminal } = commonJs(headless);
const { UnicodeGraphemesAddon } = await loadGraphemes();

const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** A terminal with the width tables that the browser uses, so that every wrap falls in the same column. */
export function createTerminal(size: { cols: number; rows: number; scrollback: number }): HeadlessTerminal {
  const terminal = new Terminal({
    cols: size.cols,
    rows: size.rows,
    scrollback: size.scrollback,
    allowProposedApi: true,
    logger: SILENT,
  });
  // The addon is typed for the browser's Terminal; it uses `unicode` alone, which both have.
  terminal.loadAddon(new UnicodeGraphemesAddon() as unknown as headless.ITerminalAddon);
  return terminal;
}

/** The inside of a terminal, checked once; throws when this xterm.js is not the one that we know. */
export function internalsOf(terminal: HeadlessTerminal): Internals {
  const core = (terminal as unknown as { _core?: Partial<Internals> })._core;
  const handler = core?._inputHandler;
  const buffer = core?._bufferService?.buffers?.normal;
  const known =
    typeof handler?.parse === 'function' &&
    typeof handler.lineFeed === 'function' &&
    typeof handler.registerCsiHandler === 'function' &&
    typeof handler.setHyperlink === 'function' &&
    typeof handler._parser?.currentState === 'number' &&
    typeof handler._parser.precedingJoinState === 'number' &&
    handler._utf8Decoder?.interim instanceof Uint8Array &&
    typeof handler._curAttrData?.fg === 'number' &&
    typeof handler.onColor === 'function' &&
    buffer?.lines?.get(0)?._data instanceof Uint32Array &&
    typeof buffer.savedY === 'number' &&
    typeof core?.coreService?.isCursorHidden === 'boolean' &&
    typeof core.coreMouseService?.activeEncoding === 'string' &&
    Array.isArray(core._charsetService?._charsets) &&
    typeof core._oscLinkService?.getLinkData === 'function' &&
    core._oscLinkService._dataByLinkId instanceof Map &&
    typeof core.optionsService?.rawOptions?.convertEol === 'boolean';
  if (!known) throw new Error('This version of @xterm/headless is not the one that the mirror was written for');
  return core as Internals;
}

/** Keeps one control sequence from asking for more work than a screen can show. */
export function limitRepeats(terminal: HeadlessTerminal, core: Internals): void {
  for (const [final, limit] of Object.entries(RepeatLimits)) {
    core._inputHandler.registerCsiHandler({ final }, ({ params }) => {
      params[0] = Math.min(params[0] ?? 0, typeof limit === 'number' ? limit : terminal[limit]);
      return false;
    });
  }
}

/** Keeps links from taking more memory than they are worth. */
export function limitLinks(terminal: HeadlessTerminal, core: Internals): void {
  const bound = new LinkBound(core._oscLinkService);
  terminal.parser.registerOscHandler(8, (data) => {
    const uri = data.slice(data.indexOf(';') + 1);
    if (uri.length > LinkLimits.maxLength) return core._inputHandler.setHyperlink(';');
    if (uri !== '') bound.adding(uri);
    return false;
  });
}

const limitedLines = new WeakSet<object>();

/** Keeps one cell from growing without end; for all terminals at once, as their lines share one prototype. */
export function limitCells(core: Internals): void {
  const lines = Object.getPrototypeOf(core._bufferService.buffers.normal.lines.get(0)) as Line;
  if (limitedLines.has(lines)) return;
  limitedLines.add(lines);
  const add = lines.addCodepointToCell;
  lines.addCodepointToCell = function (x, code, width) {
    const at = x * CellWords;
    const word = this._data[at]!;
    if (!(word & Content.combined) || this._combined[x]!.length < MAX_CELL_LENGTH) add.call(this, x, code, width);
    else if (width) this._data[at] = (word & ~(3 << Content.widthShift)) | (width << Content.widthShift);
  };
}

/** Whether the parser stands between two characters, with no escape sequence and no UTF-8 character half read. */
export function atRest(core: Internals): boolean {
  return core._inputHandler._parser.currentState === 0 && core._inputHandler._utf8Decoder.interim[0] === 0;
}
