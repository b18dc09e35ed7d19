import type { ITheme } from '@xterm/xterm';
import type { TerminalTheme } from '../../../schemas/terminals';
import { cellSize } from './cell-size';

/** The 16 colours of each palette: black to white, then their bright ones. Each but black reads well on `--term-bg`. */
export const ansiColours: Record<string, readonly string[]> = {
  sage: [
    ...['#465147', '#ec8f80', '#7fc7a0', '#e2b25f', '#8db7e8', '#cfa3dc', '#7cc9c9', '#c9d2c6'],
    ...['#8d988b', '#f6aa9d', '#9fdcbb', '#f0c982', '#abcdf5', '#e0bdea', '#9adede', '#f2f6f0'],
  ],
  lilac: [
    ...['#4e4660', '#f08fa0', '#8fca9c', '#e3b566', '#9db4f0', '#c9a5f0', '#80c8d4', '#cfc9da'],
    ...['#968da9', '#f8aab8', '#acdeb6', '#f0cb88', '#b8caf8', '#dcc0f8', '#9fdde6', '#f4f1f9'],
  ],
  night: [
    ...['#414955', '#f08d7e', '#86cf94', '#f0b35a', '#8fb8ee', '#c9a2e8', '#6fcad3', '#c3cad6'],
    ...['#828b9b', '#f8a99d', '#a4e0b0', '#f7cb85', '#aecdf6', '#dcbdf3', '#93dde4', '#f0f3f8'],
  ],
};

const FALLBACK = { background: '#1d231f', foreground: '#dfe6dc' };

/** The terminal's colours as the page's palette has them now. */
export function pageColours(): { foreground: string; background: string; cursor: string; ansi: string[] } {
  const root = document.documentElement;
  const style = getComputedStyle(root);
  const background = colour(style.getPropertyValue('--term-bg'), FALLBACK.background);
  const foreground = colour(style.getPropertyValue('--term-ink'), FALLBACK.foreground);
  const palette = root.dataset.palette ?? (style.colorScheme.includes('dark') ? 'night' : 'sage');
  return { foreground, background, cursor: foreground, ansi: [...(ansiColours[palette] ?? ansiColours.sage!)] };
}

/** The same with the cell size, for the server: it answers programs that ask for colours and sizes. */
export function pageTheme(fontSize: number): TerminalTheme {
  const { width, height } = cellSize(fontSize);
  return { ...pageColours(), cellWidth: width, cellHeight: height };
}

export function xtermTheme(): ITheme {
  const { foreground, background, cursor, ansi } = pageColours();
  const [black, red, green, yellow, blue, magenta, cyan, white] = ansi;
  const [brightBlack, brightRed, brightGreen, brightYellow, brightBlue, brightMagenta, brightCyan, brightWhite] =
    ansi.slice(8);
  return {
    foreground,
    background,
    cursor,
    cursorAccent: background,
    selectionBackground: `${blue}55`,
    selectionInactiveBackground: `${blue}33`,
    scrollbarSliderBackground: `${foreground}26`,
    scrollbarSliderHoverBackground: `${foreground}4d`,
    scrollbarSliderActiveBackground: `${foreground}66`,
    ...{ black, red, green, yellow, blue, magenta, cyan, white },
    ...{ brightBlack, brightRed, brightGreen, brightYellow, brightBlue, brightMagenta, brightCyan, brightWhite },
  };
}

/** Calls back when the palette of the page may have changed. Returns what ends it. */
export function onPaletteChange(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-palette', 'class', 'style'] });
  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', changed);
  return () => {
    observer.disconnect();
    dark.removeEventListener('change', changed);
  };
}

function colour(value: string, fallback: string): string {
  const trimmed = value.trim();
  return /^#[0-9a-fA-F]{6}$/.test(trimmed) ? trimmed : fallback;
}
