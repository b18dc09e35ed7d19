import { matchKeyBindingPress, parseKeybinding } from 'tinykeys';

/** What a chord is made of; the part of a KeyboardEvent that we look at. */
export type KeyPress = Pick<
  KeyboardEvent,
  'key' | 'code' | 'ctrlKey' | 'altKey' | 'shiftKey' | 'metaKey' | 'getModifierState'
>;

/** Codes of keys that are part of a chord only together with another. */
const modifierCodes = /^(Control|Shift|Alt|Meta|OS)(Left|Right)?$|^CapsLock$|^Fn/;

/**
 * Whether the press is that chord. Chords name physical keys (`KeyP`), so that they work on every layout; a modifier
 * that the chord does not name must not be held.
 */
export function pressIs(event: KeyPress, chord: string): boolean {
  const [press, ...more] = parseKeybinding(chord);
  return press !== undefined && more.length === 0 && matchKeyBindingPress(event as KeyboardEvent, press);
}

/** The chord of a press, in the notation of settings.keys; nothing while only modifiers are held. */
export function chordOf(event: KeyPress, mac: boolean): string | undefined {
  if (!event.code || modifierCodes.test(event.code)) return undefined;
  const mods = [
    (mac ? event.metaKey : event.ctrlKey) && '$mod',
    mac && event.ctrlKey && 'Control',
    !mac && event.metaKey && 'Meta',
    event.altKey && 'Alt',
    event.shiftKey && 'Shift',
  ].filter(Boolean);
  return [...mods, event.code].join('+');
}

const macSigns: Record<string, string> = { $mod: '⌘', Meta: '⌘', Control: '⌃', Alt: '⌥', Shift: '⇧' };
const names: Record<string, string> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Equal: '=',
  Minus: '−',
  BracketLeft: '[',
  BracketRight: ']',
  Comma: ',',
  Period: '.',
  Slash: '/',
  Backslash: '\\',
  Semicolon: ';',
  Quote: "'",
  Backquote: '`',
  Escape: 'Esc',
  Delete: 'Del',
  Backspace: '⌫',
  Space: 'Space',
};

/** A chord as a person reads it: "Ctrl+Shift+P", "⌘⇧P". */
export function chordLabel(chord: string, mac: boolean): string {
  const parts = chord.split('+');
  const code = parts.pop() ?? '';
  const key = names[code] ?? code.replace(/^(Key|Digit)/, '').replace(/^Numpad/, 'Num ');
  if (mac) return [...parts.map((part) => macSigns[part] ?? part), key].join('');
  return [...parts.map((part) => (part === '$mod' || part === 'Control' ? 'Ctrl' : part)), key].join('+');
}

/** The same chord in one spelling, to compare: `$mod` resolved, modifiers in order. */
export function canonicalChord(chord: string, mac: boolean): string {
  const parts = chord.split('+');
  const code = parts.pop() ?? '';
  const mods = parts.map((part) => (part === '$mod' ? (mac ? 'Meta' : 'Control') : part)).sort();
  return [...mods, code].join('+');
}

export interface Bound {
  id: string;
  keys: readonly string[];
}

/** The chords of an action: those of the settings, else its own. */
export function chordsOf(action: Bound, chosen: Readonly<Record<string, readonly string[]>>): readonly string[] {
  return Object.hasOwn(chosen, action.id) ? chosen[action.id]! : action.keys;
}

/** Other actions that have this chord. */
export function conflictsOf(
  chord: string,
  id: string,
  actions: readonly Bound[],
  chosen: Readonly<Record<string, readonly string[]>>,
  mac: boolean,
): string[] {
  const wanted = canonicalChord(chord, mac);
  return actions
    .filter((action) => action.id !== id && chordsOf(action, chosen).some((one) => canonicalChord(one, mac) === wanted))
    .map((action) => action.id);
}

/** Chords that browsers carry out themselves in a tab: the page never sees them, or only in an own window. */
const browserChords: Record<'mac' | 'other', ReadonlySet<string>> = {
  other: new Set(
    [
      ...['KeyT', 'KeyN', 'KeyW', 'Tab', 'F4'].flatMap((code) => [`Control+${code}`, `Control+Shift+${code}`]),
      ...['PageUp', 'PageDown'].map((code) => `Control+${code}`),
      'Alt+F4',
    ].map((chord) => canonicalChord(chord, false)),
  ),
  mac: new Set(
    [
      ...['KeyT', 'KeyN', 'KeyW', 'KeyQ', 'Tab', 'Backquote'].flatMap((code) => [`Meta+${code}`, `Meta+Shift+${code}`]),
      'Meta+KeyH',
      'Meta+KeyM',
      'Control+Tab',
      'Control+Shift+Tab',
    ].map((chord) => canonicalChord(chord, true)),
  ),
};

/** Whether browsers keep this chord for themselves, so that it may do nothing here. */
export function browserKeeps(chord: string, mac: boolean): boolean {
  return browserChords[mac ? 'mac' : 'other'].has(canonicalChord(chord, mac));
}

/** Whether this computer's keyboards have a command key. */
export function isMac(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.platform);
}
