import { expect, it } from 'vitest';
import type { StreamHeader } from '../../schemas/terminals';
import { Audience } from './audience';
import { Rate } from './rate';
import { snapshotOf, type TestMirror, testMirror, write } from './testing';

type SnapshotHeader = Extract<StreamHeader, { kind: 'snapshot' }>;

const audienceOf = ({ mirror, clock }: TestMirror) =>
  new Audience(mirror, new Rate(), {
    now: () => clock.now,
    defer: (run) => run(),
    later: () => () => {},
    work: () => {},
    underLoad: () => false,
    produced: () => mirror.offset,
    ended: () => undefined,
  });

it('a screen that is too long for a message is passed over in a flood: the next one is shown', () => {
  const test = testMirror(100, 30, 100);
  const audience = audienceOf(test);
  const frames: number[] = [];
  audience.attach('one', { cols: 100, rows: 30, history: 100, visibility: 'live' }, (header, bytes) => {
    if (header.kind === 'frame') frames.push(bytes?.length ?? 0);
  });
  while (audience.pumpSnapshot());
  audience.get('one')?.startSkipping();
  const address = `http://example.com/${'u'.repeat(1900)}`;
  // Two links in turn, so that every cell names its own anew.
  for (let cell = 0; cell < 2500; cell++) write(test.mirror, `\x1b]8;id=${cell % 2};${address}${cell % 2}\x1b\\l`);
  test.clock.now += 100;
  audience.tick();
  expect(frames).toEqual([]);
  write(test.mirror, '\x1b[2J\x1b[Hback');
  test.clock.now += 100;
  audience.tick();
  expect(frames).toHaveLength(1);
});

it('a snapshot ends for everyone, wherever its parts happen to be cut', () => {
  const test = testMirror(80, 24, 1000);
  const { mirror } = test;
  const audience = audienceOf(test);
  // As much text as fits into the first part, but for a little; from there on a character more each time.
  while (snapshotOf(mirror).length < 24 * 1024 - 200) write(mirror, `${'y'.repeat(60)}\r\n`);
  const cuts = new Set<number>();
  for (let more = 0; more < 500; more++) {
    write(mirror, more % 70 === 69 ? '\r\n' : 'x');
    const parts: { header: SnapshotHeader; bytes: Buffer }[] = [];
    audience.attach('one', { cols: 80, rows: 24, history: 1000, visibility: 'live' }, (header, bytes) => {
      if (header.kind === 'snapshot') parts.push({ header, bytes: Buffer.from(bytes ?? []) });
    });
    while (audience.pumpSnapshot());
    expect(parts.map(({ header }) => [header.part, header.last])).toEqual(
      parts.map((_, index) => [index, index === parts.length - 1]),
    );
    expect(Buffer.concat(parts.map(({ bytes }) => bytes)).equals(snapshotOf(mirror))).toBe(true);
    expect(audience.get('one')?.mode).toBe('live');
    cuts.add(parts.length);
    audience.detach('one');
  }
  // The place of the cut was passed.
  expect([...cuts].sort()).toEqual([1, 2]);
});
