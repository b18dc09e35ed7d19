import { describe, expect, it } from 'vitest';
import { ctrlOf } from './ctrl';
import { splitPath } from './paths';

describe('the key bar of a phone', () => {
  it('makes control characters of what has one', () => {
    expect(['c', 'C', '[', ' ', '?', '_'].map(ctrlOf)).toEqual(['\x03', '\x03', '\x1b', '\0', '\x7f', '\x1f']);
  });
  it('leaves alone what has none', () => {
    expect(['1', 'ы', '', 'ab', '/'].map(ctrlOf)).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });
});

describe('the field that opens a folder', () => {
  it('looks up what begins with the last part', () => {
    expect(
      ['/home/ann/co', '/', '/ho', '~/code/', '~', 'code', ''].map((typed) => splitPath(typed, '/home/ann')),
    ).toEqual([
      { folder: '/home/ann', prefix: 'co' },
      { folder: '/', prefix: '' },
      { folder: '/', prefix: 'ho' },
      { folder: '/home/ann/code', prefix: '' },
      { folder: '/home/ann', prefix: '' },
      undefined,
      undefined,
    ]);
  });
});
