import { beforeEach, describe, expect, it } from 'vitest';
import { Crossing } from './crossing';

describe('the border between cards and summaries', () => {
  let frames: (() => void)[];
  let crossing: Crossing;
  let shown: string[];
  const card = (name: string, inSight: boolean) => ({
    inSight,
    show: (far: boolean) => void shown.push(`${name} ${far ? 'summary' : 'whole'}`),
  });
  const frame = () => frames.shift()?.();

  beforeEach(() => {
    frames = [];
    shown = [];
    crossing = new Crossing((work) => frames.push(work), 2);
  });

  it('is crossed a few cards a frame, those in sight first', () => {
    for (const name of ['a', 'b', 'c']) crossing.join(card(name, name === 'c'), false);
    crossing.to(true);
    expect(shown).toEqual([]);
    frame();
    expect(shown).toEqual(['c summary', 'a summary']);
    frame();
    expect(shown).toEqual(['c summary', 'a summary', 'b summary']);
    expect(frames).toEqual([]);
  });

  it('is not crossed by cards that need not: the camera came back, or they are gone', () => {
    for (const name of ['a', 'b', 'c', 'd']) crossing.join(card(name, true), false);
    const leave = crossing.join(card('e', true), false);
    crossing.to(true);
    leave();
    frame();
    crossing.to(false);
    frame();
    expect(shown).toEqual(['a summary', 'b summary', 'a whole', 'b whole']);
    expect(frames).toEqual([]);
  });

  it('is crossed at once by a card that comes to be on the wrong side', () => {
    crossing.to(true);
    frame();
    crossing.join(card('a', true), false);
    frame();
    expect(shown).toEqual(['a summary']);
  });
});
