'use client';

import type { ReactNode } from 'react';
import type { SessionInfo, SessionView } from '../../schemas/terminals';
import { useConnection, useSessions } from '../connection';
import { type Translate, useT } from '../i18n';
import { Pill, type Shape, type Tone } from '../ui';
import { TerminalProgress } from './progress';
import { exitText, exitTone } from './status-bar';
import './terminals.css';

/**
 * What a card says of itself when it is too small to be read: title, status, folder, last line, progress. `status` is
 * that of the card, if it knows more than the session says.
 */
export function TerminalSummary({ sessionId, status: known }: { sessionId: string; status?: ReactNode }) {
  const t = useT();
  const view = useSessions((store) => store.sessions[sessionId]);
  const home = useConnection((store) => store.hello?.home);
  if (!view) return <div className="tt-summary" />;
  const status = statusOf(view.info, t);
  const folder = view.info?.cwd ?? view.record.cwd;
  return (
    <div className="tt-summary" data-terminal-summary={sessionId}>
      <TerminalProgress sessionId={sessionId} />
      <div className="tt-summary-title">{titleOf(view)}</div>
      <div className="tt-summary-row">
        {known ?? (
          <Pill tone={status.tone} shape={status.shape}>
            {status.text}
          </Pill>
        )}
        <span className="tt-summary-folder">{shortFolder(folder, home)}</span>
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

function statusOf(info: SessionInfo | undefined, t: Translate): { tone: Tone; shape: Shape; text: string } {
  if (!info) return { tone: 'idle', shape: 'dash', text: t('terminals.statusUnknown') };
  if (info.state === 'ended') {
    const tone = exitTone(info.exit);
    return { tone, shape: tone === 'bad' ? 'diamond' : 'square', text: exitText(info.exit, t) };
  }
  if (info.busy) return { tone: 'work', shape: 'dot', text: t('terminals.statusBusy') };
  return { tone: 'idle', shape: 'ring', text: t('terminals.statusReady') };
}
