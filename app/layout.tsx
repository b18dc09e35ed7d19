import type { Metadata, Viewport } from 'next';
import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import './globals.css';

/** The nonce of the Content-Security-Policy is new with every answer. */
export const dynamic = 'force-dynamic';

// The title is each page's own: one of Next's would come later than theirs and win.
export const metadata: Metadata = {
  referrer: 'no-referrer',
  robots: { index: false, follow: false },
};
/** The canvas zooms; the page never does. */
export const viewport: Viewport = { width: 'device-width', initialScale: 1 };

/** The first language that we speak of those that the browser asks for; the settings may change it once they are known. */
function preferredLanguage(acceptLanguage: string | null): 'en' | 'ru' {
  const wanted = (acceptLanguage ?? '').toLowerCase().split(',');
  return wanted.map((entry) => entry.trim().slice(0, 2)).find((code) => code === 'en' || code === 'ru') === 'ru'
    ? 'ru'
    : 'en';
}

export default async function RootLayout({ children }: { children: ReactNode }) {
  const language = preferredLanguage((await headers()).get('accept-language'));
  return (
    <html lang={language} suppressHydrationWarning>
      <body>
        <noscript>Tessera needs JavaScript. · Для работы Tessera нужен JavaScript.</noscript>
        {children}
      </body>
    </html>
  );
}
