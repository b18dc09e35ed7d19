import { useRef } from 'react';
import { sameButOutput } from '../../schemas/session-view';
import type { SessionView } from '../../schemas/terminals';
import { useSessions } from './stores';

/**
 * A session for what does not show its output: the answer stays the same object while only that goes on, so that
 * nothing is drawn anew with every line.
 */
export function useSession(sessionId: string): SessionView | undefined {
  const last = useRef<SessionView | undefined>(undefined);
  return useSessions(({ sessions }) => {
    const view = sessions[sessionId];
    if (!last.current || !view || !sameButOutput(last.current, view)) last.current = view;
    return last.current;
  });
}
