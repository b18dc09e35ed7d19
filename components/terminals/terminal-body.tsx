'use client';

import { useEffect, useRef, useState } from 'react';
import { defaultSettings } from '../../schemas/settings';
import type { Visibility } from '../../schemas/terminals';
import { useSession, useSettings } from '../connection';
import { failureText, useT } from '../i18n';
import { toastFailure } from '../ui';
import { restartSession } from './actions';
import { type CardState, CardTerminal } from './card-terminal';
import { ClipboardPanel } from './clipboard-panel';
import { Notices } from './notices';
import { type MountedTerminal, mountTerminal, useTerminalFocus } from './registry';
import { SearchBar } from './search-bar';
import { StatusBar } from './status-bar';
import { useDrop } from './use-drop';
import { terminalFont } from './xterm/cell-size';
import '@xterm/xterm/css/xterm.css';
import './terminals.css';

export interface TerminalBodyProps {
  cardId: string;
  sessionId: string;
  /** Pixels; that of the card, or of the settings. */
  fontSize: number;
  visibility: Visibility;
  /** Keys go to this terminal. */
  focused: boolean;
  /** Remembers the card's own font size; null: that of the settings. Absent: it cannot be changed. */
  onFontSize?(pixels: number | null): void;
}

/** What stands under the header of a terminal card: the terminal and everything that concerns it. */
export function TerminalBody({ cardId, sessionId, fontSize, visibility, focused, onFontSize }: TerminalBodyProps) {
  const t = useT();
  const host = useRef<HTMLDivElement>(null);
  const [terminal, setTerminal] = useState<CardTerminal | null>(null);
  const [state, setState] = useState<CardState | null>(null);
  const [largePaste, setLargePaste] = useState<string | null>(null);
  const settings = useSettings((store) => store.settings ?? defaultSettings);
  const info = useSession(sessionId)?.info;
  const searching = useTerminalFocus((store) => store.searching === cardId);
  const ended = info?.state === 'ended';
  const wasSeen = useWasSeen(visibility);

  const restart = () => {
    const grid = terminal?.term;
    if (!grid) return;
    restartSession(sessionId, grid.cols, grid.rows).catch((error: unknown) => toastFailure(failureText(error)));
  };

  // The terminal calls what is current when it calls, not what was when it was made.
  const now = useRef({ t, restart, fontSize, visibility, focused });
  now.current = { t, restart, fontSize, visibility, focused };
  const entry = useRef<MountedTerminal>({ cardId, sessionId, visibility, focused, fontSize });
  Object.assign(entry.current, { cardId, sessionId, visibility, focused, fontSize, setFontSize: onFontSize });

  useEffect(() => {
    entry.current.cardId = cardId;
    return mountTerminal(entry.current);
  }, [cardId]);

  useEffect(() => {
    const element = host.current;
    if (!wasSeen || !element) return;
    let made: CardTerminal | undefined;
    let gone = false;
    void terminalFont().then(() => {
      if (gone) return;
      made = new CardTerminal({
        cardId,
        sessionId,
        host: element,
        fontSize: now.current.fontSize,
        visibility: now.current.visibility,
        focused: now.current.focused,
        describeStatus: (status) => now.current.t('terminals.exitStatus', { status }),
        onState: setState,
        onRestart: () => now.current.restart(),
        confirmPaste: setLargePaste,
      });
      entry.current.terminal = made;
      setTerminal(made);
    });
    return () => {
      gone = true;
      made?.dispose();
      entry.current.terminal = undefined;
      setTerminal(null);
      setState(null);
    };
  }, [cardId, sessionId, wasSeen]);

  useEffect(() => terminal?.setVisibility(visibility), [terminal, visibility]);
  useEffect(() => terminal?.setFontSize(fontSize), [terminal, fontSize]);
  useEffect(() => terminal?.setEnded(ended), [terminal, ended]);
  const { scrollback, screenReader } = settings;
  useEffect(() => terminal?.setOptions({ scrollback, screenReader }), [terminal, scrollback, screenReader]);
  useEffect(() => {
    if (focused) useTerminalFocus.setState({ active: cardId });
    else useTerminalFocus.setState(({ active }) => ({ active: active === cardId ? null : active }));
    terminal?.setFocused(focused);
  }, [terminal, focused, cardId]);

  const drop = useDrop(sessionId, terminal, ended);
  const waiting = !state || (state.viewer.phase === 'waiting' && !state.opened);

  return (
    <div
      className="tt-body"
      data-ended={ended || undefined}
      data-terminal-state={waiting ? 'waiting' : state.viewer.phase}
      {...drop.handlers}
    >
      <Notices
        sessionId={sessionId}
        terminal={terminal}
        state={state}
        upload={drop.upload}
        largePaste={largePaste}
        onLargePaste={(paste) => {
          if (paste && largePaste) terminal?.pasteNow(largePaste);
          setLargePaste(null);
          terminal?.focus();
        }}
        onDroppedSeen={() => terminal?.forgetDropped()}
        onInputErrorSeen={() => setState((before) => before && { ...before, inputError: null })}
      />
      {searching && terminal ? <SearchBar terminal={terminal} state={state} /> : null}
      <div className="tt-host" ref={host} />
      {waiting && wasSeen && state?.viewer.phase !== 'failed' ? <Skeleton label={t('terminals.loading')} /> : null}
      {state?.link ? <div className="tt-link">{t('terminals.linkHint', { target: state.link })}</div> : null}
      {drop.over ? (
        <div className="tt-drop" data-refused={ended || undefined}>
          {ended ? t('terminals.dropEnded') : t('terminals.drop')}
        </div>
      ) : null}
      <ClipboardPanel sessionId={sessionId} />
      {ended ? <StatusBar info={info} onRestart={restart} /> : null}
    </div>
  );
}

/** True from the first time on that somebody can see the card: a terminal that nobody sees costs nothing. */
function useWasSeen(visibility: Visibility): boolean {
  const [seen, setSeen] = useState(visibility !== 'hidden');
  if (!seen && visibility !== 'hidden') setSeen(true);
  return seen;
}

function Skeleton({ label }: { label: string }) {
  return (
    <div className="tt-skeleton" role="status" aria-label={label}>
      <i />
      <i />
      <i />
    </div>
  );
}
