import { around, grown, type Rect } from '../geometry/rect';

/** How the canvas is drawn small: map pixels = (canvas units - origin) * scale. */
export interface Projection {
  x: number;
  y: number;
  scale: number;
}

/** Room round the drawing, map pixels. */
const MARGIN = 9;

/** Shows all that lies on the canvas and the camera's view, in a map of that size. */
export function projectionOf(items: readonly Rect[], view: Rect, size: { width: number; height: number }): Projection {
  const world = grown(around([...items, view]) ?? view, 1);
  const scale = Math.min((size.width - 2 * MARGIN) / world.width, (size.height - 2 * MARGIN) / world.height);
  return {
    x: world.x - (size.width / scale - world.width) / 2,
    y: world.y - (size.height / scale - world.height) / 2,
    scale,
  };
}

export function onMap(rect: Rect, { x, y, scale }: Projection): Rect {
  return { x: (rect.x - x) * scale, y: (rect.y - y) * scale, width: rect.width * scale, height: rect.height * scale };
}

export const fromMap = (at: { x: number; y: number }, { x, y, scale }: Projection) => ({
  x: at.x / scale + x,
  y: at.y / scale + y,
});
