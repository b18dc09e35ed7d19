import { toast } from 'sonner';
import { create } from 'zustand';
import type { SessionSignal } from '../../schemas/terminals';
import { onServer, useSettings } from '../connection';
import { copyText } from './clipboard';
import { terminalsOf, useTerminalFocus } from './registry';

/** A program's wish to write the clipboard, as its card shows it. */
export type ClipboardWish = { kind: 'ask'; text: string } | { kind: 'refused'; bytes: number };

/** By session; the newest counts. */
const useWishes = create<{ wishes: Readonly<Record<string, ClipboardWish>> }>(() => ({ wishes: {} }));

export function useClipboardWish(sessionId: string): ClipboardWish | undefined {
  return useWishes((state) => state.wishes[sessionId]);
}

export function dismissClipboardWish(sessionId: string): void {
  useWishes.setState(({ wishes }) => {
    const { [sessionId]: _gone, ...rest } = wishes;
    return { wishes: rest };
  });
}

let reveal: ((sessionId: string) => void) | undefined;

/** Who can bring the card of a session into view. */
export function onRevealSession(listener: (sessionId: string) => void): void {
  reveal = listener;
}

/** Listens to what programs ask for once. Returns what ends it. */
export function startSignals(text: (key: string) => string): () => void {
  const ends = [
    onServer('session:signal', (signal) => take(signal, text)),
    onServer('session:removed', ({ sessionId }) => dismissClipboardWish(sessionId)),
  ];
  return () => {
    for (const end of ends) end();
  };
}

function take(signal: SessionSignal, text: (key: string) => string): void {
  const { sessionId } = signal;
  switch (signal.type) {
    case 'notification':
      if (!isOnScreen(sessionId)) announce(signal, text);
      break;
    case 'bell':
      break;
    case 'clipboard':
      void clipboardWish(sessionId, signal.text);
      break;
    case 'clipboard-refused':
      setWish(sessionId, { kind: 'refused', bytes: signal.bytes });
      break;
  }
}

/** Without a question only when the person allowed that and looks at this very card. */
async function clipboardWish(sessionId: string, wanted: string): Promise<void> {
  const { clipboardWrite } = useSettings.getState().settings;
  if (clipboardWrite === 'never') return;
  if (clipboardWrite === 'allow' && isWatched(sessionId)) {
    try {
      await copyText(wanted);
      return;
    } catch (error) {
      console.warn('The clipboard was not written; asking instead', error);
    }
  }
  setWish(sessionId, { kind: 'ask', text: wanted });
}

function setWish(sessionId: string, wish: ClipboardWish): void {
  useWishes.setState(({ wishes }) => ({ wishes: { ...wishes, [sessionId]: wish } }));
}

/** A notification of a card that nobody sees. What needs the person stays in the canvas's own list. */
function announce(signal: Extract<SessionSignal, { type: 'notification' }>, text: (key: string) => string): void {
  const { sessionId, title, body } = signal;
  toast(title || body, {
    id: `session-${sessionId}`,
    description: title ? body : undefined,
    ...(reveal ? { action: { label: text('terminals.show'), onClick: () => reveal?.(sessionId) } } : {}),
  });
}

/** The person looks at it: its card has the focus in a window that has it. */
function isWatched(sessionId: string): boolean {
  const { active } = useTerminalFocus.getState();
  const isActive = terminalsOf(sessionId).some((entry) => entry.cardId === active && entry.visibility !== 'hidden');
  return isActive && document.visibilityState === 'visible' && document.hasFocus();
}

function isOnScreen(sessionId: string): boolean {
  return document.visibilityState === 'visible' && terminalsOf(sessionId).some((one) => one.visibility !== 'hidden');
}
