import type { Terminal } from '@xterm/xterm';
import { terminalOfCard } from './registry';

declare global {
  interface Window {
    /** The emulator of a terminal card that is on the page; absent before the page has terminals. */
    tesseraTerminals?: { get(cardId: string): Terminal | undefined };
  }
}

/** Lends the emulators to stories and benchmarks, which read what is drawn nowhere: the scrollback. */
export function lendTerminals(): () => void {
  window.tesseraTerminals = { get: (cardId) => terminalOfCard(cardId)?.term };
  return () => {
    window.tesseraTerminals = undefined;
  };
}
