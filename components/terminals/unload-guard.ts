import { useSessions } from '../connection';

/**
 * Ctrl+W in a terminal means "delete a word" and closes the tab, which no page can prevent. So the page asks before it
 * goes away while the person types into a running session.
 */
export function installUnloadGuard(win: Window = window): () => void {
  const ask = (event: BeforeUnloadEvent) => {
    const field = win.document.activeElement;
    const sessionId = field?.getAttribute('data-terminal-input');
    if (!sessionId || !win.document.hasFocus()) return;
    if (useSessions.getState().sessions[sessionId]?.info?.state === 'running') event.preventDefault();
  };
  win.addEventListener('beforeunload', ask);
  return () => win.removeEventListener('beforeunload', ask);
}
