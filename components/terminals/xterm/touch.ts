import type { Terminal } from '@xterm/xterm';

/** A finger that moved less is a tap. */
const SLOP_PX = 6;

/**
 * A finger scrolls the terminal: through the history line by line; pagers and programs with mouse reports get it as a
 * wheel.
 */
export function installTouchScroll(term: Terminal, host: HTMLElement): () => void {
  let last: { x: number; y: number } | null = null;
  let scrolling = false;
  /** Pixels that do not make a whole line yet. */
  let rest = 0;

  const scroll = (dy: number, touch: Touch) => {
    const screen = term.element?.querySelector<HTMLElement>('.xterm-screen');
    if (!screen || screen.offsetHeight === 0) return;
    if (term.buffer.active.type === 'alternate' || term.modes.mouseTrackingMode !== 'none') {
      const at = { clientX: touch.clientX, clientY: touch.clientY };
      screen.dispatchEvent(new WheelEvent('wheel', { deltaY: dy, ...at, bubbles: true, cancelable: true }));
      return;
    }
    // A row as it is on the screen, at this zoom.
    const row = screen.getBoundingClientRect().height / term.rows;
    rest += dy;
    const lines = Math.trunc(rest / row);
    rest -= lines * row;
    if (lines !== 0) term.scrollLines(lines);
  };

  const begin = (event: TouchEvent) => {
    const touch = event.touches.length === 1 ? event.touches[0] : undefined;
    last = touch ? { x: touch.clientX, y: touch.clientY } : null;
    scrolling = false;
    rest = 0;
  };
  const move = (event: TouchEvent) => {
    const touch = event.touches[0];
    if (!last || !touch || event.touches.length !== 1) return;
    const dy = last.y - touch.clientY;
    if (!scrolling && Math.abs(dy) < SLOP_PX) return;
    scrolling = true;
    event.preventDefault();
    last = { x: touch.clientX, y: touch.clientY };
    scroll(dy, touch);
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
