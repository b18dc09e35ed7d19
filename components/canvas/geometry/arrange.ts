import { around, bottom, type Rect, right } from './rect';
import { Snap } from './snapping';

export type Alignment = 'left' | 'centre' | 'right' | 'top' | 'middle' | 'bottom' | 'distribute-x' | 'distribute-y';

export interface Placed extends Rect {
  id: string;
}

/** The same cards in line. Sizes stay. */
export function aligned<T extends Placed>(cards: readonly T[], how: Alignment): T[] {
  const frame = around(cards);
  if (!frame) return [];
  switch (how) {
    case 'left':
      return cards.map((card) => ({ ...card, x: frame.x }));
    case 'right':
      return cards.map((card) => ({ ...card, x: right(frame) - card.width }));
    case 'centre':
      return cards.map((card) => ({ ...card, x: frame.x + (frame.width - card.width) / 2 }));
    case 'top':
      return cards.map((card) => ({ ...card, y: frame.y }));
    case 'bottom':
      return cards.map((card) => ({ ...card, y: bottom(frame) - card.height }));
    case 'middle':
      return cards.map((card) => ({ ...card, y: frame.y + (frame.height - card.height) / 2 }));
    case 'distribute-x':
      return distributed(cards, 'x', 'width', frame);
    case 'distribute-y':
      return distributed(cards, 'y', 'height', frame);
  }
}

/** Equal gaps between the first and the last; where there is no room for any, the gap that neighbours like. */
function distributed<T extends Placed>(cards: readonly T[], at: 'x' | 'y', size: 'width' | 'height', frame: Rect): T[] {
  if (cards.length < 3) return [...cards];
  const ordered = [...cards].sort((a, b) => a[at] + a[size] / 2 - (b[at] + b[size] / 2));
  const taken = ordered.reduce((sum, card) => sum + card[size], 0);
  const even = (frame[size] - taken) / (ordered.length - 1);
  const gap = even >= 0 ? even : Snap.gap;
  let next = frame[at];
  const moved = new Map<string, T>();
  for (const card of ordered) {
    moved.set(card.id, { ...card, [at]: next });
    next += card[size] + gap;
  }
  return cards.map((card) => moved.get(card.id)!);
}

/**
 * The cards in rows without overlap, in the order in which one reads them now, about as wide as a screen is to its
 * height. The upper left corner of the whole stays.
 */
export function tidied<T extends Placed>(cards: readonly T[], aspect = 1.6): T[] {
  const frame = around(cards);
  if (!frame) return [];
  const rowHeight = cards.reduce((sum, card) => sum + card.height, 0) / cards.length;
  const ordered = [...cards].sort((a, b) => Math.round((a.y - b.y) / (rowHeight / 2)) || a.x - b.x || a.y - b.y);
  const area = cards.reduce((sum, card) => sum + (card.width + Snap.gap) * (card.height + Snap.gap), 0);
  const widest = Math.max(...cards.map((card) => card.width));
  const maxWidth = Math.max(widest, Math.sqrt(area * aspect) + widest / 3);
  let x = frame.x;
  let y = frame.y;
  let height = 0;
  const moved = new Map<string, T>();
  for (const card of ordered) {
    if (x > frame.x && x + card.width > frame.x + maxWidth) {
      x = frame.x;
      y += height + Snap.gap;
      height = 0;
    }
    moved.set(card.id, { ...card, x, y });
    x += card.width + Snap.gap;
    height = Math.max(height, card.height);
  }
  return cards.map((card) => moved.get(card.id)!);
}
