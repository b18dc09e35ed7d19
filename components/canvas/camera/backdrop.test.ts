import { describe, expect, it } from 'vitest';
import { dotGap, sheetFor, zoomForCards } from './backdrop';

describe('the sheet', () => {
  const view = { x: -130, y: 40, width: 1600, height: 900 };

  it('reaches far beyond the view and lies so that its dots stay where they are', () => {
    for (const zoom of [0.2, 0.5, 1, 2]) {
      const lies = sheetFor(view, zoom);
      expect(lies.x).toBeLessThanOrEqual(view.x - 8000 / zoom);
      expect(lies.x + lies.width).toBeGreaterThanOrEqual(view.x + view.width + 8000 / zoom);
      expect([Math.abs(lies.x % dotGap(zoom)), Math.abs(lies.y % dotGap(zoom))]).toEqual([0, 0]);
    }
  });

  it('is laid anew only when the view comes near its edge', () => {
    const lies = sheetFor(view, 1);
    expect(sheetFor({ ...view, x: view.x + 5000 }, 1, lies)).toBe(lies);
    const next = sheetFor({ ...view, x: view.x + 6500 }, 1, lies);
    expect(next).not.toBe(lies);
    expect(next.x).toBeGreaterThan(lies.x);
    expect(sheetFor({ ...view, width: 8000, height: 4500 }, 0.2, lies)).not.toBe(lies);
  });
});

it('dots keep a readable distance on the screen', () => {
  for (let zoom = 0.2; zoom <= 2; zoom += 0.05) {
    expect(dotGap(zoom) * zoom).toBeGreaterThanOrEqual(14);
    expect(dotGap(zoom) * zoom).toBeLessThanOrEqual(48.01);
  }
});

describe('the zoom that cards draw by', () => {
  it('is 1 where cards are shown whole', () => {
    expect(zoomForCards(1, 0.3, true)).toBe(1);
    expect(zoomForCards(1.7, 1, false)).toBe(1);
  });

  it('goes in steps while the camera moves and is exact at rest', () => {
    expect(zoomForCards(0.42, 0.4, true)).toBe(0.4);
    expect(zoomForCards(0.42, 0.4, false)).toBe(0.42);
    expect(zoomForCards(0.3, 0.4, true)).toBe(0.3);
    expect(zoomForCards(0.49, 1, true)).toBe(0.49);
  });
});
