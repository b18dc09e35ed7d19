'use client';

import { useTranslations } from 'use-intl';

/** The texts of the page by their whole key, such as `errors.timeout`, with the values of its placeholders. */
export type Translate = (key: string, values?: Record<string, string | number>) => string;

export function useT(): Translate {
  return useTranslations() as unknown as Translate;
}
