import type { Mirror } from './mirror';
import { penSequence } from './row-serialiser';
import { BackgroundFlag } from './xterm-internals';

const ESC = '\x1b';
/** What XTVERSION says. Only the product's own name: nothing that a program sent is ever echoed. */
const TERMINAL_NAME = 'Tessera(0.1.0)';
/** Palette and picture limits that the browser's image addon reports. */
const SIXEL_COLOURS = 256;
const SIXEL_MAX_COLOURS = 4096;
const SIXEL_MAX_SIDE = 4096;

type Params = (number | number[])[];

/**
 * Answers what programs ask their terminal, beyond what the headless terminal answers itself (DSR, CPR, DECRQM, most
 * of DECRQSS). Browsers are silent: with two of them, or with none, a program still gets exactly one answer.
 */
export function answerQueries(mirror: Mirror, answer: (reply: string) => void): void {
  const { parser } = mirror.terminal;
  const first = (params: Params): number => (typeof params[0] === 'number' ? params[0] : 0);

  // VT220 with sixel, charsets and colours: what the browser with its image addon is.
  parser.registerCsiHandler({ final: 'c' }, (params) => {
    if (first(params) === 0) answer(`${ESC}[?62;4;9;22c`);
    return true;
  });
  parser.registerCsiHandler({ prefix: '=', final: 'c' }, (params) => {
    if (first(params) === 0) answer(`${ESC}P!|00000000${ESC}\\`);
    return true;
  });
  parser.registerCsiHandler({ prefix: '>', final: 'q' }, (params) => {
    if (first(params) === 0) answer(`${ESC}P>|${TERMINAL_NAME}${ESC}\\`);
    return true;
  });
  parser.registerCsiHandler({ prefix: '?', final: 'S' }, (params) => {
    answer(graphics(params, mirror));
    return true;
  });
  parser.registerDcsHandler({ intermediates: '$', final: 'q' }, (request) => {
    if (request === 'm') {
      const { fg, bg, extended } = mirror.core._inputHandler._curAttrData;
      const sgr = penSequence(fg, bg & ~BackgroundFlag.protected, extended).slice(2);
      answer(`${ESC}P1$r${colonColours(sgr)}${ESC}\\`);
      return true;
    }
    if (request === ' q') {
      const { cursorStyle, cursorBlink } = mirror.core.coreService.decPrivateModes;
      const style = { block: 2, underline: 4, bar: 6 }[cursorStyle ?? 'block'];
      answer(`${ESC}P1$r${style - (cursorBlink ? 1 : 0)} q${ESC}\\`);
      return true;
    }
    return false;
  });
  // xterm.js calls a handler of `t` only for what these options allow.
  mirror.terminal.options.windowOptions = { getWinSizePixels: true, getCellSizePixels: true, getWinSizeChars: true };
  parser.registerCsiHandler({ final: 't' }, (params) => {
    const { cellWidth, cellHeight } = mirror.colours.theme;
    const { cols, rows } = mirror.terminal;
    const pixels = (n: number): string => n.toFixed(0);
    switch (first(params)) {
      case 14:
        if (params[1] !== 2) answer(`${ESC}[4;${pixels(rows * cellHeight)};${pixels(cols * cellWidth)}t`);
        return true;
      case 16:
        answer(`${ESC}[6;${pixels(cellHeight)};${pixels(cellWidth)}t`);
        return true;
      case 18:
        answer(`${ESC}[8;${rows};${cols}t`);
        return true;
      default:
        return true;
    }
  });
}

/** True colours in the form with colons, which is how programs recognise their own. */
function colonColours(sgr: string): string {
  return sgr.replace(/([34]8);2;(\d+);(\d+);(\d+)/g, '$1:2::$2:$3:$4').replace(/([34]8);5;(\d+)/g, '$1:5:$2');
}

/** XTSMGRAPHICS: the palette's size and the largest picture. */
function graphics(params: Params, mirror: Mirror): string {
  const item = params[0];
  const action = params[1];
  const reply = (status: number, ...values: number[]): string =>
    `${ESC}[?${[typeof item === 'number' ? item : 0, status, ...values].join(';')}S`;
  if (item === 1) {
    if (action === 4) return reply(0, SIXEL_MAX_COLOURS);
    return action === 1 || action === 2 || action === 3 ? reply(0, SIXEL_COLOURS) : reply(2);
  }
  if (item === 2) {
    const { cellWidth, cellHeight } = mirror.colours.theme;
    if (action === 1) {
      const width = Math.min(SIXEL_MAX_SIDE, Math.round(mirror.terminal.cols * cellWidth));
      return reply(0, width, Math.min(SIXEL_MAX_SIDE, Math.round(mirror.terminal.rows * cellHeight)));
    }
    return action === 4 ? reply(0, SIXEL_MAX_SIDE, SIXEL_MAX_SIDE) : reply(2);
  }
  return reply(1);
}
