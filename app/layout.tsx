import type { Metadata, Viewport } from 'next';
import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import { preferredLanguage } from '@/schemas/pages';
import './globals.css';

/** Rendered with a mark where the nonce of an answer belongs: see schemas/pages.ts. */
export const dynamic = 'force-dynamic';

// The title is each page's own: one of Next's would come later than theirs and win.
export const metadata: Metadata = {
  referrer: 'no-referrer',
  robots: { index: false, follow: false },
};
/** The canvas zooms; the page never does. */
export const viewport: Viewport = { width: 'device-width', initialScale: 1 };

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
