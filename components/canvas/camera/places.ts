/** Where the camera stands: the viewport's translation in screen pixels and its zoom. */
export interface CameraPlace {
  x: number;
  y: number;
  zoom: number;
}

/** Places that are kept to go back to. */
const MAX_PLACES = 50;

const same = (a: CameraPlace, b: CameraPlace) =>
  Math.abs(a.x - b.x) < 2 && Math.abs(a.y - b.y) < 2 && Math.abs(a.zoom - b.zoom) < 0.005;

/** The way that the camera took by jumps, as a browser keeps the pages that one saw. */
export class Places {
  private past: CameraPlace[] = [];
  private future: CameraPlace[] = [];

  /** Call before a jump, with the place that is left. */
  leave(place: CameraPlace): void {
    const last = this.past.at(-1);
    if (last && same(last, place)) return;
    this.past.push(place);
    if (this.past.length > MAX_PLACES) this.past.shift();
    this.future = [];
  }

  /** The place before `current`; nothing at the beginning. */
  back(current: CameraPlace): CameraPlace | undefined {
    return Places.step(this.past, this.future, current);
  }

  forward(current: CameraPlace): CameraPlace | undefined {
    return Places.step(this.future, this.past, current);
  }

  get canGoBack(): boolean {
    return this.past.length > 0;
  }

  get canGoForward(): boolean {
    return this.future.length > 0;
  }

  clear(): void {
    this.past = [];
    this.future = [];
  }

  private static step(from: CameraPlace[], to: CameraPlace[], current: CameraPlace): CameraPlace | undefined {
    let place = from.pop();
    // A place where one stands already is no step.
    while (place && same(place, current)) place = from.pop();
    if (place) to.push(current);
    return place;
  }
}
