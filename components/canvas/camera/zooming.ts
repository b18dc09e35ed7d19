import { CanvasLimits } from '../../../schemas/canvas';
import { around, bottom, centre, clamp, type Point, type Rect } from '../geometry/rect';
import type { CameraPlace } from './places';

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
): CameraPlace | undefined {
  const frame = around(rects);
  if (!frame) return undefined;
  const plain = fitting(frame, size, insets);
  if (!corner) return plain;
  const covered = (place: CameraPlace) =>
    rects.some(
      (rect) =>
        rect.x * place.zoom + place.x < corner.width &&
        bottom(rect) * place.zoom + place.y > size.height - corner.height,
    );
  if (!covered(plain)) return plain;
  const above = fitting(frame, size, { ...insets, bottom: Math.max(insets.bottom, corner.height) });
  const beside = fitting(frame, size, { ...insets, left: Math.max(insets.left, corner.width) });
  return above.zoom >= beside.zoom ? above : beside;
}

/** The nearest place from which all of `rect` is in sight; the same one if it is already, or if it could never be. */
export function revealing(
  rect: Rect,
  place: CameraPlace,
  size: { width: number; height: number },
  insets: Insets,
): CameraPlace {
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
