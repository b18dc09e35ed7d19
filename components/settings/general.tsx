'use client';

import type { Settings } from '../../schemas/settings';
import { useSettings } from '../connection';
import { useT } from '../i18n';
import { Row, Segments } from '../ui';
import { DesktopNotices } from './desktop-notices';
import { changeSettings } from './store';

const palettes: readonly Settings['palette'][] = ['system', 'sage', 'lilac', 'night'];

export function General() {
  const t = useT();
  const settings = useSettings((state) => state.settings);
  return (
    <>
      <Row label={t('settings.language')}>
        {({ labelledBy }) => (
          <Segments
            labelledBy={labelledBy}
            value={settings.locale}
            onChange={(locale) => changeSettings({ locale })}
            options={[
              { value: 'system', label: t('settings.asBrowser') },
              { value: 'en', label: 'English' },
              { value: 'ru', label: 'Русский' },
            ]}
          />
        )}
      </Row>
      <DesktopNotices />
      <fieldset className="pb-3">
        <legend className="pt-3 text-md font-[540]">{t('settings.palette')}</legend>
        <div className="mt-2 grid grid-cols-2 gap-2 sm:grid-cols-4">
          {palettes.map((palette) => (
            <label key={palette} className="palette-choice" data-chosen={settings.palette === palette}>
              <input
                type="radio"
                name="palette"
                className="sr-only"
                checked={settings.palette === palette}
                onChange={() => changeSettings({ palette })}
              />
              <Preview palette={palette} />
              {t(`settings.palettes.${palette}`)}
            </label>
          ))}
        </div>
      </fieldset>
    </>
  );
}

/** A canvas with two cards, in the colours of the palette. */
function Preview({ palette }: { palette: Settings['palette'] }) {
  if (palette === 'system')
    return (
      <span className="palette-preview" aria-hidden>
        <span data-palette="sage">
          <i />
          <b />
        </span>
        <span data-palette="night">
          <i />
          <b />
        </span>
      </span>
    );
  return (
    <span className="palette-preview" aria-hidden>
      <span data-palette={palette}>
        <i />
        <i />
        <b />
      </span>
    </span>
  );
}
