import en from '../../messages/en.json';
import loginEn from '../../messages/login.en.json';
import loginRu from '../../messages/login.ru.json';
import ru from '../../messages/ru.json';
import serverEn from '../../messages/server.en.json';
import serverRu from '../../messages/server.ru.json';
import terminalsEn from '../../messages/terminals.en.json';
import terminalsRu from '../../messages/terminals.ru.json';
import { type MessageTree, mergeMessages } from './merge';

export type Locale = 'en' | 'ru';

/** Everything that the page can say. */
export const messages: Record<Locale, MessageTree> = {
  en: [serverEn, en, loginEn, terminalsEn as MessageTree].reduce(mergeMessages),
  ru: [serverRu, ru, loginRu, terminalsRu as MessageTree].reduce(mergeMessages),
};
