import { useLayoutEffect } from 'react';
import { camera, refill } from '../canvas';

/** Between a card and what floats over the canvas, pixels. */
const MARGIN = 16;
/** Between a card and the edge of the window: as the chrome itself keeps it. */
const EDGE = 20;
const PHONE_EDGE = 12;
/** Pixels; the minimap comes with the first card, and its room is kept before. */
const MAP = { width: 188, height: 118 };
/** Round a card that fills the window. */
const FILLED = 12;

/** Tells the camera what the chrome leaves of the window, whenever the chrome or the window changes. */
export function useInsets(phone: boolean, maximised: boolean, phoneBar: HTMLDivElement | null): void {
  useLayoutEffect(() => {
    const top = document.querySelector('.chrome-top');
    const dock = document.querySelector('.dock');
    const map = document.querySelector('.chrome-map');
    const apply = () => {
      const below = top ? top.getBoundingClientRect().bottom : 0;
      const above = dock ? innerHeight - dock.getBoundingClientRect().top : 0;
      const bar = phoneBar?.getBoundingClientRect().height ?? 0;
      const side = phone ? PHONE_EDGE : EDGE;
      if (phone && maximised) camera.insets = { top: 0, right: 0, bottom: bar, left: 0 };
      else if (maximised) camera.insets = { top: below + FILLED, right: FILLED, bottom: FILLED, left: FILLED };
      else camera.insets = { top: below + MARGIN, right: side, bottom: above + MARGIN, left: side };
      camera.corner = phone || maximised ? undefined : cornerOf(map);
    };
    apply();
    const observer = new ResizeObserver(() => {
      const before = camera.insets;
      apply();
      // Not for its first call, which comes in the middle of the motion that fills the window.
      const changed = (['top', 'right', 'bottom', 'left'] as const).some(
        (side) => camera.insets[side] !== before[side],
      );
      if (changed) refill();
    });
    for (const element of [document.documentElement, top, dock, map, phoneBar]) if (element) observer.observe(element);
    return () => observer.disconnect();
  }, [phone, maximised, phoneBar]);
}

/** What the minimap takes of the lower left corner, with the margin; nothing where the window has no room for it. */
function cornerOf(map: Element | null): { width: number; height: number } | undefined {
  const box = map?.getBoundingClientRect();
  if (!box || box.width === 0) return undefined;
  return { width: box.left + MAP.width + MARGIN, height: innerHeight - box.bottom + MAP.height + MARGIN };
}
