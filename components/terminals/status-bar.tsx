import { RotateCw } from 'lucide-react';
import type { Exit, SessionInfo } from '../../schemas/terminals';
import { type Translate, useT } from '../i18n';

/** How a process ended, in words. */
function exitText(exit: Exit | undefined, t: Translate): string {
  if (exit?.signal) return t('terminals.endedBySignal', { signal: exit.signal });
  if (exit?.code !== undefined) return t('terminals.endedWithCode', { code: exit.code });
  return t('terminals.endedUnseen');
}

function exitTone(exit: Exit | undefined): 'good' | 'bad' | 'idle' {
  if (exit?.signal) return 'bad';
  if (exit?.code === undefined) return 'idle';
  return exit.code === 0 ? 'good' : 'bad';
}

/** The bar under a terminal whose process has ended; its last screen stays above. */
export function StatusBar({ info, onRestart }: { info: SessionInfo; onRestart(): void }) {
  const t = useT();
  return (
    <div className="tt-status" data-tone={exitTone(info.exit)} role="status">
      <span className="tt-status-glyph" aria-hidden />
      <span className="tt-status-text">{exitText(info.exit, t)}</span>
      <span className="tt-status-hint">{t('terminals.restartHint')}</span>
      <button type="button" className="tt-button" data-solid onClick={onRestart}>
        <RotateCw aria-hidden size={14} strokeWidth={1.6} />
        {t('terminals.restart')}
      </button>
    </div>
  );
}
