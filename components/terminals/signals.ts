import { toast } from 'sonner';
import { create } from 'zustand';
import type { SessionSignal } from '../../schemas/terminals';
import { onServer, useSettings } from '../connection';
import { copyText } from './clipboard';
import { terminalsOf, useTerminalFocus } from './registry';

/** Something in a session that wants to be seen. */
export interface Attention {
  sessionId: string;
  kind: 'notification' | 'bell';
  title: string;
  body: string;
  /** Milliseconds since the epoch. */
  at: number;
}

/** A program's wish to write the clipboard, as its card shows it. */
export type ClipboardWish = { kind: 'ask'; text: string } | { kind: 'refused'; bytes: number };

interface Signals {
  /** By session; the newest counts. */
  attention: Readonly<Record<string, Attention>>;
  clipboard: Readonly<Record<string, ClipboardWish>>;
}

const useSignals = create<Signals>(() => ({ attention: {}, clipboard: {} }));

/** What wants attention, by session. It is gone when its card gets the focus. */
export function useAttention(): Readonly<Record<string, Attention>> {
  return useSignals((state) => state.attention);
}

export function useClipboardWish(sessionId: string): ClipboardWish | undefined {
  return useSignals((state) => state.clipboard[sessionId]);
}

export function dismissAttention(sessionId: string): void {
  useSignals.setState(({ attention }) => ({ attention: without(attention, sessionId) }));
}

export function dismissClipboardWish(sessionId: string): void {
  useSignals.setState(({ clipboard }) => ({ clipboard: without(clipboard, sessionId) }));
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
    onServer('session:removed', ({ sessionId }) => {
      dismissAttention(sessionId);
      dismissClipboardWish(sessionId);
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

function take(signal: SessionSignal, text: (key: string) => string): void {
  const { sessionId } = signal;
  switch (signal.type) {
    case 'notification':
    case 'bell': {
      if (isWatched(sessionId)) return;
      const { title, body } = signal.type === 'bell' ? { title: '', body: '' } : signal;
      const attention: Attention = { sessionId, kind: signal.type, title, body, at: Date.now() };
      useSignals.setState((state) => ({ attention: { ...state.attention, [sessionId]: attention } }));
      if (signal.type === 'notification' && !isOnScreen(sessionId)) announce(attention, text);
      break;
    }
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
  useSignals.setState(({ clipboard }) => ({ clipboard: { ...clipboard, [sessionId]: wish } }));
}

function announce(attention: Attention, text: (key: string) => string): void {
  const { sessionId, title, body } = attention;
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

function without<T>(map: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> {
  if (!(key in map)) return map;
  const { [key]: _gone, ...rest } = map;
  return rest;
}
