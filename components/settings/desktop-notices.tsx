'use client';

import { useState } from 'react';
import { useSettings } from '../connection';
import { useT } from '../i18n';
import { Row, Toggle } from '../ui';
import { changeSettings } from './store';

type Allowed = NotificationPermission | 'none';

const allowedNow = (): Allowed => ('Notification' in window ? Notification.permission : 'none');

/** Notifications of the system. The browser is asked only by a click here, and each browser has its own say. */
export function DesktopNotices() {
  const t = useT();
  const on = useSettings((state) => state.settings.desktopNotices);
  const [allowed, setAllowed] = useState(allowedNow);
  const change = async (wanted: boolean) => {
    if (!wanted) return changeSettings({ desktopNotices: false });
    const answer: Allowed = 'Notification' in window ? await Notification.requestPermission() : 'none';
    setAllowed(answer);
    if (answer === 'granted' && !on) changeSettings({ desktopNotices: true });
  };
  const hints = { denied: 'settings.desktopNoticesDenied', none: 'settings.desktopNoticesNone' } as const;
  const hint = allowed === 'denied' || allowed === 'none' ? hints[allowed] : 'settings.desktopNoticesHint';
  return (
    <Row label={t('settings.desktopNotices')} hint={t(hint)}>
      {({ labelledBy, describedBy }) => (
        <Toggle
          labelledBy={labelledBy}
          describedBy={describedBy}
          checked={on && allowed === 'granted'}
          onChange={(wanted) => void change(wanted)}
        />
      )}
    </Row>
  );
}
