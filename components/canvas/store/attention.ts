import { create } from 'zustand';
import type { Need } from '../../../schemas/attention';
import { call, onServer, useConnection } from '../../connection';
import { canvasState, useCanvas } from './state';

/** Sessions that need the person, the oldest first, as the server keeps them. */
export const useAttention = create<{ needs: readonly Need[] }>(() => ({ needs: [] }));

const listeners = new Set<(need: Need) => void>();

/** Is told of every need that comes while this page is open. Returns what ends it. */
export function onNeed(listener: (need: Need) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function settle(...sessionIds: string[]): void {
  const { needs } = useAttention.getState();
  if (!needs.some(({ sessionId }) => sessionIds.includes(sessionId))) return;
  useAttention.setState({ needs: needs.filter(({ sessionId }) => !sessionIds.includes(sessionId)) });
  // The next greeting brings back what the server was not told.
  call('attention:settle', { sessionIds }).catch((error: unknown) => console.warn('Attention was not settled', error));
}

export function settleAll(): void {
  settle(...useAttention.getState().needs.map(({ sessionId }) => sessionId));
}

/** The session of the card in which the person is right now. */
function lookedAt(): string | undefined {
  const { focusedId, items } = canvasState();
  const item = focusedId ? items.get(focusedId) : undefined;
  return document.hasFocus() && item?.kind === 'terminal' ? item.sessionId : undefined;
}

function settleLookedAt(): void {
  const sessionId = lookedAt();
  if (sessionId) settle(sessionId);
}

/** Takes over what the server says; what the person looks at is settled unseen. */
function take(needs: readonly Need[]): void {
  const looked = lookedAt();
  useAttention.setState({ needs });
  if (looked) settle(looked);
}

/** Keeps up with the server about what a person should know. Returns what ends it. */
export function startAttention(): () => void {
  const greeted = useConnection.getState().hello;
  if (greeted) take(greeted.needs);
  const stops = [
    useConnection.subscribe(({ hello }, before) => {
      if (hello && hello !== before.hello) take(hello.needs);
    }),
    onServer('attention:changed', (needs) => {
      const known = new Map(useAttention.getState().needs.map(({ sessionId, at }) => [sessionId, at]));
      const looked = lookedAt();
      take(needs);
      for (const need of needs) {
        if (need.sessionId === looked || known.get(need.sessionId) === need.at) continue;
        for (const listener of listeners) listener(need);
      }
    }),
    // The person comes to a card, or back to this window.
    useCanvas.subscribe(({ focusedId }, before) => focusedId !== before.focusedId && settleLookedAt()),
  ];
  window.addEventListener('focus', settleLookedAt);
  return () => {
    window.removeEventListener('focus', settleLookedAt);
    for (const stop of stops) stop();
  };
}
