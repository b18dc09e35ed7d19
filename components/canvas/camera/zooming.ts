import { CanvasLimits } from '../../../schemas/canvas';
import { around, bottom, centre, clamp, intersects, type Point, type Rect } from '../geometry/rect';
import type { CameraPlace } from './places';

/** Below this zoom the text of a terminal is hard to read: no new card makes the canvas smaller than that. */
const READABLE = 0.7;

/** Pixels of the window that the chrome takes on each side. */
export interface Insets {
  top: number;
  right: number;
  bottom: number;
  left: number;
}

export const clampZoom = (zoom: number) => clamp(zoom, CanvasLimits.minZoom, CanvasLimits.maxZoom);

/** Zooms so that what lies under `at` (pixels of the canvas element) stays there. */
export function zoomedAt(place: CameraPlace, at: Point, zoom: number): CameraPlace {
  const next = clampZoom(zoom);
  const by = next / place.zoom;
  return { x: at.x - (at.x - place.x) * by, y: at.y - (at.y - place.y) * by, zoom: next };
}

/** The factor of a pinch or of a wheel with Ctrl; `delta` in pixels. One event at most halves or doubles nearly. */
export const pinchFactor = (delta: number) => Math.exp(-clamp(delta, -50, 50) / 100);

/** The factor of a plain wheel, where the person chose that it zooms. */
export const wheelFactor = (delta: number) => Math.exp(-clamp(delta, -240, 240) * 0.0016);

/** Shows all of `rect` in what the insets leave, never larger than `maxZoom`. */
export function fitting(rect: Rect, size: { width: number; height: number }, insets: Insets, maxZoom = 1): CameraPlace {
  const width = Math.max(80, size.width - insets.left - insets.right);
  const height = Math.max(80, size.height - insets.top - insets.bottom);
  const zoom = clamp(
    Math.min(width / rect.width, height / rect.height),
    CanvasLimits.minZoom,
    Math.max(CanvasLimits.minZoom, maxZoom),
  );
  const middle = centre(rect);
  return { x: insets.left + width / 2 - middle.x * zoom, y: insets.top + height / 2 - middle.y * zoom, zoom };
}

/**
 * Like `fitting` for many rectangles, with the lower left corner of the window taken: where one of them would lie below
 * it, the whole is shown above or beside the corner, whichever is larger.
 */
export function fittingClear(
  rects: readonly Rect[],
  size: { width: number; height: number },
  insets: Insets,
  corner: { width: number; height: number } | undefined,
  maxZoom = 1,
): CameraPlace | undefined {
  const frame = around(rects);
  if (!frame) return undefined;
  const plain = fitting(frame, size, insets, maxZoom);
  if (!corner) return plain;
  if (!inCorner(rects, plain, size, corner)) return plain;
  const above = fitting(frame, size, { ...insets, bottom: Math.max(insets.bottom, corner.height) }, maxZoom);
  const beside = fitting(frame, size, { ...insets, left: Math.max(insets.left, corner.width) }, maxZoom);
  return above.zoom >= beside.zoom ? above : beside;
}

/** Whether one of them would lie below what takes the lower left corner. */
function inCorner(
  rects: readonly Rect[],
  place: CameraPlace,
  size: { width: number; height: number },
  corner: { width: number; height: number } | undefined,
): boolean {
  if (!corner) return false;
  return rects.some(
    (rect) =>
      rect.x * place.zoom + place.x < corner.width && bottom(rect) * place.zoom + place.y > size.height - corner.height,
  );
}

/**
 * The nearest place from which all of `rect` is in sight, clear of the corner too if there is room; the same one if it
 * is already, or if it could never be.
 */
export function revealing(
  rect: Rect,
  place: CameraPlace,
  size: { width: number; height: number },
  insets: Insets,
  corner?: { width: number; height: number },
): CameraPlace {
  const plain = shifted(rect, place, size, insets);
  if (!corner || !inCorner([rect], plain, size, corner)) return plain;
  const way = (to: CameraPlace) => Math.hypot(to.x - place.x, to.y - place.y);
  const clear = [
    shifted(rect, place, size, { ...insets, bottom: Math.max(insets.bottom, corner.height) }),
    shifted(rect, place, size, { ...insets, left: Math.max(insets.left, corner.width) }),
  ].filter((to) => !inCorner([rect], to, size, corner) && isWhole(rect, to, size, insets));
  return clear.sort((a, b) => way(a) - way(b))[0] ?? plain;
}

/**
 * Where a new card is seen whole, and with it those that were in sight before, as long as all of that stays readable;
 * else as `revealing`.
 */
export function revealingAmong(
  rect: Rect,
  others: readonly Rect[],
  place: CameraPlace,
  size: { width: number; height: number },
  insets: Insets,
  corner?: { width: number; height: number },
): CameraPlace {
  const view = {
    x: -place.x / place.zoom,
    y: -place.y / place.zoom,
    width: size.width / place.zoom,
    height: size.height / place.zoom,
  };
  const group = [rect, ...others.filter((other) => intersects(other, view))];
  const together = fittingClear(group, size, insets, corner, place.zoom);
  if (!together || together.zoom < Math.min(READABLE, place.zoom)) return revealing(rect, place, size, insets, corner);
  const middle = { x: size.width / 2, y: size.height / 2 };
  const near = shifted(around(group)!, zoomedAt(place, middle, together.zoom), size, insets);
  return inCorner(group, near, size, corner) ? together : near;
}

/** All of it lies in what the insets leave. Half a pixel is no difference. */
function isWhole(rect: Rect, place: CameraPlace, size: { width: number; height: number }, insets: Insets): boolean {
  const again = shifted(rect, place, size, insets);
  return Math.abs(again.x - place.x) < 0.5 && Math.abs(again.y - place.y) < 0.5;
}

function shifted(rect: Rect, place: CameraPlace, size: { width: number; height: number }, insets: Insets): CameraPlace {
  const shift = (start: number, length: number, low: number, high: number) => {
    if (start < low) return low - start;
    if (start + length > high) return Math.max(high - start - length, low - start);
    return 0;
  };
  const left = rect.x * place.zoom + place.x;
  const top = rect.y * place.zoom + place.y;
  return {
    x: place.x + shift(left, rect.width * place.zoom, insets.left, size.width - insets.right),
    y: place.y + shift(top, rect.height * place.zoom, insets.top, size.height - insets.bottom),
    zoom: place.zoom,
  };
}

/** Between two places, `t` from 0 to 1: the middle of the view moves straight, the zoom evenly to the eye. */
export function between(
  from: CameraPlace,
  to: CameraPlace,
  t: number,
  size: { width: number; height: number },
): CameraPlace {
  if (t >= 1) return to;
  const middleOf = (place: CameraPlace): Point => ({
    x: (size.width / 2 - place.x) / place.zoom,
    y: (size.height / 2 - place.y) / place.zoom,
  });
  const zoom = from.zoom * (to.zoom / from.zoom) ** t;
  const a = middleOf(from);
  const b = middleOf(to);
  // In step with the zoom, so that a point that both places show does not swing.
  const s = Math.abs(to.zoom - from.zoom) < 1e-4 ? t : (1 / zoom - 1 / from.zoom) / (1 / to.zoom - 1 / from.zoom);
  return {
    x: size.width / 2 - (a.x + (b.x - a.x) * s) * zoom,
    y: size.height / 2 - (a.y + (b.y - a.y) * s) * zoom,
    zoom,
  };
}
