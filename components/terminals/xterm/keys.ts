/** What the terminal does with a key before the program gets it. `native`: the browser's own paste. */
export type KeyMeaning =
  | { kind: 'program' }
  | { kind: 'copy' }
  | { kind: 'native' }
  | { kind: 'send'; data: string }
  | { kind: 'ignore' };

export interface KeyContext {
  hasSelection: boolean;
  isMac: boolean;
  /** The program asked for keys that can be told apart (kitty's keyboard protocol or modifyOtherKeys). */
  distinctKeys: boolean;
}

type Key = Pick<KeyboardEvent, 'type' | 'key' | 'code' | 'ctrlKey' | 'shiftKey' | 'altKey' | 'metaKey'>;

/**
 * Chords of a focused terminal that are fixed, in tinykeys' notation, for the list of shortcuts. Copy and paste stay
 * with the browser's own clipboard events, which need no permission.
 */
export const fixedTerminalKeys: { id: string; keys: string[] }[] = [
  { id: 'terminal.copy', keys: ['Control+Shift+KeyC', 'Control+Insert', 'Meta+KeyC'] },
  { id: 'terminal.paste', keys: ['Control+Shift+KeyV', 'Shift+Insert', 'Meta+KeyV'] },
];

const PROGRAM: KeyMeaning = { kind: 'program' };

/** By physical keys, so that the chords work on every layout. */
export function meaningOfKey(event: Key, context: KeyContext): KeyMeaning {
  const { ctrlKey: ctrl, shiftKey: shift, altKey: alt, metaKey: meta } = event;
  const only = (c: boolean, s: boolean, m: boolean) => ctrl === c && shift === s && meta === m && !alt;
  const code = event.code;

  if (only(true, true, false) && code === 'KeyC') return { kind: 'copy' };
  if (only(true, false, false) && code === 'Insert') return { kind: 'copy' };
  if (only(true, false, false) && isLetter(event, 'c') && context.hasSelection) return { kind: 'copy' };
  if (only(true, true, false) && code === 'KeyV') return { kind: 'native' };
  if (only(false, true, false) && code === 'Insert') return { kind: 'native' };
  if (context.isMac && only(false, false, true)) {
    if (code === 'KeyC') return context.hasSelection ? { kind: 'copy' } : { kind: 'ignore' };
    if (code === 'KeyV') return { kind: 'native' };
  }
  if (code === 'Enter' && only(false, true, false) && context.distinctKeys) return sent(event, '\x1b[13;2u');
  if (only(true, false, false)) {
    const letter = physicalLetter(event);
    // A letter of another alphabet: the control character of the key's place.
    if (letter) return sent(event, String.fromCharCode(letter.charCodeAt(0) - 96));
  }
  return PROGRAM;
}

function sent(event: Key, data: string): KeyMeaning {
  return event.type === 'keydown' ? { kind: 'send', data } : { kind: 'ignore' };
}

function isLetter(event: Key, letter: string): boolean {
  return /^[a-z]$/i.test(event.key) ? event.key.toLowerCase() === letter : event.code === `Key${letter.toUpperCase()}`;
}

/** The Latin letter at the key's place, when its layout writes something else there that is no ASCII. */
function physicalLetter(event: Key): string | null {
  if (event.key.length !== 1 || event.key.charCodeAt(0) < 0x80) return null;
  return /^Key([A-Z])$/.exec(event.code)?.[1]?.toLowerCase() ?? null;
}
