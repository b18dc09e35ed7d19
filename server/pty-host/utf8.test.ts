import { describe, expect, it } from 'vitest';
import { incompleteTail, parts } from './utf8';

describe('pain 23: characters are never cut in two', () => {
  it.each([
    ['', 0],
    ['abc', 0],
    ['a\xe2', 1],
    ['a\xe2\x80', 2],
    ['a\xe2\x80\xba', 0],
    ['\xf0\x9f\x91', 3],
    ['\xf0\x9f\x91\x8d', 0],
    ['\xc3', 1],
    ['\xc3\xa9', 0],
    ['\x80\x80\x80\x80', 0],
    ['a\xff', 0],
    ['a\xc0', 0],
  ])('%j ends with %i bytes of an unfinished one', (text, count) => {
    expect(incompleteTail(Buffer.from(text, 'latin1'))).toBe(count);
  });

  it('parts join to the whole and are whole characters each', () => {
    const bytes = Buffer.from('aé漢👍'.repeat(50));
    const cut = [...parts(bytes, 7)];
    expect(Buffer.concat(cut)).toEqual(bytes);
    for (const part of cut) expect(part.toString()).not.toContain('\ufffd');
  });
});
