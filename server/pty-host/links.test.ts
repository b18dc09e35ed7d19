import { describe, expect, it } from 'vitest';
import { LinkLimits } from '../../schemas/kept-links';
import { snapshotOf, stateOf, testMirror, write } from './testing';

const E = '\x1b';
const open = (uri: string, params = '') => `${E}]8;${params};${uri}${E}\\`;
const link = (uri: string, text = 'x') => `${open(uri)}${text}${open('')}`;
const kept = (mirror: ReturnType<typeof testMirror>['mirror']) => [
  ...mirror.core._oscLinkService._dataByLinkId.values(),
];

describe('links of a program that marks more than a terminal can keep', () => {
  it('in one row over and over: the newest are kept', () => {
    const { mirror } = testMirror(80);
    const count = 3 * LinkLimits.maxLinks;
    for (let i = 0; i < count; i += 1000) {
      write(mirror, Array.from({ length: 1000 }, (_, n) => `\r${link(`http://x/${i + n}`)}`).join(''));
      expect(kept(mirror).length).toBeLessThanOrEqual(LinkLimits.maxLinks);
    }
    expect(kept(mirror).at(-1)?.data.uri).toBe(`http://x/${Math.ceil(count / 1000) * 1000 - 1}`);
    expect(kept(mirror).length).toBeGreaterThan(LinkLimits.maxLinks / 4);
  });

  it('with long addresses: what they take together is bounded', () => {
    const { mirror } = testMirror(80);
    for (let i = 0; i < 6000; i++) write(mirror, `\r${link(`http://x/${i}/${'y'.repeat(1900)}`)}`);
    expect(kept(mirror).reduce((sum, { data }) => sum + data.uri.length, 0)).toBeLessThanOrEqual(
      LinkLimits.maxTotalLength,
    );
  });

  it('a dropped link is text, also with an id and over many rows, and a snapshot of it is exact', () => {
    const ours = testMirror(80, 6, 100);
    const theirs = testMirror(80, 6, 100);
    write(ours.mirror, `${open('http://old/', 'id=a')}one\r\ntwo\r\n${open('')}`);
    for (let i = 0; i < 1.1 * LinkLimits.maxLinks; i++) write(ours.mirror, `\r${link(`http://x/${i}`)}`);
    expect(kept(ours.mirror).some(({ data }) => data.uri === 'http://old/')).toBe(false);
    write(theirs.mirror, snapshotOf(ours.mirror));
    expect(stateOf(theirs.mirror)).toEqual(stateOf(ours.mirror));
    expect(ours.mirror.text(10).slice(0, 2)).toEqual(['one', 'two']);
  });

  it('an address that is too long is no link and ends the one before it', () => {
    const { mirror } = testMirror(80);
    write(mirror, `${open('http://a/')}1${open(`http://b/${'y'.repeat(LinkLimits.maxLength)}`)}2${open('http://c/')}3`);
    expect(kept(mirror).map(({ data }) => data.uri)).toEqual(['http://a/', 'http://c/']);
    const links = snapshotOf(mirror)
      .toString()
      .replaceAll(/\x1b\[\d*m/g, '');
    expect(links).toMatch(/http:\/\/a\/\x1b\\1\x1b\]8;;\x1b\\2\x1b\]8;id=\w+;http:\/\/c\/\x1b\\3/);
  });

  it('a snapshot does not repeat long addresses cell by cell without end: older rows are text', () => {
    const { mirror } = testMirror(200, 20, 2000);
    const long = (name: string) => open(`http://${name}/${'y'.repeat(1000)}`, `id=${name}`);
    const row = `${`${long('a')}1${long('b')}2`.repeat(50)}${open('')}\r\n`;
    for (let i = 0; i < 200; i++) write(mirror, row);
    const text = snapshotOf(mirror).toString();
    expect(text.length).toBeLessThan(5_000_000);
    const rows = text.split('\r\n');
    expect(rows.findIndex((one) => one.includes('http://'))).toBeGreaterThan(100);
    expect(rows.at(-2)).toContain('http://b/');
    expect(rows.filter((one) => /^(\x1b\[[\d;?]*[a-zA-Z])*(12){50}/.test(one)).length).toBeGreaterThan(100);
  });
});
