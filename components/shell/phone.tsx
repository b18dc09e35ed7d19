'use client';

import { Check, CornerDownLeft, Keyboard, LayoutDashboard, MoreHorizontal, Plus } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { runAction } from '../actions';
import {
  afterMenu,
  CardMenuItems,
  focusCard,
  leaveCard,
  maximise,
  unmaximise,
  useAttention,
  useCanvas,
} from '../canvas';
import { useSessions } from '../connection';
import { useT } from '../i18n';
import { sendKeys, terminalOfCard, titleOf } from '../terminals';
import { Button, IconButton, Menu, MenuItem } from '../ui';
import { CanvasMenu } from './canvas-menu';
import { ctrlOf } from './ctrl';
import { useShell } from './state';

/** A swipe goes this far, in pixels. */
const SWIPE = 56;
/** More cards than this are a list: a finger could no longer tell their dots apart. */
const MOST_DOTS = 5;

/** One card at a time: the canvas it is on, dots to go from one to the next, and the keys that a phone's keyboard lacks. */
export function PhoneBar() {
  const t = useT();
  const items = useCanvas((state) => state.items);
  const maximised = useCanvas((state) => state.maximised?.id);
  const needs = useAttention((state) => state.needs);
  const sessions = useSessions((state) => state.sessions);
  const cards = [...items.values()].filter((item) => item.kind !== 'region');
  const at = cards.findIndex((card) => card.id === maximised);
  const card = cards[at];
  useSwipe((by) => {
    const next = cards[at + by];
    if (next) maximise(next.id);
  });
  const needed = (item: (typeof cards)[number]) =>
    item.kind === 'terminal' && needs.some((need) => need.sessionId === item.sessionId);
  const nameOf = (item: (typeof cards)[number]) => {
    if (item.kind === 'note') return item.text.split('\n')[0] || t('note.empty');
    const view = item.kind === 'terminal' ? sessions[item.sessionId] : undefined;
    return view ? titleOf(view) : '';
  };
  return (
    <>
      <div className="phone-row">
        <IconButton
          side="top"
          label={t('phone.overview')}
          onClick={() => {
            unmaximise();
            leaveCard();
            useShell.setState({ overview: true });
            // All of it, once the chrome of the canvas is there.
            requestAnimationFrame(() => runAction('view.fit'));
          }}
        >
          <LayoutDashboard aria-hidden />
        </IconButton>
        <CanvasMenu />
        <nav className="phone-dots" aria-label={t('phone.cards')}>
          {cards.length > MOST_DOTS ? (
            <Menu
              label={t('phone.cards')}
              items={cards.map((item) => (
                <MenuItem
                  key={item.id}
                  icon={<CardSign shown={item === card} need={needed(item)} />}
                  onSelect={() => maximise(item.id)}
                >
                  {nameOf(item)}
                </MenuItem>
              ))}
            >
              <Button aria-label={t('phone.cardOf', { at: at + 1, count: cards.length })} className="tabular-nums">
                {at + 1} / {cards.length}
                {cards.some((item) => item !== card && needed(item)) ? <i className="phone-dot" data-need /> : null}
              </Button>
            </Menu>
          ) : (
            cards.map((item) => (
              <button
                key={item.id}
                type="button"
                aria-label={nameOf(item)}
                aria-current={item.id === maximised}
                data-need={needed(item)}
                onClick={() => maximise(item.id)}
              >
                <i className="phone-dot" />
              </button>
            ))
          )}
        </nav>
        {card?.kind === 'terminal' ? (
          <Menu
            label={t('card.menu')}
            align="end"
            items={<CardMenuItems id={card.id} />}
            onClose={() => afterMenu(card.id)}
          >
            <IconButton side="top" label={t('card.menu')}>
              <MoreHorizontal aria-hidden />
            </IconButton>
          </Menu>
        ) : null}
        <IconButton side="top" label={t('actions.terminal.new')} onClick={() => runAction('terminal.new')}>
          <Plus aria-hidden />
        </IconButton>
      </div>
      {card?.kind === 'terminal' ? <KeyBar cardId={card.id} sessionId={card.sessionId} /> : null}
    </>
  );
}

/** Before a card's name in the list: the one that is shown, or one that needs you. */
function CardSign({ shown, need }: { shown: boolean; need: boolean }) {
  if (shown) return <Check aria-hidden />;
  return <span className="phone-sign">{need ? <i className="phone-dot" data-need /> : null}</span>;
}

function useSwipe(go: (by: number) => void): void {
  const current = useRef(go);
  current.current = go;
  useEffect(() => {
    let from: { x: number; y: number } | undefined;
    const start = (event: TouchEvent) => {
      const on = event.target instanceof Element && event.target.closest('.card-head, .phone-row, .note');
      from =
        on && event.touches.length === 1 ? { x: event.touches[0]!.clientX, y: event.touches[0]!.clientY } : undefined;
    };
    const end = (event: TouchEvent) => {
      const touch = event.changedTouches[0];
      if (!from || !touch) return;
      const dx = touch.clientX - from.x;
      const dy = touch.clientY - from.y;
      from = undefined;
      if (Math.abs(dx) > SWIPE && Math.abs(dx) > 2 * Math.abs(dy)) current.current(dx < 0 ? 1 : -1);
    };
    window.addEventListener('touchstart', start, { passive: true });
    window.addEventListener('touchend', end, { passive: true });
    return () => {
      window.removeEventListener('touchstart', start);
      window.removeEventListener('touchend', end);
    };
  }, []);
}

/** Keys that a phone's keyboard lacks. Ctrl holds for the next key, also of that keyboard. */
function KeyBar({ cardId, sessionId }: { cardId: string; sessionId: string }) {
  const t = useT();
  const [ctrl, setCtrl] = useState(false);
  const focused = useCanvas((state) => state.focusedId === cardId);

  useEffect(() => {
    if (!ctrl) return;
    const take = (event: Event, data: string | null) => {
      const code = data === null ? undefined : ctrlOf(data);
      if (code === undefined || !(event.target instanceof Element) || !event.target.closest('.xterm')) return;
      event.preventDefault();
      event.stopPropagation();
      setCtrl(false);
      sendKeys(sessionId, code);
    };
    const beforeInput = (event: InputEvent) => take(event, event.data);
    const keyDown = (event: KeyboardEvent) => event.key.length === 1 && !event.isComposing && take(event, event.key);
    window.addEventListener('beforeinput', beforeInput, true);
    window.addEventListener('keydown', keyDown, true);
    return () => {
      window.removeEventListener('beforeinput', beforeInput, true);
      window.removeEventListener('keydown', keyDown, true);
    };
  }, [ctrl, sessionId]);

  const send = (data: string) => {
    sendKeys(sessionId, ctrl ? (ctrlOf(data) ?? data) : data);
    setCtrl(false);
  };
  const arrow = (letter: string) => {
    const application = terminalOfCard(cardId)?.term.modes.applicationCursorKeysMode;
    if (ctrl) sendKeys(sessionId, `\x1b[1;5${letter}`);
    else sendKeys(sessionId, `\x1b${application ? 'O' : '['}${letter}`);
    setCtrl(false);
  };
  const key = (label: string, name: string, run: () => void, on?: boolean) => (
    <button
      key={name}
      type="button"
      aria-label={name}
      aria-pressed={on}
      onPointerDown={(event) => event.preventDefault()}
      onClick={run}
    >
      {label}
    </button>
  );
  return (
    <div className="key-bar" role="toolbar" aria-label={t('phone.keys')}>
      {key('Esc', 'Escape', () => send('\x1b'))}
      {key('Tab', 'Tab', () => send('\t'))}
      {key('Ctrl', 'Control', () => setCtrl(!ctrl), ctrl)}
      {key('↑', t('phone.up'), () => arrow('A'))}
      {key('/', '/', () => send('/'))}
      <button
        type="button"
        aria-label="Enter"
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => send('\r')}
      >
        <CornerDownLeft className="key-icon" aria-hidden />
      </button>
      {key('^C', 'Control+C', () => sendKeys(sessionId, '\x03'))}
      {key('←', t('phone.left'), () => arrow('D'))}
      {key('→', t('phone.right'), () => arrow('C'))}
      {key('↓', t('phone.down'), () => arrow('B'))}
      {key('|', '|', () => send('|'))}
      <button
        type="button"
        aria-label={t('phone.keyboard')}
        aria-pressed={focused}
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => {
          if (focused) {
            (document.activeElement as HTMLElement | null)?.blur();
            leaveCard();
          } else focusCard(cardId);
        }}
      >
        <Keyboard className="key-icon" aria-hidden />
      </button>
    </div>
  );
}
