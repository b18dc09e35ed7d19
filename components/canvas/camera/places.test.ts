import { describe, expect, it } from 'vitest';
import { Places } from './places';

const at = (x: number) => ({ x, y: 0, zoom: 1 });

describe('back and forward through places', () => {
  it('goes back the way it came and forward again', () => {
    const places = new Places();
    places.leave(at(0));
    places.leave(at(100));
    expect(places.back(at(200))).toEqual(at(100));
    expect(places.back(at(100))).toEqual(at(0));
    expect(places.back(at(0))).toBeUndefined();
    expect(places.forward(at(0))).toEqual(at(100));
    expect(places.forward(at(100))).toEqual(at(200));
    expect(places.canGoForward).toBe(false);
  });

  it('forgets the way forward at a new jump', () => {
    const places = new Places();
    places.leave(at(0));
    places.back(at(100));
    places.leave(at(50));
    expect([places.canGoBack, places.canGoForward]).toEqual([true, false]);
  });

  it('does not step to where it stands', () => {
    const places = new Places();
    places.leave(at(0));
    places.leave(at(100));
    expect(places.back(at(100.5))).toEqual(at(0));
  });

  it('keeps fifty', () => {
    const places = new Places();
    for (let step = 0; step < 80; step++) places.leave(at(step * 10));
    let steps = 0;
    let here = at(9999);
    for (let place = places.back(here); place; place = places.back(here)) {
      here = place;
      steps++;
    }
    expect(steps).toBe(50);
  });
});
