import { expect, test } from 'vitest';
import { meaningOfKey } from './keys';

const key = (code: string, typed: string, ...modifiers: ('ctrl' | 'shift' | 'alt' | 'meta')[]) => ({
  type: 'keydown',
  code,
  key: typed,
  ctrlKey: modifiers.includes('ctrl'),
  shiftKey: modifiers.includes('shift'),
  altKey: modifiers.includes('alt'),
  metaKey: modifiers.includes('meta'),
});
const plain = { hasSelection: false, isMac: false, distinctKeys: false };

test('pain 12: copying chords copy, and the plain interrupt stays one without a selection', () => {
  expect(meaningOfKey(key('KeyC', 'C', 'ctrl', 'shift'), plain).kind).toBe('copy');
  expect(meaningOfKey(key('Insert', 'Insert', 'ctrl'), plain).kind).toBe('copy');
  expect(meaningOfKey(key('KeyC', 'c', 'ctrl'), plain).kind).toBe('program');
  expect(meaningOfKey(key('KeyC', 'c', 'ctrl'), { ...plain, hasSelection: true }).kind).toBe('copy');
  expect(meaningOfKey(key('KeyV', 'V', 'ctrl', 'shift'), plain).kind).toBe('native');
  expect(meaningOfKey(key('Insert', 'Insert', 'shift'), plain).kind).toBe('native');
  expect(meaningOfKey(key('KeyC', 'c', 'meta'), { ...plain, isMac: true, hasSelection: true }).kind).toBe('copy');
  expect(meaningOfKey(key('KeyV', 'v', 'meta'), { ...plain, isMac: true }).kind).toBe('native');
});

test('control chords work on layouts of other alphabets, by the place of the key', () => {
  expect(meaningOfKey(key('KeyC', 'с', 'ctrl'), plain)).toEqual({ kind: 'send', data: '\x03' });
  expect(meaningOfKey(key('KeyR', 'к', 'ctrl'), plain)).toEqual({ kind: 'send', data: '\x12' });
  expect(meaningOfKey(key('KeyC', 'с', 'ctrl'), { ...plain, hasSelection: true }).kind).toBe('copy');
  // A Latin layout with other places keeps its own letters.
  expect(meaningOfKey(key('KeyI', 'c', 'ctrl'), { ...plain, hasSelection: true }).kind).toBe('copy');
  expect(meaningOfKey(key('KeyC', 'j', 'ctrl'), { ...plain, hasSelection: true }).kind).toBe('program');
});

test('Shift+Enter is told apart only for a program that asked for it', () => {
  expect(meaningOfKey(key('Enter', 'Enter', 'shift'), plain).kind).toBe('program');
  expect(meaningOfKey(key('Enter', 'Enter', 'shift'), { ...plain, distinctKeys: true })).toEqual({
    kind: 'send',
    data: '\x1b[13;2u',
  });
});

test('everything that shells and agents use goes to the program', () => {
  const chords = [
    ...['KeyK', 'KeyB', 'KeyJ', 'KeyR', 'KeyW', 'KeyT', 'KeyN', 'KeyV', 'KeyD', 'KeyL'].map((code) =>
      key(code, code.slice(3).toLowerCase(), 'ctrl'),
    ),
    key('Home', 'Home'),
    key('Escape', 'Escape'),
    key('Tab', 'Tab', 'shift'),
    key('ArrowLeft', 'ArrowLeft', 'alt'),
    key('Enter', 'Enter'),
  ];
  expect(chords.map((chord) => meaningOfKey(chord, plain).kind)).toEqual(chords.map(() => 'program'));
});
