import type { HeadlessTerminal, Internals } from './xterm-internals';

const ESC = '\x1b';
const MOUSE_PROTOCOL: Record<string, number> = { X10: 9, VT200: 1000, DRAG: 1002, ANY: 1003 };
const MOUSE_ENCODING: Record<string, number> = { SGR: 1006, SGR_PIXELS: 1016 };
const CURSOR_STYLE = { block: 2, underline: 4, bar: 6 } as const;

/** The modes that decide what a key or the mouse sends, and whether the cursor shows. */
export function inputModes(core: Internals): string {
  const modes = core.coreService.decPrivateModes;
  const mode = (number: number, on: boolean): string => `${ESC}[?${number}${on ? 'h' : 'l'}`;
  const protocol = MOUSE_PROTOCOL[core.coreMouseService.activeProtocol];
  const encoding = MOUSE_ENCODING[core.coreMouseService.activeEncoding];
  return (
    mode(1, modes.applicationCursorKeys) +
    mode(66, modes.applicationKeypad) +
    mode(2004, modes.bracketedPasteMode) +
    mode(1004, modes.sendFocus) +
    mode(protocol ?? 1000, protocol !== undefined) +
    mode(encoding ?? 1006, encoding !== undefined) +
    mode(25, !core.coreService.isCursorHidden)
  );
}

/** DECSCUSR; 0 is "as the person chose". */
export function cursorStyle(core: Internals): string {
  const { cursorStyle: style, cursorBlink } = core.coreService.decPrivateModes;
  return `${ESC}[${style ? CURSOR_STYLE[style] - (cursorBlink ? 1 : 0) : 0} q`;
}

/** Whether a line of plain text changes only what lies on its own row and below: the ground that skipping stands on. */
export function isPlainState(terminal: HeadlessTerminal, core: Internals): boolean {
  const { buffers } = core._bufferService;
  const buffer = buffers.active;
  const modes = core.coreService.decPrivateModes;
  const charsets = core._charsetService;
  return (
    buffer === buffers.normal &&
    buffer.scrollTop === 0 &&
    buffer.scrollBottom === terminal.rows - 1 &&
    modes.wraparound &&
    !modes.origin &&
    !modes.reverseWraparound &&
    !modes.synchronizedOutput &&
    !core.coreService.modes.insertMode &&
    !core.optionsService.rawOptions.convertEol &&
    charsets.glevel === 0 &&
    charsets.charset === undefined &&
    !core._inputHandler._curAttrData.extended.urlId &&
    hasDefaultTabs(buffer.tabs, terminal.cols)
  );
}

export function tabStops(tabs: Record<number, boolean | undefined>, cols: number): number[] {
  const stops: number[] = [];
  for (const key in tabs) if (tabs[key] && Number(key) < cols) stops.push(Number(key));
  return stops;
}

export function hasDefaultTabs(tabs: Record<number, boolean | undefined>, cols: number): boolean {
  const stops = tabStops(tabs, cols);
  return stops.length === Math.ceil(cols / 8) && stops.every((stop, index) => stop === index * 8);
}
