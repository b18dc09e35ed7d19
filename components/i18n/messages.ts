import en from '../../messages/en.json';
import loginEn from '../../messages/login.en.json';
import loginRu from '../../messages/login.ru.json';
import ru from '../../messages/ru.json';
import terminalsEn from '../../messages/terminals.en.json';
import terminalsRu from '../../messages/terminals.ru.json';
import { type MessageTree, mergeMessages } from './merge';

export type Locale = 'en' | 'ru';

/** Everything that the page can say. */
export const messages: Record<Locale, MessageTree> = {
  en: mergeMessages(mergeMessages(en, loginEn), terminalsEn as MessageTree),
  ru: mergeMessages(mergeMessages(ru, loginRu), terminalsRu as MessageTree),
};
