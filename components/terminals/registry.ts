import { create } from 'zustand';
import type { Visibility } from '../../schemas/terminals';
import type { CardTerminal } from './card-terminal';

/** A terminal card that is on the page. */
export interface MountedTerminal {
  cardId: string;
  sessionId: string;
  /** Absent until it was first visible. */
  terminal?: CardTerminal;
  visibility: Visibility;
  focused: boolean;
  fontSize: number;
  setFontSize?(pixels: number | null): void;
}

const mounted = new Map<string, MountedTerminal>();

/** What several parts of the page look at: the card that has the focus, and the one that is being searched. */
export const useTerminalFocus = create<{ active: string | null; searching: string | null }>(() => ({
  active: null,
  searching: null,
}));

export function mountTerminal(entry: MountedTerminal): () => void {
  mounted.set(entry.cardId, entry);
  return () => {
    if (mounted.get(entry.cardId) === entry) mounted.delete(entry.cardId);
    const { active, searching } = useTerminalFocus.getState();
    if (active === entry.cardId) useTerminalFocus.setState({ active: null });
    if (searching === entry.cardId) useTerminalFocus.setState({ searching: null });
  };
}

export function activeTerminal(): MountedTerminal | undefined {
  const { active } = useTerminalFocus.getState();
  return active ? mounted.get(active) : undefined;
}

export function terminalsOf(sessionId: string): MountedTerminal[] {
  return [...mounted.values()].filter((entry) => entry.sessionId === sessionId);
}

/** The terminal of a card, for tests and for the canvas. */
export function terminalOfCard(cardId: string): CardTerminal | undefined {
  return mounted.get(cardId)?.terminal;
}

/** Types into a session as its card would, for instance from a bar of keys on a phone. */
export function sendKeys(sessionId: string, data: string): void {
  const entries = terminalsOf(sessionId);
  const entry = entries.find((one) => one.focused) ?? entries.find((one) => one.terminal);
  entry?.terminal?.type(data);
}
