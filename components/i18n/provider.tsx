'use client';

import { type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { IntlProvider } from 'use-intl';
import { createTranslator } from 'use-intl/core';
import { useSettings } from '../connection';
import type { MessageTree } from './merge';
import { type Locale, messages } from './messages';

const REMEMBERED = 'tessera.locale';
const noSubscription = () => () => {};

/** The language to speak before the settings are known: the last one of this browser, else what it prefers. */
function firstLocale(): Locale {
  const remembered = localStorage.getItem(REMEMBERED);
  if (remembered === 'en' || remembered === 'ru') return remembered;
  return browserLocale();
}

function browserLocale(): Locale {
  return navigator.language.toLowerCase().startsWith('ru') ? 'ru' : 'en';
}

/** The language of the page: that of the settings, or the browser's. */
export function useLocale(): Locale {
  const chosen = useSettings((state) => state.settings.locale);
  const known = useSettingsKnown();
  const first = useSyncExternalStore<Locale>(noSubscription, firstLocale, () => 'en');
  const browser = useSyncExternalStore<Locale>(noSubscription, browserLocale, () => 'en');
  if (!known) return first;
  return chosen === 'system' ? browser : chosen;
}

/** Whether the server has told us the settings; until then they are the defaults. */
function useSettingsKnown(): boolean {
  return useSettings((state) => state.settings !== useSettings.getInitialState().settings);
}

export function I18nProvider({ children }: { children: ReactNode }) {
  const locale = useLocale();
  const known = useSettingsKnown();
  current = locale;
  useEffect(() => {
    document.documentElement.lang = locale;
    if (known) localStorage.setItem(REMEMBERED, locale);
  }, [locale, known]);
  return (
    <IntlProvider locale={locale} messages={messages[locale]} timeZone="UTC">
      {children}
    </IntlProvider>
  );
}

let current: Locale = 'en';

type Values = Record<string, string | number | Date>;

/** The texts outside React (toasts, the clipboard). Inside, use `useTranslations` of use-intl. */
export function text(key: string, values?: Values): string {
  const translate = createTranslator({ locale: current, messages: messages[current] as MessageTree });
  return translate(key as never, values as never);
}

export function hasText(key: string): boolean {
  return createTranslator({ locale: current, messages: messages[current] as MessageTree }).has(key as never);
}
