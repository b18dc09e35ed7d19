import { describe, expect, it } from 'vitest';
import { asName } from './names';
import { calls } from './realtime';
import { Validators } from './validators';

const rename = new Validators().of(calls['terminal:rename']);
const apply = new Validators().of(calls['canvas:apply']);
const region = { v: 1, kind: 'region', id: 'region-1', x: 0, y: 0, width: 300, height: 200, z: 0, colour: 'green' };
/** Of a terminal, and of a region. */
const taken = (name: string) => {
  const changes = [{ type: 'put', item: { ...region, name } }];
  const both = [
    rename({ sessionId: 'session-1', name }),
    apply({ opId: 'operation-1', canvasId: 'canvas-1', changes }),
  ];
  expect(both[0]).toBe(both[1]);
  return both[0];
};

describe('a name that a person gives', () => {
  it.each(['build', 'сборка №2', '👩‍👩‍👧 family', 'a b'])('is taken: %s', (name) => {
    expect([asName(name), taken(name)]).toEqual([name, true]);
  });
  it.each(['', '   ', '\u00a0', '\t\n', '\u200b\u200b', '\u202e\u2060', '\u3164'])(
    'is none when nothing can be seen: %j',
    (name) => {
      expect([asName(name), taken(name)]).toEqual(['', false]);
    },
  );
  it.each(['', ' ', 'two\nlines', 'a\u0007b', 'a\u2028b', 'x'.repeat(81)])('is refused from outside: %j', (name) => {
    expect(taken(name)).toBe(false);
  });
  it('is one line, and no longer than it may be', () => {
    expect(asName(' two\r\nlines ')).toBe('two lines');
    expect(asName('x'.repeat(100))).toHaveLength(80);
    expect(asName(`${'x'.repeat(79)}👍`)).toBe('x'.repeat(79));
  });
});
