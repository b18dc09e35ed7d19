import { type RefObject, useEffect } from 'react';
import { useSettings } from '../../connection';
import { canvasState } from '../store/state';
import { pressCanvasToDraw } from '../tools/drawing';
import { pressToPan } from '../tools/panning';
import { pointOf } from '../tools/pointer';
import { camera } from './camera';
import { WheelOwner } from './wheel-owner';
import { pinchFactor, wheelFactor } from './zooming';

/** Pixels of a wheel event's unit. */
const unitOf = (event: WheelEvent) => (event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? window.innerHeight : 1);

/** The card under the pointer whose content has the keyboard. */
function focusedCardAt(target: EventTarget | null): string | undefined {
  if (!(target instanceof Element) || !target.closest('[data-card-body]')) return undefined;
  const id = target.closest<HTMLElement>('[data-card-id]')?.dataset.cardId;
  return id && (id === canvasState().focusedId || id === canvasState().maximised?.id) ? id : undefined;
}

function onWheel(owner: WheelOwner) {
  return (event: WheelEvent) => {
    const zoom = event.ctrlKey || event.metaKey;
    const whose = owner.decide({
      time: event.timeStamp,
      focusedCard: focusedCardAt(event.target),
      zoom,
      override: event.altKey,
    });
    if (whose === 'card') return;
    event.preventDefault();
    event.stopPropagation();
    if (whose === 'nobody') return;
    const unit = unitOf(event);
    const at = pointOf(event);
    if (zoom) camera.zoomBy(pinchFactor(event.deltaY * unit), at);
    else if (useSettings.getState().settings.wheel === 'zoom' && !event.shiftKey)
      camera.zoomBy(wheelFactor(event.deltaY * unit), at);
    else camera.panBy(-event.deltaX * unit, -event.deltaY * unit);
  };
}

/** Two fingers: the canvas follows both of them. */
function onTouch() {
  let last: { x: number; y: number; apart: number } | undefined;
  const measure = (event: TouchEvent) => {
    const [a, b] = [event.touches[0]!, event.touches[1]!];
    return {
      x: (a.clientX + b.clientX) / 2,
      y: (a.clientY + b.clientY) / 2,
      apart: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY),
    };
  };
  return (event: TouchEvent) => {
    if (event.touches.length !== 2 || camera.locked) {
      last = undefined;
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    const now = measure(event);
    if (last && event.type === 'touchmove') {
      camera.panBy(now.x - last.x, now.y - last.y);
      if (last.apart > 0) camera.zoomBy(now.apart / last.apart, now);
    }
    last = now;
  };
}

/** Everything that a pointer, a wheel or fingers do to the canvas itself; before any card or React Flow sees it. */
export function useCanvasInput(ref: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    let space = false;
    let taken = false;
    const isEmpty = (target: EventTarget | null) =>
      target instanceof Element && target.classList.contains('react-flow__pane');

    const pointerDown = (event: PointerEvent) => {
      taken = false;
      const empty = isEmpty(event.target);
      const override = (event.altKey || space) && event.button === 0;
      const middle = event.button === 1 && !focusedCardAt(event.target);
      if (camera.locked) return;
      if (override || middle) {
        taken = true;
        pressToPan(event);
      } else if (empty && event.button === 0 && (event.shiftKey || canvasState().regionTool)) {
        taken = true;
        pressCanvasToDraw(event, canvasState().regionTool ? 'region' : 'select');
      }
      if (!taken) return;
      event.preventDefault();
      event.stopPropagation();
    };
    // What follows a press that was taken must reach neither a terminal nor React Flow.
    const swallow = (event: MouseEvent) => {
      // A click without a pointer is the keyboard's.
      if (!taken || event.detail === 0) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.type === 'click' || event.type === 'auxclick') taken = false;
    };
    const key = (event: KeyboardEvent) => {
      const typing =
        event.target instanceof Element &&
        event.target.closest('input, textarea, button, [contenteditable], [role="menu"], [role="dialog"]');
      if (event.code === 'Space' && !typing) {
        space = event.type === 'keydown';
        if (space) event.preventDefault();
      }
      element.toggleAttribute('data-grab', space || (event.altKey && event.type === 'keydown'));
    };
    const blur = () => {
      space = false;
      element.removeAttribute('data-grab');
    };
    const wheel = onWheel(new WheelOwner());
    const touch = onTouch();
    const stopPageZoom = (event: WheelEvent) => {
      if (event.ctrlKey || event.metaKey) event.preventDefault();
    };
    const stopGesture = (event: Event) => event.preventDefault();

    const active = { capture: true, passive: false } as const;
    element.addEventListener('wheel', wheel, active);
    element.addEventListener('pointerdown', pointerDown, true);
    const swallowed = ['mousedown', 'click', 'auxclick', 'dblclick'] as const;
    for (const type of swallowed) element.addEventListener(type, swallow, true);
    const touches = ['touchstart', 'touchmove', 'touchend'] as const;
    for (const type of touches) element.addEventListener(type, touch, active);
    window.addEventListener('keydown', key);
    window.addEventListener('keyup', key);
    window.addEventListener('blur', blur);
    window.addEventListener('wheel', stopPageZoom, { passive: false });
    document.addEventListener('gesturestart', stopGesture);
    return () => {
      element.removeEventListener('wheel', wheel, active);
      element.removeEventListener('pointerdown', pointerDown, true);
      for (const type of swallowed) element.removeEventListener(type, swallow, true);
      for (const type of touches) element.removeEventListener(type, touch, active);
      window.removeEventListener('keydown', key);
      window.removeEventListener('keyup', key);
      window.removeEventListener('blur', blur);
      window.removeEventListener('wheel', stopPageZoom);
      document.removeEventListener('gesturestart', stopGesture);
    };
  }, [ref]);
}
