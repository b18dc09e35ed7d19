import { useSettings } from '../../connection';
import { isPhone } from '../../ui';
import { camera } from '../camera/camera';
import { bringToFront, focusCard } from '../commands/focus';
import { withContents } from '../commands/items';
import { around, grown, intersects, type Rect } from '../geometry/rect';
import { snapMove } from '../geometry/snapping';
import type { Place } from '../store/layout';
import { canvasState, select, setCanvas, toggleSelected } from '../store/state';
import { LiveMove } from '../store/sync';
import { pressToPan } from './panning';
import { followPointer, pointOf } from './pointer';

/** What a gesture may snap to: cards and notes near the view that do not move themselves. */
export function neighboursOf(moving: ReadonlySet<string>): Rect[] {
  const near = grown(camera.view(), 200);
  return [...canvasState().items.values()].filter((item) => !moving.has(item.id) && intersects(near, item));
}

/** Snapping is on unless the person switched it off or holds Alt or Ctrl. */
export function snaps(event: PointerEvent): boolean {
  return useSettings.getState().settings.snap && !event.altKey && !event.ctrlKey && !event.metaKey;
}

/**
 * A press on the handle of an item (its header, the label of a region, a note): with Shift it changes the selection, a
 * drag moves the selection and what lies in its regions, a mere press gives the item the keyboard.
 */
export function pressItem(down: PointerEvent, id: string, options: { onClick?: () => void } = {}): void {
  if (down.button !== 0 || canvasState().maximised) return;
  const item = canvasState().items.get(id);
  if (!item) return;
  // On a phone a finger moves the view; cards are arranged where there is room for it.
  if (down.pointerType === 'touch' && isPhone()) {
    pressToPan(down, () => focusCard(id));
    return;
  }
  if (down.shiftKey || down.ctrlKey || down.metaKey) {
    toggleSelected(id);
    return;
  }
  if (!canvasState().selection.has(id)) select([id]);
  bringToFront([id]);

  let move: LiveMove | undefined;
  let from = camera.toCanvas(pointOf(down));
  let frame: Rect | undefined;
  let neighbours: Rect[] = [];
  followPointer(down, {
    start() {
      const ids = new Set(withContents([...canvasState().selection]));
      move = new LiveMove(ids);
      frame = around([...move.start.values()]);
      neighbours = neighboursOf(ids);
      from = camera.toCanvas(pointOf(down));
      setCanvas({ gesture: 'move' });
    },
    move(event, at) {
      if (!move || !frame) return;
      const now = camera.toCanvas(at);
      let dx = now.x - from.x;
      let dy = now.y - from.y;
      const moved = { ...frame, x: frame.x + dx, y: frame.y + dy };
      const snapped = snaps(event) ? snapMove(moved, neighbours, camera.place.zoom) : undefined;
      dx += snapped?.dx ?? 0;
      dy += snapped?.dy ?? 0;
      move.update(
        new Map(
          [...move.start].map(([one, place]): [string, Place] => [one, { ...place, x: place.x + dx, y: place.y + dy }]),
        ),
      );
      setCanvas({ guides: snapped?.guides ?? [] });
    },
    end() {
      move?.end();
      setCanvas({ gesture: 'none', guides: [] });
    },
    cancel() {
      move?.cancel();
      setCanvas({ gesture: 'none', guides: [] });
    },
    click() {
      select([id]);
      if (options.onClick) options.onClick();
      else focusCard(id, { reveal: false });
    },
  });
}
