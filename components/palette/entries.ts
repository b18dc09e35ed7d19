import { defaultFilter } from 'cmdk';
import { type MessageTree, messageAt } from '../i18n';

/** Actions that only make sense as keys are left out of the list. */
export function isListed(actionId: string): boolean {
  return !/^(canvas\.(nudge|grow)|view\.escape$|palette\.open$)/.test(actionId);
}

/** The English name of an action, by which it is found in every language. */
export function englishLabel(messages: MessageTree, actionId: string): string {
  return messageAt(messages, `actions.${actionId}`) ?? '';
}

/** How well an entry fits what was typed: by its words, never by its inner id. What begins a word counts most. */
export function scoreOf(_value: string, search: string, keywords: string[] = []): number {
  const wanted = search.trim().toLocaleLowerCase();
  if (wanted === '') return 1;
  return Math.max(0, ...keywords.filter(Boolean).map((words) => wordScore(words.toLocaleLowerCase(), wanted)));
}

function wordScore(words: string, wanted: string): number {
  if (words === wanted) return 1;
  if (words.startsWith(wanted)) return 0.97;
  if (words.includes(` ${wanted}`)) return 0.94;
  return defaultFilter(words, wanted) * 0.9;
}
