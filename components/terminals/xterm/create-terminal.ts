import { ImageAddon } from '@xterm/addon-image';
import { UnicodeGraphemesAddon } from '@xterm/addon-unicode-graphemes';
import { Terminal } from '@xterm/xterm';
import { FONT_FAMILY, LINE_HEIGHT } from './cell-size';
import { silenceQueries } from './silence';
import { xtermTheme } from './theme';
import { limitCells, limitRepeats } from './xterm-internals';

/** Must be the width table that the pty host uses, or columns shift. */
const UNICODE_VERSION = '15-graphemes';
/** Megabytes of decoded pixels that one terminal keeps. */
const IMAGE_STORAGE_MB = 32;
/** Pixels and encoded bytes of one image. */
const IMAGE_PIXELS = 4_194_304;
const IMAGE_BYTES = 8_000_000;

export interface TerminalOptions {
  cols: number;
  rows: number;
  fontSize: number;
  scrollback: number;
  screenReader: boolean;
}

/** A terminal that is not opened yet, with the addons that concern parsing, and silent about what programs ask. */
export function createTerminal(options: TerminalOptions): Terminal {
  const term = new Terminal({
    allowProposedApi: true,
    cols: options.cols,
    rows: options.rows,
    scrollback: options.scrollback,
    fontFamily: FONT_FAMILY,
    fontSize: options.fontSize,
    lineHeight: LINE_HEIGHT,
    fontWeight: 400,
    fontWeightBold: 700,
    cursorBlink: false,
    cursorInactiveStyle: 'outline',
    // The colours that a program names are shown as they are; the palettes' own pairs are readable.
    minimumContrastRatio: 1,
    screenReaderMode: options.screenReader,
    macOptionClickForcesSelection: true,
    rightClickSelectsWord: false,
    theme: xtermTheme(),
    windowOptions: {},
  });
  term.loadAddon(new UnicodeGraphemesAddon());
  term.unicode.activeVersion = UNICODE_VERSION;
  term.loadAddon(
    new ImageAddon({
      enableSizeReports: false,
      pixelLimit: IMAGE_PIXELS,
      sixelSizeLimit: IMAGE_BYTES,
      iipSizeLimit: IMAGE_BYTES,
      storageLimit: IMAGE_STORAGE_MB,
    }),
  );
  limitRepeats(term);
  limitCells(term);
  silenceQueries(term);
  return term;
}
