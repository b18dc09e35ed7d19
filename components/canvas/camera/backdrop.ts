import type { Rect } from '../geometry/rect';
import { drawByZoom } from './by-zoom';
import type { CameraPlace } from './places';

/** The distance of the dots at zoom 1, canvas units; from afar every second is left out until they stand this far apart. */
const DOT_GAP = 24;
const NEAREST_DOTS = 14;
/** The sheet reaches this far beyond the window, in its pixels, and is laid anew when the window comes near its edge. */
const SHEET_MARGIN = 8_000;
const SHEET_EDGE = 2_000;
/** The sheet lies on these multiples, canvas units, so that its dots stay where they are. */
const SHEET_STEP = DOT_GAP * 16;
/** While the camera moves, cards are drawn as for the zoom before until it has changed by this factor. */
const ZOOM_STEP = 1.3;

/** The distance of the dots in canvas units, for a zoom. */
export function dotGap(zoom: number): number {
  let gap = DOT_GAP;
  while (gap * zoom < NEAREST_DOTS) gap *= 2;
  return gap;
}

/** Where the sheet lies, canvas units: where it lay, as long as it reaches far enough beyond the view. */
export function sheetFor(view: Rect, zoom: number, lies?: Rect): Rect {
  const edge = SHEET_EDGE / zoom;
  const reaches =
    lies &&
    lies.x <= view.x - edge &&
    lies.y <= view.y - edge &&
    lies.x + lies.width >= view.x + view.width + edge &&
    lies.y + lies.height >= view.y + view.height + edge;
  if (reaches) return lies;
  const margin = SHEET_MARGIN / zoom;
  const down = (at: number) => Math.floor(at / SHEET_STEP) * SHEET_STEP;
  const up = (at: number) => Math.ceil(at / SHEET_STEP) * SHEET_STEP;
  const x = down(view.x - margin);
  const y = down(view.y - margin);
  return { x, y, width: up(view.x + view.width + margin) - x, height: up(view.y + view.height + margin) - y };
}

/** The zoom that cards are drawn by: from afar their edges stay as wide, and their words as large, as they were. */
export function zoomForCards(zoom: number, shown: number, moving: boolean): number {
  if (zoom >= 1) return 1;
  const isNear = zoom / shown < ZOOM_STEP && shown / zoom < ZOOM_STEP;
  return moving && isNear ? shown : Number(zoom.toFixed(2));
}

/**
 * Draws what follows the camera beside the cards themselves, without React: the sheet with the dots, and the size of
 * type on summaries. The sheet lies under all cards, inside of what the camera moves: so the browser keeps sheet and
 * cards as one picture, which a pan only shifts. Without it every card would be a picture of its own.
 */
export class Backdrop {
  private zoom = 1;
  private lies: Rect | undefined;
  private gap = 0;
  private dotsZoom = 0;

  constructor(private readonly sheet: HTMLElement) {}

  draw(place: CameraPlace, view: Rect, moving: boolean): void {
    const lies = sheetFor(view, place.zoom, this.lies);
    const { style } = this.sheet;
    if (lies !== this.lies) {
      this.lies = lies;
      Object.assign(style, {
        left: `${lies.x}px`,
        top: `${lies.y}px`,
        width: `${lies.width}px`,
        height: `${lies.height}px`,
      });
    }
    const gap = dotGap(place.zoom);
    // Another size of dot is a new picture of everything: while the camera moves only where they would stand too near.
    if (gap !== this.gap || (!moving && place.zoom !== this.dotsZoom)) {
      this.gap = gap;
      this.dotsZoom = place.zoom;
      style.setProperty('--gap', `${gap}px`);
      style.setProperty('--dot', `${(1 / place.zoom).toFixed(3)}px`);
    }
    this.zoom = zoomForCards(place.zoom, this.zoom, moving);
    drawByZoom(this.zoom);
  }
}
