import { X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useConnection, useSession } from '../connection';
import { failureText, hasText, useT } from '../i18n';
import type { CardState, CardTerminal } from './card-terminal';
import type { Upload } from './use-drop';

interface NoticesProps {
  sessionId: string;
  terminal: CardTerminal | null;
  state: CardState | null;
  upload: Upload | null;
  largePaste: string | null;
  onLargePaste(paste: boolean): void;
  onInputErrorSeen(): void;
  onDroppedSeen(): void;
}

/**
 * Slim lines at the top of the card: what a person should know. They lie over the first rows, so that they come and go
 * without a change of the grid.
 */
export function Notices(props: NoticesProps) {
  const { sessionId, terminal, state, upload, largePaste, onLargePaste, onInputErrorSeen, onDroppedSeen } = props;
  const t = useT();
  const info = useSession(sessionId)?.info;
  const reconnecting = useConnection((store) => store.status === 'reconnecting');
  const [seen, setSeen] = useState('');
  const notice = info?.notice;
  const noticeKey = notice ? `${notice.code} ${JSON.stringify(notice.params)} ${info.startedAt}` : '';
  const noticeText = notice ? `terminals.notice.${notice.code}` : '';
  const sending = state?.sending;

  return (
    <div className="tt-notices">
      {reconnecting ? <div className="tt-reconnecting" role="status" aria-label={t('terminals.reconnecting')} /> : null}
      {state?.viewer.phase === 'failed' ? (
        <Notice tone="bad">
          {t('terminals.attachFailed', { reason: failureText(state.viewer.error) })}
          <button type="button" className="tt-button" onClick={() => void terminal?.viewer.attach()}>
            {t('terminals.tryAgain')}
          </button>
        </Notice>
      ) : null}
      {notice && hasText(noticeText) && noticeKey !== seen ? (
        <Notice tone="plain" onClose={() => setSeen(noticeKey)}>
          {t(noticeText, notice.params)}
        </Notice>
      ) : null}
      {info?.journal.state === 'failed' && seen !== info.journal.reason ? (
        <Notice tone="bad" onClose={() => setSeen(info.journal.reason ?? '')}>
          {t('terminals.journalFailed', { reason: info.journal.reason ?? t('terminals.unknownReason') })}
        </Notice>
      ) : null}
      {state?.inputError ? (
        <Notice tone="bad" onClose={onInputErrorSeen}>
          {t('terminals.inputRefused', { reason: failureText(state.inputError) })}
        </Notice>
      ) : null}
      {state?.dropped ? (
        <Notice tone="plain" onClose={onDroppedSeen}>
          {t('terminals.pasteDropped')}
        </Notice>
      ) : null}
      {largePaste !== null ? (
        <Notice tone="need">
          {t('terminals.largePaste', { megabytes: (largePaste.length / 1024 / 1024).toFixed(1) })}
          <button type="button" className="tt-button" onClick={() => onLargePaste(false)}>
            {t('terminals.cancel')}
          </button>
          <button type="button" className="tt-button" data-solid onClick={() => onLargePaste(true)}>
            {t('terminals.paste')}
          </button>
        </Notice>
      ) : null}
      {sending ? (
        <Notice tone="plain" busy={1 - sending.left / Math.max(1, sending.total)}>
          {t('terminals.sending', { kilobytes: Math.ceil(sending.left / 1024) })}
          <button type="button" className="tt-button" onClick={() => terminal?.cancelPaste()}>
            {t('terminals.stop')}
          </button>
        </Notice>
      ) : null}
      {upload ? (
        <Notice tone="plain" busy={upload.share}>
          {t('terminals.uploading', { name: upload.name })}
        </Notice>
      ) : null}
    </div>
  );
}

interface NoticeProps {
  tone: 'plain' | 'need' | 'bad';
  /** Share that is done, 0 to 1: shown as a line. */
  busy?: number;
  onClose?(): void;
  children: ReactNode;
}

function Notice({ tone, busy, onClose, children }: NoticeProps) {
  const t = useT();
  return (
    <div className="tt-notice" data-tone={tone} role={tone === 'plain' ? 'status' : 'alert'}>
      {children}
      {onClose ? (
        <button type="button" className="tt-button" data-icon aria-label={t('terminals.dismiss')} onClick={onClose}>
          <X aria-hidden size={14} strokeWidth={1.6} />
        </button>
      ) : null}
      {busy === undefined ? null : <span className="tt-busy" style={{ width: `${Math.round(busy * 100)}%` }} />}
    </div>
  );
}
