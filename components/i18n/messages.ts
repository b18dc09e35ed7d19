import en from '../../messages/en.json';
import ru from '../../messages/ru.json';
import terminalsEn from '../../messages/terminals.en.json';
import terminalsRu from '../../messages/terminals.ru.json';
import { type MessageTree, mergeMessages } from './merge';

export type Locale = 'en' | 'ru';

/** Everything that the page can say. */
export const messages: Record<Locale, MessageTree> = {
  en: mergeMessages(en, terminalsEn as MessageTree),
  ru: mergeMessages(ru, terminalsRu as MessageTree),
};
