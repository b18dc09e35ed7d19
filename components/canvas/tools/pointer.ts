import type { Point } from '../geometry/rect';

/** A pointer must go this far, in screen pixels, before a press is a drag. */
const DRAG_START = 4;

/** The true place of a pointer in the window: events inside terminals have theirs mapped to the terminal's own pixels. */
export function pointOf(event: MouseEvent): Point {
  const raw = event as MouseEvent & { rawClientX?: number; rawClientY?: number };
  return { x: raw.rawClientX ?? event.clientX, y: raw.rawClientY ?? event.clientY };
}

export interface DragHandlers {
  /** The pointer has gone far enough. */
  start?(event: PointerEvent): void;
  move(event: PointerEvent, at: Point): void;
  end(event: PointerEvent): void;
  /** Escape, a lost pointer or a window that lost the focus: everything goes back. */
  cancel(): void;
  /** It was no drag but a press. */
  click?(event: PointerEvent): void;
}

/** Follows the pointer that was just pressed until it is released. */
export function followPointer(down: PointerEvent, handlers: DragHandlers, threshold = DRAG_START): void {
  const from = pointOf(down);
  const { pointerId } = down;
  let dragging = threshold === 0;
  if (dragging) handlers.start?.(down);

  const onMove = (event: PointerEvent) => {
    if (event.pointerId !== pointerId) return;
    const at = pointOf(event);
    if (!dragging) {
      if (Math.hypot(at.x - from.x, at.y - from.y) < threshold) return;
      dragging = true;
      handlers.start?.(event);
    }
    event.preventDefault();
    handlers.move(event, at);
  };
  const onUp = (event: PointerEvent) => {
    if (event.pointerId !== pointerId) return;
    stop();
    if (dragging) handlers.end(event);
    else handlers.click?.(event);
  };
  const abort = () => {
    stop();
    if (dragging) handlers.cancel();
  };
  const onCancel = (event: PointerEvent) => event.pointerId === pointerId && abort();
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    abort();
  };
  const stop = () => {
    window.removeEventListener('pointermove', onMove, true);
    window.removeEventListener('pointerup', onUp, true);
    window.removeEventListener('pointercancel', onCancel, true);
    window.removeEventListener('keydown', onKey, true);
    window.removeEventListener('blur', abort);
  };
  window.addEventListener('pointermove', onMove, { capture: true, passive: false });
  window.addEventListener('pointerup', onUp, true);
  window.addEventListener('pointercancel', onCancel, true);
  window.addEventListener('keydown', onKey, true);
  window.addEventListener('blur', abort);
}
