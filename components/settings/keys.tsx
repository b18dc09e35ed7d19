'use client';

import { Plus, RotateCcw, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import {
  type Action,
  allActions,
  browserKeeps,
  chordLabel,
  chordOf,
  chordsOf,
  conflictsOf,
  isMac,
  suspendKeys,
} from '../actions';
import { useSettings } from '../connection';
import { useT } from '../i18n';
import { fixedTerminalKeys } from '../terminals';
import { Button, Field, IconButton } from '../ui';
import { changeSettings } from './store';

const sections: readonly Action['section'][] = ['canvas', 'card', 'terminal', 'view', 'app'];

/** Every shortcut, to look up and to change. */
export function Keys() {
  const t = useT();
  const chosen = useSettings((state) => state.settings.keys);
  const [search, setSearch] = useState('');
  const [recording, setRecording] = useState<string | null>(null);
  const actions = allActions();
  const label = (id: string) => t(`actions.${id}`);
  const wanted = search.trim().toLocaleLowerCase();
  const shown = actions.filter((action) => {
    const words = [label(action.id), ...chordsOf(action, chosen).map((chord) => chordLabel(chord, isMac()))]
      .join(' ')
      .toLocaleLowerCase();
    return words.includes(wanted);
  });
  const setChords = (id: string, chords: readonly string[]) =>
    changeSettings({ keys: { ...chosen, [id]: [...chords].slice(0, 4) } });
  const reset = (id: string) => {
    const { [id]: _own, ...rest } = chosen;
    changeSettings({ keys: rest });
  };
  return (
    <>
      <p className="mb-3 max-w-[64ch] text-sm text-ink-2">{t('keys.text')}</p>
      <div className="mb-2 flex gap-2">
        <Field
          type="search"
          aria-label={t('keys.search')}
          placeholder={t('keys.search')}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <Button
          look="line"
          size="large"
          disabled={Object.keys(chosen).length === 0}
          onClick={() => changeSettings({ keys: {} })}
        >
          {t('keys.resetAll')}
        </Button>
      </div>
      {sections.map((section) => {
        const rows = shown.filter((action) => action.section === section);
        if (rows.length === 0) return null;
        return (
          <section key={section}>
            <h3 className="pt-4 pb-1 text-xs font-[540] text-ink-3">{t(`keys.sections.${section}`)}</h3>
            {rows.map((action) => (
              <div
                key={action.id}
                className="flex min-h-10 flex-wrap items-center gap-2 border-b border-line py-1"
                data-key-row={action.id}
              >
                <span className="min-w-40 flex-1 text-sm">
                  {label(action.id)}
                  {action.reserved ? <span className="ml-2 text-xs text-ink-3">{t('keys.alsoInTerminal')}</span> : null}
                </span>
                {recording === action.id ? (
                  <Recorder
                    action={action}
                    onDone={(chord) => {
                      setRecording(null);
                      if (chord) setChords(action.id, [...chordsOf(action, chosen), chord]);
                    }}
                  />
                ) : (
                  <span className="ml-auto flex flex-wrap items-center justify-end gap-1">
                    {chordsOf(action, chosen).map((chord) => (
                      <span key={chord} className="kbd">
                        {chordLabel(chord, isMac())}
                        <button
                          type="button"
                          className="text-ink-3 hover:text-bad"
                          aria-label={t('keys.remove', { keys: chordLabel(chord, isMac()), action: label(action.id) })}
                          onClick={() =>
                            setChords(
                              action.id,
                              chordsOf(action, chosen).filter((one) => one !== chord),
                            )
                          }
                        >
                          <X className="size-3" aria-hidden />
                        </button>
                      </span>
                    ))}
                    <IconButton
                      label={t('keys.add', { action: label(action.id) })}
                      onClick={() => setRecording(action.id)}
                      disabled={chordsOf(action, chosen).length >= 4}
                    >
                      <Plus aria-hidden />
                    </IconButton>
                    <IconButton
                      label={t('keys.reset', { action: label(action.id) })}
                      onClick={() => reset(action.id)}
                      disabled={!Object.hasOwn(chosen, action.id)}
                    >
                      <RotateCcw aria-hidden />
                    </IconButton>
                  </span>
                )}
              </div>
            ))}
            {section === 'terminal' && !wanted
              ? fixedTerminalKeys.map((fixed) => (
                  <div key={`fixed:${fixed.id}`} className="flex min-h-10 items-center gap-2 border-b border-line py-1">
                    <span className="flex-1 text-sm">
                      {label(fixed.id)} <span className="ml-2 text-xs text-ink-3">{t('keys.fixed')}</span>
                    </span>
                    {fixed.keys
                      .filter((chord) => isMac() || !chord.startsWith('Meta'))
                      .map((chord) => (
                        <span key={chord} className="kbd">
                          {chordLabel(chord, isMac())}
                        </span>
                      ))}
                  </div>
                ))
              : null}
          </section>
        );
      })}
      {shown.length === 0 ? <p className="py-6 text-center text-sm text-ink-3">{t('keys.nothing')}</p> : null}
    </>
  );
}

/** Waits for the next chord. Escape alone leaves everything as it is. */
function Recorder({ action, onDone }: { action: Action; onDone: (chord: string | null) => void }) {
  const t = useT();
  const chosen = useSettings((state) => state.settings.keys);
  const [chord, setChord] = useState<string | null>(null);
  useEffect(() => {
    const resume = suspendKeys();
    const listener = (event: KeyboardEvent) => {
      if (
        event.target instanceof Element &&
        event.target.closest('[data-recorder] button') &&
        ['Enter', 'Space', 'Tab'].includes(event.code)
      )
        return;
      event.preventDefault();
      event.stopPropagation();
      if (event.code === 'Escape' && !event.ctrlKey && !event.shiftKey && !event.altKey && !event.metaKey) {
        onDone(null);
        return;
      }
      const pressed = chordOf(event, isMac());
      if (pressed) setChord(pressed);
    };
    window.addEventListener('keydown', listener, true);
    return () => {
      resume();
      window.removeEventListener('keydown', listener, true);
    };
  }, [onDone]);
  const conflicts = chord ? conflictsOf(chord, action.id, allActions(), chosen, isMac()) : [];
  return (
    <span data-recorder className="ml-auto flex flex-wrap items-center justify-end gap-2" role="status">
      <span className="text-sm text-accent">
        {chord ? <span className="kbd">{chordLabel(chord, isMac())}</span> : t('keys.press')}
      </span>
      {conflicts.length > 0 ? (
        <span className="text-xs text-need">{t('keys.conflict', { action: t(`actions.${conflicts[0]}`) })}</span>
      ) : null}
      {chord && browserKeeps(chord, isMac()) ? (
        <span className="text-xs text-need">{t('keys.browserKeeps')}</span>
      ) : null}
      <Button look="line" onClick={() => onDone(null)}>
        {t('ui.cancel')}
      </Button>
      <Button look="solid" disabled={!chord} onClick={() => onDone(chord)}>
        {t('keys.take')}
      </Button>
    </span>
  );
}
