// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import {
  browserKeeps,
  canonicalChord,
  chordLabel,
  chordOf,
  chordsOf,
  conflictsOf,
  type KeyPress,
  pressIs,
} from './keys';

const press = (more: Partial<KeyPress>): KeyPress => {
  const event = { key: 'p', code: 'KeyP', ctrlKey: false, altKey: false, shiftKey: false, metaKey: false, ...more };
  const held: Record<string, boolean> = {
    Control: event.ctrlKey,
    Alt: event.altKey,
    Shift: event.shiftKey,
    Meta: event.metaKey,
  };
  return { ...event, getModifierState: (name: string) => held[name] ?? false };
};

describe('chords', () => {
  it('matches the place of a key, whatever the layout types there', () => {
    const cyrillic = press({ key: 'З', code: 'KeyP', ctrlKey: true, shiftKey: true });
    expect(pressIs(cyrillic, 'Control+Shift+KeyP')).toBe(true);
  });
  it('does not match with a modifier too many or too few', () => {
    expect(
      [press({ ctrlKey: true }), press({ ctrlKey: true, shiftKey: true, altKey: true })].map((event) =>
        pressIs(event, 'Control+Shift+KeyP'),
      ),
    ).toEqual([false, false]);
  });
  it('records what was pressed, in the notation of the settings', () => {
    expect(chordOf(press({ ctrlKey: true, shiftKey: true }), false)).toBe('$mod+Shift+KeyP');
    expect(chordOf(press({ metaKey: true }), true)).toBe('$mod+KeyP');
    expect(chordOf(press({ ctrlKey: true }), true)).toBe('Control+KeyP');
    expect(chordOf(press({ key: 'Shift', code: 'ShiftLeft', shiftKey: true }), false)).toBeUndefined();
  });
  it('recognises a recorded chord when it is pressed again', () => {
    const event = press({ code: 'BracketLeft', key: '[', altKey: true, ctrlKey: true });
    expect(pressIs(event, chordOf(event, false)!)).toBe(true);
  });
  it('shows them as a person reads them', () => {
    expect([
      chordLabel('$mod+Shift+KeyP', false),
      chordLabel('$mod+Shift+KeyP', true),
      chordLabel('Alt+ArrowLeft', false),
      chordLabel('Digit1', false),
    ]).toEqual(['Ctrl+Shift+P', '⌘⇧P', 'Alt+←', '1']);
  });
  it('finds conflicts whatever the spelling', () => {
    const actions = [
      { id: 'a', keys: ['$mod+Shift+KeyP'] },
      { id: 'b', keys: ['KeyB'] },
    ];
    expect([
      conflictsOf('Shift+Control+KeyP', 'b', actions, {}, false),
      conflictsOf('Shift+Control+KeyP', 'b', actions, { a: [] }, false),
      conflictsOf('KeyB', 'b', actions, {}, false),
    ]).toEqual([['a'], [], []]);
    expect(canonicalChord('$mod+Shift+KeyP', true)).toBe('Meta+Shift+KeyP');
  });
  it('prefers the person’s chords, also when there are none', () => {
    expect([chordsOf({ id: 'a', keys: ['KeyA'] }, {}), chordsOf({ id: 'a', keys: ['KeyA'] }, { a: [] })]).toEqual([
      ['KeyA'],
      [],
    ]);
  });
  it('tells which chords a browser keeps for itself', () => {
    expect(
      ['$mod+KeyT', '$mod+Shift+KeyW', 'Control+Tab', '$mod+KeyP', 'Alt+KeyT'].map((chord) => [
        browserKeeps(chord, false),
        browserKeeps(chord, true),
      ]),
    ).toEqual([
      [true, true],
      [true, true],
      [true, true],
      [false, false],
      [false, false],
    ]);
  });
});
