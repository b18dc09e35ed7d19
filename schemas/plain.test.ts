import { describe, expect, it } from 'vitest';
import { MAX_DEPTH, plainDataProblem } from './plain';

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

describe('S18: data from outside', () => {
  it('is taken when it is plain', () => {
    expect(plainDataProblem({ a: [1, 'x', null, { b: new Uint8Array(3) }] })).toBeNull();
    expect(plainDataProblem(nested(MAX_DEPTH))).toBeNull();
    expect(plainDataProblem('text')).toBeNull();
  });

  it.each(['__proto__', 'constructor', 'prototype'])('is refused with the key %s, at any depth', (key) => {
    expect(plainDataProblem(JSON.parse(`{"a":[{"${key}":{}}]}`))).toBe(`/a/0/${key} is a key that is never accepted`);
  });

  it('is refused when it is nested too deep', () => {
    expect(plainDataProblem(nested(MAX_DEPTH + 1))).toContain('nested more than');
  });
});
