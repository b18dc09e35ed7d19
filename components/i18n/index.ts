export { failureSentence, failureText } from './failure';
export { type MessageTree, messageAt } from './merge';
export { type Locale, messages } from './messages';
export { hasText, I18nProvider, text, useLocale } from './provider';
export { type Translate, useT } from './use-t';
