import { describe, expect, it } from 'vitest';
import { fromWire, toWire } from './wire-bytes';

const every = Uint8Array.from({ length: 256 }, (_, byte) => byte);

describe('bytes on the socket of a tab', () => {
  it('come back as they were, whether they travel as text or as bytes', () => {
    for (const bytes of [new Uint8Array(0), every, new Uint8Array(1024).fill(0xff), new Uint8Array(1025).fill(0x1b)]) {
      expect(fromWire(toWire(bytes))).toEqual(bytes);
    }
    expect(typeof toWire(every)).toBe('string');
    expect(toWire(new Uint8Array(1025))).toBeInstanceOf(Uint8Array);
    expect(fromWire(every.buffer)).toEqual(every);
  });

  it('are nothing else', () => {
    for (const wire of ['€', 'a'.repeat(1025), 7, null, undefined, [1, 2], { length: 1 }]) {
      expect(fromWire(wire)).toBeUndefined();
    }
  });
});
