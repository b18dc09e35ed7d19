// @vitest-environment jsdom
import { describe, expect, it, vi } from 'vitest';
import type { Action } from '../actions';
import { actionFor } from '../actions';
import { canvasActions } from '../canvas';
import { messageAt, messages } from '../i18n';
import { terminalActions } from '../terminals';
import { shellActions } from './actions';

// The terminals' actions without the terminals: an emulator has no place in this test.
vi.mock('../terminals', () => vi.importActual('../terminals/actions'));

const actionsOn = (mac: boolean): Action[] =>
  [...canvasActions, ...terminalActions, ...shellActions(mac)].map((action) => ({ ...action, enabled: () => true }));

/** A press of a chord in the notation of the settings. `$mod` is Control here. */
function press(chord: string) {
  const parts = chord.split('+');
  const code = parts.pop()!;
  const has = (...names: string[]) => names.some((name) => parts.includes(name));
  const event = {
    key: code.startsWith('Key') ? code.slice(3).toLowerCase() : code.startsWith('Digit') ? code.slice(5) : code,
    code,
    ctrlKey: has('Control', '$mod'),
    shiftKey: has('Shift'),
    altKey: has('Alt'),
    metaKey: has('Meta'),
  };
  const held = { Control: event.ctrlKey, Shift: event.shiftKey, Alt: event.altKey, Meta: event.metaKey };
  return { ...event, getModifierState: (name: string) => held[name as keyof typeof held] ?? false };
}

const inTerminal = (chord: string) => actionFor(press(chord), 'terminal', actionsOn(false), {})?.id;

/** The whole list of what a focused terminal does not get. To add to it is to take something from every program. */
const reserved: Record<string, string> = {
  '$mod+Shift+KeyP': 'palette.open',
  '$mod+Shift+Enter': 'terminal.new',
  '$mod+Shift+KeyM': 'card.maximise',
  '$mod+Shift+ArrowLeft': 'focus.left',
  '$mod+Shift+ArrowRight': 'focus.right',
  '$mod+Shift+ArrowUp': 'focus.up',
  '$mod+Shift+ArrowDown': 'focus.down',
  '$mod+Shift+KeyL': 'focus.leave',
  '$mod+Shift+KeyA': 'attention.next',
  '$mod+Shift+Digit1': 'view.fit',
  '$mod+Shift+Digit0': 'view.zoomReset',
  '$mod+Shift+Comma': 'view.back',
  '$mod+Shift+Period': 'view.forward',
  '$mod+Shift+KeyF': 'terminal.search',
  'Control+Shift+PageUp': 'terminal.previousCommand',
  'Control+Shift+PageDown': 'terminal.nextCommand',
};

/** Every chord that any action has by default. */
const allChords = [...new Set(actionsOn(false).flatMap((action) => action.keys))];

describe('keys with a terminal focused', () => {
  it('canvas:keys: reserves exactly this list of chords', () => {
    const taken = Object.fromEntries(
      allChords.filter((chord) => inTerminal(chord)).map((chord) => [chord, inTerminal(chord)]),
    );
    expect(taken).toEqual(reserved);
  });

  it('on a Mac adds Cmd+K for the palette, which no program in a terminal can get anyway', () => {
    const added = shellActions(true).flatMap((action) => action.keys.filter((chord) => !allChords.includes(chord)));
    expect(added).toEqual(['Meta+KeyK']);
  });

  it.each([
    ...[
      'KeyK',
      'KeyB',
      'KeyJ',
      'KeyR',
      'KeyA',
      'KeyC',
      'KeyD',
      'KeyE',
      'KeyL',
      'KeyN',
      'KeyO',
      'KeyP',
      'KeyT',
      'KeyU',
      'KeyW',
      'KeyY',
      'KeyZ',
      'Comma',
      'Space',
      'Enter',
    ].map((key) => `Control+${key}`),
    // Undo of readline and emacs, NUL, the other file of vim.
    ...['Minus', 'Digit2', 'Digit6'].map((key) => `Control+Shift+${key}`),
    ...['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'KeyB', 'KeyF', 'KeyD'].map((key) => `Alt+${key}`),
    ...[
      'Home',
      'End',
      'Delete',
      'Backspace',
      'Escape',
      'Tab',
      'Enter',
      'F1',
      'F2',
      'PageUp',
      'PageDown',
      'ArrowUp',
      'Space',
    ],
    ...[
      'Digit0',
      'Digit1',
      'Digit2',
      'Equal',
      'Minus',
      'BracketLeft',
      'BracketRight',
      'KeyN',
      'KeyR',
      'KeyT',
      'Comma',
      'Period',
    ],
    ...[
      'Shift+KeyR',
      'Shift+Slash',
      'Shift+Equal',
      'Shift+ArrowLeft',
      'Shift+Insert',
      'Control+Shift+KeyC',
      'Control+Shift+KeyV',
    ],
  ])('%s goes to the program', (chord) => {
    expect(inTerminal(chord)).toBeUndefined();
  });

  it('uses no chord that the browser keeps for itself', () => {
    const kept = ['KeyN', 'KeyT', 'KeyW'].flatMap((key) => [
      `$mod+${key}`,
      `$mod+Shift+${key}`,
      `Control+${key}`,
      `Control+Shift+${key}`,
    ]);
    expect(allChords.filter((chord) => kept.includes(chord))).toEqual([]);
  });

  it('has no chord for two actions', () => {
    const chords = actionsOn(false).flatMap((action) => action.keys.map((chord) => chord.replace('Control', '$mod')));
    expect(chords.filter((chord, index) => chords.indexOf(chord) !== index)).toEqual([]);
  });

  it('names every action in both languages', () => {
    const unnamed = actionsOn(true).flatMap((action) =>
      (['en', 'ru'] as const)
        .filter((locale) => !messageAt(messages[locale], `actions.${action.id}`))
        .map((locale) => `${locale}: ${action.id}`),
    );
    expect(unnamed).toEqual([]);
  });

  it('types into a field what types, and still opens the palette there', () => {
    const inField = (chord: string) => actionFor(press(chord), 'editable', actionsOn(false), {})?.id;
    expect([
      inField('Digit1'),
      inField('KeyN'),
      inField('Delete'),
      inField('$mod+KeyA'),
      inField('$mod+Shift+KeyP'),
    ]).toEqual([undefined, undefined, undefined, undefined, 'palette.open']);
  });

  it('leaves a focused button its own keys, but not Escape, which no button uses', () => {
    const onButton = (chord: string) => actionFor(press(chord), 'control', actionsOn(false), {})?.id;
    expect(['Enter', 'Space', 'ArrowLeft', 'Escape'].map(onButton)).toEqual([
      undefined,
      undefined,
      undefined,
      'view.escape',
    ]);
  });

  it('follows the person’s own chords', () => {
    const chosen = { 'palette.open': ['Control+Shift+KeyK'], 'terminal.new': [] };
    const own = (chord: string) => actionFor(press(chord), 'terminal', actionsOn(false), chosen)?.id;
    expect([own('Control+Shift+KeyK'), own('$mod+Shift+KeyP'), own('$mod+Shift+Enter')]).toEqual([
      'palette.open',
      undefined,
      undefined,
    ]);
  });
});
