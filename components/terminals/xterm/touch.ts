import type { Terminal } from '@xterm/xterm';

/** A finger that moved less is a tap. */
const SLOP_PX = 6;

/**
 * A finger scrolls the terminal: its way becomes wheel events, so that history, pagers and programs with mouse reports
 * all react as they do to a wheel.
 */
export function installTouchScroll(term: Terminal, host: HTMLElement): () => void {
  let last: { x: number; y: number } | null = null;
  let scrolling = false;

  const begin = (event: TouchEvent) => {
    const touch = event.touches.length === 1 ? event.touches[0] : undefined;
    last = touch ? { x: touch.clientX, y: touch.clientY } : null;
    scrolling = false;
  };
  const move = (event: TouchEvent) => {
    const touch = event.touches[0];
    if (!last || !touch || event.touches.length !== 1) return;
    const dy = last.y - touch.clientY;
    if (!scrolling && Math.abs(dy) < SLOP_PX) return;
    scrolling = true;
    event.preventDefault();
    last = { x: touch.clientX, y: touch.clientY };
    const screen = term.element?.querySelector('.xterm-screen');
    screen?.dispatchEvent(
      new WheelEvent('wheel', {
        deltaY: dy,
        clientX: touch.clientX,
        clientY: touch.clientY,
        bubbles: true,
        cancelable: true,
      }),
    );
  };
  const end = () => {
    last = null;
  };
  host.addEventListener('touchstart', begin, { passive: true });
  host.addEventListener('touchmove', move, { passive: false });
  host.addEventListener('touchend', end, { passive: true });
  host.addEventListener('touchcancel', end, { passive: true });
  return () => {
    host.removeEventListener('touchstart', begin);
    host.removeEventListener('touchmove', move);
    host.removeEventListener('touchend', end);
    host.removeEventListener('touchcancel', end);
  };
}
