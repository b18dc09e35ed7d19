'use client';

import type { ReactNode } from 'react';
import type { SessionView } from '../../schemas/terminals';
import { useConnection, useSessions } from '../connection';
import { TerminalProgress } from './progress';
import './terminals.css';

/**
 * What a card says of itself when it is too small to be read: title, status, folder, last line, progress. `title`
 * (with the class `tt-summary-title`, or a field while it is renamed) and `status` are those of the card's header.
 */
export function TerminalSummary({
  sessionId,
  title,
  status,
}: {
  sessionId: string;
  title: ReactNode;
  status: ReactNode;
}) {
  const view = useSessions((store) => store.sessions[sessionId]);
  const home = useConnection((store) => store.hello?.home);
  if (!view) return <div className="tt-summary" />;
  const shown = shortFolder(view.info?.cwd ?? view.record.cwd, home);
  return (
    <div className="tt-summary" data-terminal-summary={sessionId}>
      <TerminalProgress sessionId={sessionId} />
      {title}
      <div className="tt-summary-row">
        {status}
        {shown === titleOf(view) ? null : <span className="tt-summary-folder">{shown}</span>}
      </div>
      <div className="tt-summary-line">{view.info?.lastLine ?? ''}</div>
    </div>
  );
}

/** The name that the person gave, else what the program calls itself, else the program. */
export function titleOf({ record, info }: SessionView): string {
  return record.name ?? (info?.title || (record.program.split('/').at(-1) ?? record.program));
}

/** `~` for the person's home. */
export function shortFolder(folder: string, home: string | undefined): string {
  if (!home) return folder;
  if (folder === home) return '~';
  return folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder;
}
