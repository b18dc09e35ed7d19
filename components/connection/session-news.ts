import type { SessionInfo } from '../../schemas/terminals';
import { withOutput } from './sessions';
import { useSessions } from './stores';

const waiting = new Map<string, SessionInfo>();
let held = false;

/** Takes how far the output of sessions has got. It is not shown while held: that would draw the page anew. */
export function takeOutputNews(infos: readonly SessionInfo[]): void {
  for (const info of infos) waiting.set(info.sessionId, info);
  if (!held) show();
}

/** While the camera moves such news waits. */
export function holdSessionNews(hold: boolean): void {
  held = hold;
  if (!held && waiting.size > 0) show();
}

/** What waits about a session is out of date: it is gone, or everything is told anew. */
export function dropSessionNews(sessionId?: string): void {
  if (sessionId === undefined) waiting.clear();
  else waiting.delete(sessionId);
}

function show(): void {
  useSessions.setState(({ sessions }) => ({ sessions: withOutput(sessions, waiting.values()) }));
  waiting.clear();
}
