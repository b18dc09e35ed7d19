/** The pages that Next renders while they are built, by their addresses. */
export const PAGES = ['/', '/login', '/from-elsewhere', '/nothing-here'] as const;

export const LANGUAGES = ['en', 'ru'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The picture of the browser's tab, which Next keeps among the pages. */
export const ICON = '/icon.svg';
export const ICON_FILE = 'html/icon.svg';

/** Stands in a rendered page where the nonce of the answer belongs. */
export const NONCE_MARK = 'TesseraNonceOfThisAnswer';

/** Where a rendered page lies, below the folder of its build. */
export const renderedFile = (page: string, language: Language): string =>
  `html/${page === '/' ? 'index' : page.slice(1)}.${language}.html`;

/** The first language that we speak of those that the browser asks for; the settings may change it once they are known. */
export function preferredLanguage(acceptLanguage: string | null | undefined): Language {
  const wanted = (acceptLanguage ?? '').toLowerCase().split(',');
  const spoken = wanted.map((entry) => entry.trim().slice(0, 2)).find((code) => code === 'en' || code === 'ru');
  return spoken === 'ru' ? 'ru' : 'en';
}
