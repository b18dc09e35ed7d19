'use client';

import type { ReactNode } from 'react';
import { I18nProvider, useT } from '../i18n';
import { Mark, usePalette } from '../ui';

/** A page that says one thing: a title, a sentence or two, what to do. */
export function Notice(props: NoticeTextProps) {
  usePalette('system', false);
  return (
    <I18nProvider>
      <NoticeText {...props} />
    </I18nProvider>
  );
}

interface NoticeTextProps {
  /** Its texts are `<texts>.title` and `<texts>.text`. */
  texts: string;
  busy?: boolean;
  children?: ReactNode;
}

function NoticeText({ texts, busy = false, children }: NoticeTextProps) {
  const t = useT();
  const title = t(`${texts}.title`);
  return (
    <main className="grid h-full place-items-center overflow-auto p-6" aria-busy={busy}>
      <title>{`${title} · Tessera`}</title>
      <section className="w-full max-w-md rounded-[var(--radius-panel)] border border-line bg-surface p-8 text-ink shadow-[var(--shadow-2)]">
        <p className="mb-6 flex items-center gap-2 text-sm text-ink-2">
          <Mark /> Tessera
        </p>
        <h1 className="mb-2 text-xl font-semibold text-balance">{title}</h1>
        <p className="text-md text-ink-2" role={busy ? 'status' : undefined}>
          {t(`${texts}.text`)}
        </p>
        {children}
      </section>
    </main>
  );
}

/** A command to type, readable and selectable. */
export function Command({ children }: { children: string }) {
  return (
    <code className="mt-4 block select-all rounded-[var(--radius-control)] bg-sunken px-3 py-2 font-mono text-sm text-ink">
      {children}
    </code>
  );
}

/** The one way on from here. */
export function Onward({ href, text }: { href: string; text: string }) {
  const t = useT();
  return (
    <a href={href} className="btn mt-6 inline-flex" data-look="solid" data-size="large">
      {t(text)}
    </a>
  );
}
