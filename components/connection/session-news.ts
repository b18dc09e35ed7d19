import type { SessionView } from '../../schemas/terminals';
import { sameButOutput, withSession } from './sessions';
import { useSessions } from './stores';

/** News that can wait is shown together, this often, in milliseconds: each alone would draw the page anew. */
const EVERY_MS = 250;

const waiting = new Map<string, SessionView>();
let timer: ReturnType<typeof setTimeout> | undefined;
let held = false;

/**
 * Takes what the server tells about a session. What a person waits for (a new terminal, an end, another name) is shown
 * at once; where the output has got to is shown with that of all others, and not while the camera moves.
 */
export function takeSessionNews(view: SessionView): void {
  const { id } = view.record;
  if (!isMinor(view)) {
    waiting.delete(id);
    useSessions.setState(({ sessions }) => ({ sessions: withSession(sessions, view) }));
    return;
  }
  const earlier = waiting.get(id)?.info;
  if (earlier && view.info && view.info.revision < earlier.revision) return;
  waiting.set(id, view);
  if (!held) timer ??= setTimeout(show, EVERY_MS);
}

/** While held no minor news is shown. */
export function holdSessionNews(hold: boolean): void {
  if (held === hold) return;
  held = hold;
  clearTimeout(timer);
  timer = hold || waiting.size === 0 ? undefined : setTimeout(show, EVERY_MS);
}

/** What waits about a session is out of date: it is gone, or everything is told anew. */
export function dropSessionNews(sessionId?: string): void {
  if (sessionId === undefined) waiting.clear();
  else waiting.delete(sessionId);
}

function isMinor(view: SessionView): boolean {
  const known = useSessions.getState().sessions[view.record.id];
  return known !== undefined && sameButOutput(known, view);
}

function show(): void {
  timer = undefined;
  useSessions.setState(({ sessions }) => {
    let next = sessions;
    for (const view of waiting.values()) next = withSession(next, view);
    return { sessions: next };
  });
  waiting.clear();
}
