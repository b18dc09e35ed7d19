import type { ISearchOptions, SearchAddon } from '@xterm/addon-search';
import { ArrowDown, ArrowUp, CaseSensitive, Regex, WholeWord, X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useT } from '../i18n';
import type { CardState, CardTerminal } from './card-terminal';
import { useTerminalFocus } from './registry';

/** Matches are highlighted in the need and accent tones; xterm wants #RRGGBB. */
const decorations = {
  matchBackground: '#5c4a1e',
  matchOverviewRuler: '#f0b35a',
  activeMatchBackground: '#9a6a12',
  activeMatchBorder: '#f7cb85',
  activeMatchColorOverviewRuler: '#f7cb85',
};

interface Flags {
  caseSensitive: boolean;
  wholeWord: boolean;
  regex: boolean;
}

interface Results {
  index: number;
  count: number;
}

/** Searches the scrollback of one terminal, all of it: older lines are fetched first. */
export function SearchBar({ terminal, state }: { terminal: CardTerminal; state: CardState | null }) {
  const t = useT();
  const field = useRef<HTMLInputElement>(null);
  const [addon, setAddon] = useState<SearchAddon | null>(null);
  const [term, setTerm] = useState('');
  const [flags, setFlags] = useState<Flags>({ caseSensitive: false, wholeWord: false, regex: false });
  const [results, setResults] = useState<Results | null>(null);
  const invalid = flags.regex && !isRegex(term);

  useEffect(() => {
    let gone = false;
    let ends: (() => void) | undefined;
    const selected = terminal.term.getSelection();
    if (selected && !selected.includes('\n')) setTerm(selected);
    void Promise.all([terminal.search(), terminal.loadHistory()]).then(([search]) => {
      if (gone) return;
      const listener = search.onDidChangeResults(({ resultIndex, resultCount }) =>
        setResults({ index: resultIndex, count: resultCount }),
      );
      ends = () => {
        listener.dispose();
        search.clearDecorations();
      };
      setAddon(search);
    });
    field.current?.focus();
    field.current?.select();
    return () => {
      gone = true;
      ends?.();
    };
  }, [terminal]);

  const { pattern, options } = queryOf(term, flags);
  // A snapshot replaces the buffer and its highlights: the search begins anew.
  const { historyTotal } = state?.viewer ?? { historyTotal: 0 };
  const skipping = state?.viewer.skipping ?? false;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the buffer's changes are dependencies too
  useEffect(() => {
    if (!addon || skipping) return;
    // The addon does not notice that only the options changed: it has to forget the last search.
    addon.clearDecorations();
    if (!term || invalid) {
      setResults(null);
      return;
    }
    if (!addon.findPrevious(pattern, options)) setResults({ index: -1, count: 0 });
  }, [addon, term, flags, invalid, historyTotal, skipping]);

  const close = () => {
    useTerminalFocus.setState({ searching: null });
    terminal.focus();
  };
  const go = (direction: 'next' | 'previous') => {
    if (!addon || !term || invalid) return;
    if (direction === 'next') addon.findNext(pattern, options);
    else addon.findPrevious(pattern, options);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === 'Escape') close();
    if (event.key === 'Enter') go(event.shiftKey ? 'next' : 'previous');
  };
  const flip = (name: keyof typeof flags) => setFlags((before) => ({ ...before, [name]: !before[name] }));

  return (
    <search
      className="tt-search"
      onKeyDown={onKeyDown}
      // What is clicked leaves the keyboard in the field: Enter goes on to the next match.
      onMouseDown={(event) => event.target !== field.current && event.preventDefault()}
    >
      <input
        ref={field}
        value={term}
        onChange={(event) => setTerm(event.target.value)}
        placeholder={t('terminals.searchPlaceholder')}
        aria-label={t('terminals.searchPlaceholder')}
        aria-invalid={invalid || undefined}
        autoComplete="off"
        spellCheck={false}
      />
      <output className="tt-count" aria-live="polite">
        {invalid ? t('terminals.searchInvalid') : term ? countText(results, t) : ''}
      </output>
      <Flag label={t('terminals.searchCase')} on={flags.caseSensitive} flip={() => flip('caseSensitive')}>
        <CaseSensitive aria-hidden size={16} strokeWidth={1.6} />
      </Flag>
      <Flag label={t('terminals.searchWord')} on={flags.wholeWord} flip={() => flip('wholeWord')}>
        <WholeWord aria-hidden size={16} strokeWidth={1.6} />
      </Flag>
      <Flag label={t('terminals.searchRegex')} on={flags.regex} flip={() => flip('regex')}>
        <Regex aria-hidden size={16} strokeWidth={1.6} />
      </Flag>
      <Tool label={t('terminals.searchPrevious')} run={() => go('previous')}>
        <ArrowUp aria-hidden size={16} strokeWidth={1.6} />
      </Tool>
      <Tool label={t('terminals.searchNext')} run={() => go('next')}>
        <ArrowDown aria-hidden size={16} strokeWidth={1.6} />
      </Tool>
      <Tool label={t('terminals.searchClose')} run={close}>
        <X aria-hidden size={16} strokeWidth={1.6} />
      </Tool>
    </search>
  );
}

const WORD = '[\\w\\u00c0-\\u024f\\u0370-\\u03ff\\u0400-\\u052f]';

/**
 * What the addon is asked. Its own "whole word" gives a line up at the first match that is none; an expression does not.
 */
function queryOf(term: string, flags: Flags): { pattern: string; options: ISearchOptions } {
  const { caseSensitive, wholeWord, regex } = flags;
  if (!wholeWord) return { pattern: term, options: { caseSensitive, regex, decorations } };
  const inner = regex ? term : term.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return { pattern: `(?<!${WORD})(?:${inner})(?!${WORD})`, options: { caseSensitive, regex: true, decorations } };
}

function countText(results: Results | null, t: ReturnType<typeof useT>): string {
  if (!results) return '';
  if (results.count === 0) return t('terminals.searchNone');
  return t('terminals.searchCount', { index: results.index + 1, count: results.count });
}

function isRegex(source: string): boolean {
  try {
    return new RegExp(source) instanceof RegExp;
  } catch {
    return false;
  }
}

function Flag({ label, on, flip, children }: { label: string; on: boolean; flip(): void; children: ReactNode }) {
  return (
    <button
      type="button"
      className="tt-button"
      data-icon
      aria-pressed={on}
      aria-label={label}
      title={label}
      onClick={flip}
    >
      {children}
    </button>
  );
}

function Tool({ label, run, children }: { label: string; run(): void; children: ReactNode }) {
  return (
    <button type="button" className="tt-button" data-icon aria-label={label} title={label} onClick={run}>
      {children}
    </button>
  );
}
