import { describe, expect, it } from 'vitest';
import { asName } from './names';
import { calls } from './realtime';
import { Validators } from './validators';

const rename = new Validators().of(calls['terminal:rename']);
const taken = (name: string) => rename({ sessionId: 'session-1', name });

describe('a name that a person gives', () => {
  it.each(['build', 'сборка №2', '👩‍👩‍👧 family', 'a b'])('is taken: %s', (name) => {
    expect([asName(name), taken(name)]).toEqual([name, true]);
  });
  it.each(['', '   ', '\u00a0', '\t\n', '\u200b\u200b'])('is none when nothing can be seen: %j', (name) => {
    expect(asName(name)).toBe('');
  });
  it.each(['', ' ', 'two\nlines', 'a\u0007b', 'a\u2028b', 'x'.repeat(81)])('is refused from outside: %j', (name) => {
    expect(taken(name)).toBe(false);
  });
  it('is one line, and no longer than it may be', () => {
    expect(asName(' two\r\nlines ')).toBe('two lines');
    expect(asName('x'.repeat(100))).toHaveLength(80);
  });
});
