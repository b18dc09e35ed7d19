'use client';

import { Laptop } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { BrowserSession } from '../../schemas/auth';
import { call } from '../connection';
import { failureText, useLocale, useT } from '../i18n';
import { Button, confirm, Pill, toastFailure } from '../ui';

/** The browsers that may open this Tessera; each can be signed out. */
export function Browsers() {
  const t = useT();
  const locale = useLocale();
  const [browsers, setBrowsers] = useState<BrowserSession[] | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    let gone = false;
    call('browsers:list', {}).then(
      (list) => !gone && setBrowsers(list),
      (error: unknown) => !gone && setFailure(failureText(error)),
    );
    return () => {
      gone = true;
    };
  }, []);
  const when = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const revoke = async (browser: BrowserSession) => {
    const yes = await confirm({
      title: t(browser.current ? 'browsers.outTitleOwn' : 'browsers.outTitle', { name: browser.label }),
      text: t('browsers.outText'),
      yes: t('browsers.out'),
      no: t('ui.cancel'),
      danger: true,
    });
    if (!yes) return;
    try {
      await call('browsers:revoke', { id: browser.id });
      setBrowsers((list) => list?.filter((one) => one.id !== browser.id) ?? null);
    } catch (error) {
      toastFailure(failureText(error));
    }
  };
  if (failure) return <p className="py-4 text-sm text-bad">{failure}</p>;
  if (!browsers)
    return (
      <div className="flex flex-col gap-3 py-3" aria-busy="true">
        <div className="skeleton h-10" />
        <div className="skeleton h-10 w-2/3" />
      </div>
    );
  return (
    <>
      <p className="mb-2 max-w-[60ch] text-sm text-ink-2">{t('browsers.text')}</p>
      <p className="mb-2 max-w-[60ch] text-sm text-ink-2">{t('browsers.another', { command: 'npx tessera login' })}</p>
      <ul>
        {browsers.map((browser) => (
          <li key={browser.id} className="flex items-center gap-3 border-b border-line py-3 last:border-b-0">
            <Laptop className="size-4 flex-none text-ink-3" strokeWidth={1.6} aria-hidden />
            <div className="min-w-0 flex-1">
              <div className="truncate text-md font-[540]">{browser.label}</div>
              <div className="text-xs text-ink-3">{t('browsers.seen', { when: when.format(browser.seenAt) })}</div>
            </div>
            {browser.current ? (
              <Pill tone="good" shape="dot">
                {t('browsers.current')}
              </Pill>
            ) : null}
            <Button
              look="line"
              aria-label={t('browsers.outNamed', { name: browser.label })}
              onClick={() => void revoke(browser)}
            >
              {t('browsers.out')}
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}
