'use client';

import { useState } from 'react';
import { useSettings } from '../connection';
import { useT } from '../i18n';
import { Field, Row, Segments, Toggle } from '../ui';
import { changeSettings } from './store';

export function TerminalSettings() {
  const t = useT();
  const settings = useSettings((state) => state.settings);
  return (
    <>
      <Row label={t('settings.fontSize')} hint={t('settings.fontSizeHint')}>
        {({ labelledBy, describedBy }) => (
          <NumberField
            labelledBy={labelledBy}
            describedBy={describedBy}
            value={settings.terminalFontSize}
            least={6}
            most={40}
            onChange={(terminalFontSize) => changeSettings({ terminalFontSize })}
          />
        )}
      </Row>
      <Row label={t('settings.scrollback')} hint={t('settings.scrollbackHint')}>
        {({ labelledBy, describedBy }) => (
          <NumberField
            labelledBy={labelledBy}
            describedBy={describedBy}
            value={settings.scrollback}
            least={100}
            most={100_000}
            onChange={(scrollback) => changeSettings({ scrollback: Math.round(scrollback) })}
          />
        )}
      </Row>
      <Row label={t('settings.journal')} hint={t('settings.journalHint')}>
        {({ labelledBy, describedBy }) => (
          <Toggle
            labelledBy={labelledBy}
            describedBy={describedBy}
            checked={settings.journal}
            onChange={(journal) => changeSettings({ journal })}
          />
        )}
      </Row>
      <Row label={t('settings.clipboard')} hint={t('settings.clipboardHint')}>
        {({ labelledBy }) => (
          <Segments
            labelledBy={labelledBy}
            value={settings.clipboardWrite}
            onChange={(clipboardWrite) => changeSettings({ clipboardWrite })}
            options={[
              { value: 'ask', label: t('settings.clipboardAsk') },
              { value: 'never', label: t('settings.clipboardNever') },
              { value: 'allow', label: t('settings.clipboardAllow') },
            ]}
          />
        )}
      </Row>
      <Row label={t('settings.shell')} hint={t('settings.shellHint')}>
        {({ labelledBy, describedBy }) => (
          <ShellField labelledBy={labelledBy} describedBy={describedBy} value={settings.shell} />
        )}
      </Row>
      <Row label={t('settings.screenReader')} hint={t('settings.screenReaderHint')}>
        {({ labelledBy, describedBy }) => (
          <Toggle
            labelledBy={labelledBy}
            describedBy={describedBy}
            checked={settings.screenReader}
            onChange={(screenReader) => changeSettings({ screenReader })}
          />
        )}
      </Row>
    </>
  );
}

interface NumberProps {
  value: number;
  least: number;
  most: number;
  labelledBy: string;
  describedBy?: string;
  onChange: (value: number) => void;
}

/** Takes effect when it is left or confirmed, and only within its limits. */
function NumberField({ value, least, most, labelledBy, describedBy, onChange }: NumberProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const number = Number(typed);
  const wrong = typed !== null && (typed.trim() === '' || !Number.isFinite(number) || number < least || number > most);
  const take = () => {
    if (typed !== null && !wrong && number !== value) onChange(number);
    setTyped(null);
  };
  return (
    <Field
      type="number"
      className="!w-28 text-right"
      aria-labelledby={labelledBy}
      aria-describedby={describedBy}
      aria-invalid={wrong}
      min={least}
      max={most}
      value={typed ?? value}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={take}
      onKeyDown={(event) => event.key === 'Enter' && take()}
    />
  );
}

function ShellField({ value, labelledBy, describedBy }: { value: string; labelledBy: string; describedBy?: string }) {
  const t = useT();
  const [typed, setTyped] = useState<string | null>(null);
  const wrong = typed !== null && typed !== '' && !typed.startsWith('/');
  const take = () => {
    if (typed !== null && !wrong && typed !== value) changeSettings({ shell: typed.trim() });
    if (!wrong) setTyped(null);
  };
  return (
    <Field
      className="!w-56 font-mono !text-sm"
      aria-labelledby={labelledBy}
      aria-describedby={describedBy}
      aria-invalid={wrong}
      placeholder={t('settings.shellDefault')}
      value={typed ?? value}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={take}
      onKeyDown={(event) => event.key === 'Enter' && take()}
    />
  );
}
