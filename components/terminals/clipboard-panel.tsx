import { useState } from 'react';
import { TerminalLimits } from '../../schemas/terminals';
import { useT } from '../i18n';
import { copyText } from './clipboard';
import { dismissClipboardWish, useClipboardWish } from './signals';

/** Characters of the text that are shown before it is copied. */
const PREVIEW_LENGTH = 160;

/** A program wants to write the clipboard (OSC 52). Nothing is remembered, and nothing takes the focus. */
export function ClipboardPanel({ sessionId }: { sessionId: string }) {
  const t = useT();
  const wish = useClipboardWish(sessionId);
  const [failed, setFailed] = useState(false);
  if (!wish) return null;
  const close = () => {
    setFailed(false);
    dismissClipboardWish(sessionId);
  };

  if (wish.kind === 'refused') {
    const kilobytes = { size: Math.ceil(wish.bytes / 1024), most: TerminalLimits.maxClipboardBytes / 1024 };
    return (
      <div className="tt-panel" role="status">
        <p>{t('terminals.clipboardTooLarge', kilobytes)}</p>
        <div className="tt-panel-row">
          <button type="button" className="tt-button" onClick={close}>
            {t('terminals.dismiss')}
          </button>
        </div>
      </div>
    );
  }

  const copy = () => {
    copyText(wish.text).then(close, () => setFailed(true));
  };
  return (
    <section className="tt-panel" aria-label={t('terminals.clipboardTitle')}>
      <p>{t('terminals.clipboardWish', { count: wish.text.length })}</p>
      <pre>{preview(wish.text)}</pre>
      {failed ? <p role="alert">{t('terminals.clipboardFailed')}</p> : null}
      <div className="tt-panel-row">
        <button type="button" className="tt-button" onClick={close}>
          {t('terminals.refuse')}
        </button>
        <button type="button" className="tt-button" data-solid onClick={copy}>
          {t('terminals.copy')}
        </button>
      </div>
    </section>
  );
}

/** The beginning of the text; what cannot be seen is made visible, so that nothing is copied unseen. */
function preview(text: string): string {
  const shown = text
    .slice(0, PREVIEW_LENGTH)
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
  return text.length > PREVIEW_LENGTH ? `${shown}…` : shown;
}
