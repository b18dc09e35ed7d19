import { describe, expect, it } from 'vitest';
import { WheelOwner } from './wheel-owner';
import { between, fitting, fittingClear, pinchFactor, revealing, revealingAmong, zoomedAt } from './zooming';

const size = { width: 1400, height: 900 };
const insets = { top: 60, right: 20, bottom: 80, left: 20 };
const under = (place: { x: number; y: number; zoom: number }, at: { x: number; y: number }) => ({
  x: (at.x - place.x) / place.zoom,
  y: (at.y - place.y) / place.zoom,
});

describe('zooming', () => {
  it.each([0.3, 0.77, 1, 2])('keeps what lies under the pointer there, at zoom %s', (zoom) => {
    const before = { x: -120, y: 340, zoom: 0.9 };
    const at = { x: 611, y: 207 };
    const after = zoomedAt(before, at, zoom);
    expect(under(after, at).x).toBeCloseTo(under(before, at).x, 8);
    expect(under(after, at).y).toBeCloseTo(under(before, at).y, 8);
  });
  it('stops at its limits without moving', () => {
    const low = { x: 5, y: 6, zoom: 0.2 };
    expect(zoomedAt(low, { x: 300, y: 300 }, 0.1)).toEqual(low);
    expect(zoomedAt({ ...low, zoom: 1 }, { x: 0, y: 0 }, 9).zoom).toBe(2);
  });
  it('takes a pinch event in bounds, whatever its delta', () => {
    expect([pinchFactor(1e9), pinchFactor(-1e9)].map((factor) => Number(factor.toFixed(3)))).toEqual([0.607, 1.649]);
  });
});

describe('fitting', () => {
  it('shows all of it in what the chrome leaves, not larger than life', () => {
    const rect = { x: 100, y: 100, width: 4000, height: 1000 };
    const place = fitting(rect, size, insets);
    expect(rect.x * place.zoom + place.x).toBeCloseTo(insets.left);
    expect((rect.x + rect.width) * place.zoom + place.x).toBeCloseTo(size.width - insets.right);
    expect(fitting({ x: 0, y: 0, width: 10, height: 10 }, size, insets).zoom).toBe(1);
  });
  it('keeps clear of the minimap’s corner, above it or beside it', () => {
    const corner = { width: 210, height: 140 };
    const wide = [
      { x: 0, y: 0, width: 1400, height: 700 },
      { x: 0, y: 720, width: 700, height: 200 },
    ];
    const place = fittingClear(wide, size, insets, corner)!;
    const free = wide.every(
      (rect) =>
        rect.x * place.zoom + place.x >= corner.width - 1e-6 ||
        (rect.y + rect.height) * place.zoom + place.y <= size.height - corner.height + 1e-6,
    );
    expect(free).toBe(true);
    const small = [{ x: 0, y: 0, width: 300, height: 200 }];
    expect(fittingClear(small, size, insets, corner)).toEqual(fitting(small[0]!, size, insets));
    expect(fittingClear([], size, insets, corner)).toBeUndefined();
  });
  it('moves no farther than needed to show a card', () => {
    const place = { x: 0, y: 0, zoom: 1 };
    expect(revealing({ x: 100, y: 100, width: 100, height: 100 }, place, size, insets)).toEqual(place);
    expect(revealing({ x: 1390, y: 100, width: 100, height: 100 }, place, size, insets)).toEqual({
      x: -110,
      y: 0,
      zoom: 1,
    });
    expect(revealing({ x: -50, y: 0, width: 100, height: 100 }, place, size, insets)).toEqual({
      x: 70,
      y: 60,
      zoom: 1,
    });
  });
  it('shows a card clear of the minimap’s corner, by the shorter way', () => {
    const corner = { width: 210, height: 140 };
    const place = { x: 0, y: 0, zoom: 1 };
    expect(revealing({ x: 100, y: 600, width: 300, height: 200 }, place, size, insets, corner)).toEqual({
      ...place,
      y: -40,
    });
    expect(revealing({ x: 180, y: 500, width: 300, height: 310 }, place, size, insets, corner)).toEqual({
      ...place,
      x: 30,
    });
    // Too large to be clear of it: as far as it can be.
    const large = { x: 20, y: 60, width: 1360, height: 760 };
    expect(revealing(large, place, size, insets, corner)).toEqual(place);
  });
  it('shows a new card together with those that were in sight, while that stays readable', () => {
    const place = { x: 0, y: 0, zoom: 1 };
    const inside = (rect: { x: number; y: number; width: number; height: number }, at: typeof place) =>
      rect.x * at.zoom + at.x >= insets.left - 1e-6 &&
      rect.y * at.zoom + at.y >= insets.top - 1e-6 &&
      (rect.x + rect.width) * at.zoom + at.x <= size.width - insets.right + 1e-6 &&
      (rect.y + rect.height) * at.zoom + at.y <= size.height - insets.bottom + 1e-6;
    const there = { x: 100, y: 100, width: 690, height: 430 };
    const fresh = { x: 810, y: 100, width: 690, height: 430 };
    const both = revealingAmong(fresh, [there], place, size, insets);
    expect([inside(there, both), inside(fresh, both)]).toEqual([true, true]);
    expect(both.zoom).toBeCloseTo(1360 / 1400);
    // One that is out of sight has no say, and many would make all of it too small.
    const away = { ...there, y: 5000 };
    expect(revealingAmong(there, [away], place, size, insets)).toEqual(place);
    const many = [0, 1, 2, 3].map((row) => ({ ...there, x: -600, y: row * 450 - 700 }));
    const alone = revealingAmong(fresh, many, place, size, insets);
    expect([alone.zoom, inside(fresh, alone)]).toEqual([1, true]);
  });
  it('goes from one place to the other and ends exactly there', () => {
    const from = { x: 0, y: 0, zoom: 1 };
    const to = { x: -500, y: 200, zoom: 0.25 };
    expect(between(from, to, 0, size)).toEqual(from);
    expect(between(from, to, 1, size)).toEqual(to);
    expect(between(from, to, 0.5, size).zoom).toBeCloseTo(0.5);
  });
});

describe('whose the wheel is', () => {
  const facts = { time: 0, focusedCard: undefined, zoom: false, override: false };
  it('pain 5: a focused card keeps it, an unfocused one gives it to the canvas', () => {
    expect([new WheelOwner().decide({ ...facts, focusedCard: 'card-a' }), new WheelOwner().decide(facts)]).toEqual([
      'card',
      'canvas',
    ]);
  });
  it('pain 7: a gesture of the canvas stays with the canvas until a pause', () => {
    const owner = new WheelOwner();
    owner.decide({ ...facts, time: 0 });
    expect(owner.decide({ ...facts, time: 100, focusedCard: 'card-a' })).toBe('canvas');
    expect(owner.decide({ ...facts, time: 240, focusedCard: 'card-a' })).toBe('canvas');
    expect(owner.decide({ ...facts, time: 391, focusedCard: 'card-a' })).toBe('card');
  });
  it('pain 5: a gesture of a card never leaks into the canvas', () => {
    const owner = new WheelOwner();
    owner.decide({ ...facts, focusedCard: 'card-a' });
    expect(owner.decide({ ...facts, time: 50 })).toBe('nobody');
    expect(owner.decide({ ...facts, time: 250 })).toBe('canvas');
  });
  it('pain 6, 7: a pinch and the override key are the canvas’s, over a focused card too', () => {
    const owner = new WheelOwner();
    owner.decide({ ...facts, focusedCard: 'card-a' });
    expect(owner.decide({ ...facts, time: 10, focusedCard: 'card-a', zoom: true })).toBe('canvas');
    expect(owner.decide({ ...facts, time: 500, focusedCard: 'card-a', override: true })).toBe('canvas');
  });
});
