'use client';

import { camera } from './camera/camera';
import type { Rect } from './geometry/rect';
import { useCanvas } from './store/state';

/** Guides and the rectangle that is being drawn, in pixels of the window, so that their lines stay thin. */
export function Overlay() {
  const guides = useCanvas((state) => state.guides);
  const drawing = useCanvas((state) => state.drawing);
  if (guides.length === 0 && !drawing) return null;
  return (
    <div className="canvas-overlay" aria-hidden>
      {guides.map((guide) => (
        <div key={`${guide.axis}${guide.at}`} className="guide" data-axis={guide.axis} style={lineStyle(guide)} />
      ))}
      {drawing ? <div className="drawing" data-what={drawing.what} style={boxStyle(drawing.rect)} /> : null}
    </div>
  );
}

function lineStyle({ axis, at, from, to }: { axis: 'x' | 'y'; at: number; from: number; to: number }) {
  const start = camera.toScreen(axis === 'x' ? { x: at, y: from } : { x: from, y: at });
  const length = (to - from) * camera.place.zoom;
  return axis === 'x'
    ? { left: start.x, top: start.y - 12, height: length + 24 }
    : { left: start.x - 12, top: start.y, width: length + 24 };
}

function boxStyle(rect: Rect) {
  const corner = camera.toScreen(rect);
  return {
    left: corner.x,
    top: corner.y,
    width: rect.width * camera.place.zoom,
    height: rect.height * camera.place.zoom,
  };
}
