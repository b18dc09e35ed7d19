import { describe, expect, it } from 'vitest';
import { aligned, tidied } from './arrange';
import { nearestAhead } from './direction';
import { freePlace, placeRound } from './placing';
import { around, contains, intersects, type Rect, rectOf } from './rect';
import { resized, snapMove, snapResize } from './snapping';

const rect = (x: number, y: number, width = 100, height = 60): Rect => ({ x, y, width, height });
const card = (id: string, x: number, y: number, width = 100, height = 60) => ({ id, x, y, width, height });
const bounds = { minWidth: 40, minHeight: 40, maxWidth: 300, maxHeight: 300 };

describe('rectangles', () => {
  it('makes one of two corners in any order', () => {
    expect(rectOf({ x: 10, y: 50 }, { x: 4, y: 60 })).toEqual({ x: 4, y: 50, width: 6, height: 10 });
  });
  it('holds what lies wholly inside, not what sticks out', () => {
    expect([contains(rect(0, 0, 300, 300), rect(10, 10)), contains(rect(0, 0, 300, 300), rect(250, 10))]).toEqual([
      true,
      false,
    ]);
  });
  it('surrounds all of them, and none', () => {
    expect([around([rect(0, 0), rect(200, 100)]), around([])]).toEqual([
      { x: 0, y: 0, width: 300, height: 160 },
      undefined,
    ]);
  });
});

describe('snapping a move', () => {
  it('draws an edge to a neighbour’s edge and shows the line', () => {
    const snapped = snapMove(rect(206, 333), [rect(200, 0)], 1);
    expect(snapped.dx).toBe(-6);
    expect(snapped.guides).toEqual([{ axis: 'x', at: 200, from: 0, to: 393 }]);
  });
  it('draws centres to centres', () => {
    expect(snapMove(rect(203, 333, 60), [rect(180, 0)], 1).dx).toBe(-3);
  });
  it('keeps the gap beside a neighbour', () => {
    expect(snapMove(rect(117, 13), [rect(0, 0)], 1).dx).toBe(3);
  });
  it('does not keep a gap to what is not beside it', () => {
    expect(snapMove(rect(123, 501), [rect(0, 0)], 1)).toEqual({ dx: -3, dy: -1, guides: [] });
  });
  it('reaches ten pixels of the screen, whatever the zoom', () => {
    expect([
      snapMove(rect(218, 333), [rect(200, 0)], 0.5).guides.length,
      snapMove(rect(208, 333), [rect(200, 0)], 2).guides.length,
    ]).toEqual([1, 0]);
  });
  it('falls to the grid where nobody draws', () => {
    expect(snapMove(rect(1003, 1007), [], 1)).toEqual({ dx: -3, dy: 3, guides: [] });
  });
});

describe('resizing', () => {
  it('keeps the opposite edge at each of the eight handles', () => {
    const start = rect(100, 100);
    expect(resized(start, 'se', 10, 20, bounds)).toEqual(rect(100, 100, 110, 80));
    expect(resized(start, 'nw', 10, 10, bounds)).toEqual(rect(110, 110, 90, 50));
    expect(resized(start, 'e', 10, 999, bounds)).toEqual(rect(100, 100, 110, 60));
    expect(resized(start, 'n', 999, -10, bounds)).toEqual(rect(100, 90, 100, 70));
    expect(resized(start, 'sw', -10, 10, bounds)).toEqual(rect(90, 100, 110, 70));
    expect(resized(start, 'ne', 10, -10, bounds)).toEqual(rect(100, 90, 110, 70));
    expect(resized(start, 'w', -10, 5, bounds)).toEqual(rect(90, 100, 110, 60));
    expect(resized(start, 's', 5, 10, bounds)).toEqual(rect(100, 100, 100, 70));
  });
  it('stops at the bounds without pushing the other edge', () => {
    expect(resized(rect(100, 100), 'w', 500, 0, bounds)).toEqual(rect(160, 100, 40, 60));
    expect(resized(rect(100, 100), 'se', 5000, 5000, bounds)).toEqual(rect(100, 100, 300, 300));
  });
  it('draws the moved edge to a neighbour, never beyond the bounds', () => {
    expect(snapResize(rect(0, 0), 'e', 94, 0, bounds, [rect(200, 200)], 1).rect).toEqual(rect(0, 0, 200, 60));
    expect(snapResize(rect(0, 0), 'e', 400, 0, bounds, [rect(305, 200)], 1).rect).toEqual(rect(0, 0, 300, 60));
  });
});

describe('arranging', () => {
  const three = [card('card-a', 0, 0, 100, 60), card('card-b', 300, 40, 50, 80), card('card-c', 150, 500, 200, 40)];
  it.each([
    ['left', [0, 0, 0]],
    ['right', [250, 300, 150]],
    ['centre', [125, 150, 75]],
  ] as const)('aligns %s', (how, x) => {
    expect(aligned(three, how).map((one) => one.x)).toEqual(x);
  });
  it.each([
    ['top', [0, 0, 0]],
    ['bottom', [480, 460, 500]],
    ['middle', [240, 230, 250]],
  ] as const)('aligns %s', (how, y) => {
    expect(aligned(three, how).map((one) => one.y)).toEqual(y);
  });
  it('distributes with equal gaps', () => {
    expect(
      aligned([card('card-a', 0, 0), card('card-b', 110, 0), card('card-c', 400, 0)], 'distribute-x').map(
        (one) => one.x,
      ),
    ).toEqual([0, 200, 400]);
  });
  it('tidies without any overlap, keeping sizes and the corner', () => {
    const many = Array.from({ length: 17 }, (_, index) =>
      card(`card-${index}`, (index * 37) % 200, (index * 53) % 170, 100 + (index % 4) * 30, 60 + (index % 3) * 40),
    );
    const tidy = tidied(many);
    const overlaps = tidy.flatMap((a, i) => tidy.slice(i + 1).filter((b) => intersects(a, b)));
    expect(overlaps).toEqual([]);
    expect(tidy.map(({ id, width, height }) => [id, width, height])).toEqual(
      many.map(({ id, width, height }) => [id, width, height]),
    );
    expect([around(tidy)!.x, around(tidy)!.y]).toEqual([around(many)!.x, around(many)!.y]);
  });
  it('leaves a tidy grid as it is', () => {
    const grid = tidied(Array.from({ length: 9 }, (_, index) => card(`card-${index}`, index, index)));
    expect(tidied(grid)).toEqual(grid);
  });
});

describe('directional focus', () => {
  const here = card('card-0', 0, 0);
  const east = card('card-e', 200, 10);
  const farEast = card('card-f', 500, 0);
  const south = card('card-s', 20, 200);
  const all = [here, east, farEast, south];
  it('goes to the nearest strictly ahead', () => {
    expect(
      (['left', 'right', 'up', 'down'] as const).map((direction) => nearestAhead(here, all, direction)?.id),
    ).toEqual([undefined, 'card-e', undefined, 'card-s']);
  });
  it('breaks a tie by the way aside', () => {
    expect(nearestAhead(here, [card('card-1', 200, 40), card('card-2', 200, 10)], 'right')?.id).toBe('card-2');
  });
  it('comes back the way it went', () => {
    expect(nearestAhead(east, all, 'left')?.id).toBe('card-0');
  });
});

describe('finding room for a new card', () => {
  it('takes the wanted place when it is free', () => {
    expect(freePlace(rect(103, 98), [rect(1000, 0)])).toEqual({ x: 100, y: 100 });
  });
  it('goes beside what is there', () => {
    const place = freePlace(rect(10, 10), [rect(0, 0)]);
    expect(intersects(rect(place.x, place.y), rect(0, 0))).toBe(false);
  });
  it('goes the way in which the window has more room', () => {
    const there = { x: 0, y: 0, width: 690, height: 430 };
    const wide = freePlace(there, [there], { width: 1400, height: 760 });
    const tall = freePlace(there, [there], { width: 760, height: 1400 });
    expect([Math.abs(wide.x) > 690 && wide.y === 0, Math.abs(tall.y) > 430 && tall.x === 0]).toEqual([true, true]);
  });
  it('round a point: clear of what is there while the point stays on the card, else right there', () => {
    const there = { x: 0, y: 0, width: 400, height: 300 };
    const size = { width: 400, height: 300 };
    const beside = placeRound({ x: 500, y: 150 }, size, [there]);
    expect(beside.x).toBeGreaterThanOrEqual(400);
    expect(beside.x).toBeLessThan(500);
    // Between two: the point would be on neither side's card.
    const other = { x: 420, y: -1000, width: 400, height: 2000 };
    expect(placeRound({ x: 410, y: 150 }, size, [{ ...there, y: -1000, height: 2000 }, other])).toEqual({
      x: 210,
      y: 0,
    });
  });
});
