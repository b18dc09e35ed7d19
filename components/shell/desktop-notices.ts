import { attempt, onNeed, revealSession, useAttention } from '../canvas';
import { useSessions, useSettings } from '../connection';
import { text as textOf } from '../i18n';
import { titleOf } from '../terminals';

/** While this page is hidden the system says who needs the person, if that is switched on and allowed. Returns what ends it. */
export function startDesktopNotices(): () => void {
  const shown = new Map<string, Notification>();
  const stops = [
    onNeed(({ sessionId, why, title, body }) => {
      if (!document.hidden || !useSettings.getState().settings.desktopNotices) return;
      if (!('Notification' in window) || Notification.permission !== 'granted') return;
      const view = useSessions.getState().sessions[sessionId];
      if (!view) return;
      const text = [title, body].filter(Boolean).join(': ') || textOf(`attention.${why}`);
      // Tabs of one browser show it once: the tag is the same.
      const notice = new Notification(titleOf(view), { body: text, tag: sessionId });
      notice.onclick = () => {
        window.focus();
        notice.close();
        attempt(revealSession(sessionId));
      };
      shown.set(sessionId, notice);
    }),
    useAttention.subscribe(({ needs }) => {
      for (const [sessionId, notice] of shown) {
        if (needs.some((need) => need.sessionId === sessionId)) continue;
        notice.close();
        shown.delete(sessionId);
      }
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    for (const notice of shown.values()) notice.close();
  };
}
