import { create } from 'zustand';
import type { SessionInfo, SessionSignal, SessionView } from '../../../schemas/terminals';
import { onServer, useSessions } from '../../connection';
import { canvasState, useCanvas } from './state';

/** Why a session needs the person. */
export interface Need {
  sessionId: string;
  why: 'failed' | 'notification' | 'bell';
  title?: string;
  body?: string;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Sessions that need the person, the oldest first. One reason each: the newest. */
export const useAttention = create<{ needs: readonly Need[] }>(() => ({ needs: [] }));

export function needOf(sessionId: string): Need | undefined {
  return useAttention.getState().needs.find((need) => need.sessionId === sessionId);
}

function raise(need: Need): void {
  if (isLookedAt(need.sessionId)) return;
  useAttention.setState(({ needs }) => ({ needs: [...needs.filter((one) => one.sessionId !== need.sessionId), need] }));
}

export function settle(sessionId: string): void {
  if (needOf(sessionId))
    useAttention.setState(({ needs }) => ({ needs: needs.filter((one) => one.sessionId !== sessionId) }));
}

export function settleAll(): void {
  useAttention.setState({ needs: [] });
}

/** The session of the card in which the person is right now. */
function isLookedAt(sessionId: string): boolean {
  const { focusedId, items } = canvasState();
  const item = focusedId ? items.get(focusedId) : undefined;
  return document.hasFocus() && item?.kind === 'terminal' && item.sessionId === sessionId;
}

/** Whether a session has just ended otherwise than well: only the change counts, not that it was so before. */
export function hasJustFailed(before: SessionInfo | undefined, now: SessionInfo | undefined): boolean {
  if (before?.state !== 'running' || now?.state !== 'ended') return false;
  return now.exit?.signal !== undefined || (now.exit?.code ?? 0) !== 0;
}

/** Watches sessions for what a person should know. Returns what ends it. */
export function startAttention(): () => void {
  const stops = [
    onServer('session:signal', (signal: SessionSignal) => {
      const at = Date.now();
      if (signal.type === 'notification')
        raise({ sessionId: signal.sessionId, why: 'notification', title: signal.title, body: signal.body, at });
      else if (signal.type === 'bell') raise({ sessionId: signal.sessionId, why: 'bell', at });
    }),
    onServer('session:removed', ({ sessionId }) => settle(sessionId)),
    useSessions.subscribe(({ sessions }, before) => {
      for (const [id, view] of Object.entries(sessions) as [string, SessionView][]) {
        const was = before.sessions[id];
        if (was === view) continue;
        if (hasJustFailed(was?.info, view.info)) raise({ sessionId: id, why: 'failed', at: Date.now() });
        else if (was?.info?.state === 'ended' && view.info?.state === 'running') settle(id);
      }
    }),
    useCanvas.subscribe(({ focusedId, items }, before) => {
      if (focusedId === before.focusedId || !focusedId) return;
      const item = items.get(focusedId);
      if (item?.kind === 'terminal') settle(item.sessionId);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
