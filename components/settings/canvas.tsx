'use client';

import { useSettings } from '../connection';
import { useT } from '../i18n';
import { Row, Segments, Toggle } from '../ui';
import { changeSettings } from './store';

export function CanvasSettings() {
  const t = useT();
  const settings = useSettings((state) => state.settings);
  return (
    <>
      <Row label={t('settings.wheel')} hint={t('settings.wheelHint')}>
        {({ labelledBy }) => (
          <Segments
            labelledBy={labelledBy}
            value={settings.wheel}
            onChange={(wheel) => changeSettings({ wheel })}
            options={[
              { value: 'pan', label: t('settings.wheelPan') },
              { value: 'zoom', label: t('settings.wheelZoom') },
            ]}
          />
        )}
      </Row>
      <Row label={t('settings.snap')} hint={t('settings.snapHint')}>
        {({ labelledBy, describedBy }) => (
          <Toggle
            labelledBy={labelledBy}
            describedBy={describedBy}
            checked={settings.snap}
            onChange={(snap) => changeSettings({ snap })}
          />
        )}
      </Row>
    </>
  );
}
