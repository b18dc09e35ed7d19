import { describe, expect, it } from 'vitest';
import { contains } from '../geometry/rect';
import { fromMap, onMap, projectionOf } from './projection';

const size = { width: 188, height: 118 };
const view = { x: 5000, y: -300, width: 1440, height: 900 };
const items = [
  { x: 0, y: 0, width: 700, height: 430 },
  { x: -900, y: 2000, width: 220, height: 150 },
];

describe('the minimap', () => {
  it('shows every card and the camera inside its frame', () => {
    const projection = projectionOf(items, view, size);
    const outside = [...items, view].filter((rect) => !contains({ x: 0, y: 0, ...size }, onMap(rect, projection)));
    expect(outside).toEqual([]);
  });
  it('leads back to the same place', () => {
    const projection = projectionOf(items, view, size);
    const there = onMap(view, projection);
    const back = fromMap(there, projection);
    expect(back.x).toBeCloseTo(view.x);
    expect(back.y).toBeCloseTo(view.y);
  });
  it('shows the camera alone on an empty canvas', () => {
    const { x, y, width, height } = onMap(view, projectionOf([], view, size));
    expect([x + width / 2, y + height / 2].map(Math.round)).toEqual([94, 59]);
  });
});
