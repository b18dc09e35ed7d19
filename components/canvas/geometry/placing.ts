import { grown, intersects, type Point, type Rect } from './rect';
import { Snap } from './snapping';

/**
 * Where a new card of that size finds room: at the wanted place if it is free, else at the nearest free place round it,
 * beside what is there. When all is full it lies on top, a little aside. `view`: the shape of the window, of which a way
 * across and a way down take as large a part.
 */
export function freePlace(
  wanted: Rect,
  taken: readonly Rect[],
  view: { width: number; height: number } = { width: 1.4, height: 1 },
): Point {
  const room = taken.map((rect) => grown(rect, Snap.gap - 1));
  const free = (rect: Rect) => !room.some((other) => intersects(rect, other));
  const on = (value: number) => Math.round(value / Snap.grid) * Snap.grid;
  const start = { ...wanted, x: on(wanted.x), y: on(wanted.y) };
  if (free(start)) return { x: start.x, y: start.y };
  // The sides of what is there are where one would put it by hand.
  const beside = taken.flatMap((rect) => [
    { x: rect.x + rect.width + Snap.gap, y: rect.y },
    { x: rect.x, y: rect.y + rect.height + Snap.gap },
    { x: rect.x - wanted.width - Snap.gap, y: rect.y },
    { x: rect.x, y: rect.y - wanted.height - Snap.gap },
  ]);
  const way = (point: Point) => Math.hypot((point.x - wanted.x) / view.width, (point.y - wanted.y) / view.height);
  const best = beside.filter((point) => free({ ...wanted, ...point })).sort((a, b) => way(a) - way(b))[0];
  return best ?? { x: start.x + 30, y: start.y + 30 };
}

/** Where a new card goes that is wanted round that point: clear of what is there if it can be and still hold the point. */
export function placeRound(point: Point, size: { width: number; height: number }, taken: readonly Rect[]): Point {
  const wanted = { x: point.x - size.width / 2, y: point.y - size.height / 2, ...size };
  const free = freePlace(wanted, taken);
  const holds = Math.abs(free.x - wanted.x) <= size.width / 2 && Math.abs(free.y - wanted.y) <= size.height / 2;
  return holds ? free : { x: wanted.x, y: wanted.y };
}
