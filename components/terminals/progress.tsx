'use client';

import { useSessions } from '../connection';
import { useT } from '../i18n';
import './terminals.css';

/** A thin bar for what a program reports by OSC 9;4; nothing without a report. Stands at the lower edge of its box. */
export function TerminalProgress({ sessionId }: { sessionId: string }) {
  const t = useT();
  const progress = useSessions((store) => store.sessions[sessionId]?.info?.progress);
  if (!progress) return null;
  const known = progress.state !== 'indeterminate';
  return (
    <div
      className="tt-progress"
      data-state={progress.state}
      role="progressbar"
      aria-label={t('terminals.progress')}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={known ? progress.percent : undefined}
    >
      <i style={known ? { width: `${progress.percent}%` } : undefined} />
    </div>
  );
}
