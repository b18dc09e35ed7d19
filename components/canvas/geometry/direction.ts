import type { Placed } from './arrange';
import { bottom, centre, type Rect, right } from './rect';

export type Direction = 'left' | 'right' | 'up' | 'down';

/**
 * The nearest card strictly ahead of `from`: its centre lies beyond ours in that direction. Near means the way from edge
 * to edge; among equals the one that lies more in line wins.
 */
export function nearestAhead<T extends Placed>(
  from: Rect & { id?: string },
  cards: readonly T[],
  direction: Direction,
): T | undefined {
  const here = centre(from);
  const horizontal = direction === 'left' || direction === 'right';
  const sign = direction === 'right' || direction === 'down' ? 1 : -1;
  let best: { card: T; way: number; aside: number } | undefined;
  for (const card of cards) {
    if (card.id === from.id) continue;
    const there = centre(card);
    const ahead = (horizontal ? there.x - here.x : there.y - here.y) * sign;
    if (ahead <= 0) continue;
    const gapX = Math.max(0, card.x - right(from), from.x - right(card));
    const gapY = Math.max(0, card.y - bottom(from), from.y - bottom(card));
    // What lies more beside than ahead is not ahead.
    const [along, across] = horizontal ? [gapX, gapY] : [gapY, gapX];
    if (along === 0 && across > 0) continue;
    const way = Math.hypot(along, across * 2);
    const aside = horizontal ? Math.abs(there.y - here.y) : Math.abs(there.x - here.x);
    if (!best || way < best.way - 0.5 || (Math.abs(way - best.way) <= 0.5 && aside < best.aside))
      best = { card, way, aside };
  }
  return best?.card;
}
