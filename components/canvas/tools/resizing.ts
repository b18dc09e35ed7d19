import { camera } from '../camera/camera';
import { limitsOf } from '../commands/items';
import type { Rect } from '../geometry/rect';
import { type Edge, resized, snapResize } from '../geometry/snapping';
import { canvasState, setCanvas } from '../store/state';
import { LiveMove } from '../store/sync';
import { neighboursOf, snaps } from './moving';
import { followPointer, pointOf } from './pointer';

/** A press on one of the eight handles of an item. */
export function pressHandle(down: PointerEvent, id: string, edge: Edge): void {
  const item = canvasState().items.get(id);
  if (down.button !== 0 || !item || canvasState().maximised) return;
  const from = camera.toCanvas(pointOf(down));
  const bounds = limitsOf(item.kind);
  const start: Rect = { x: item.x, y: item.y, width: item.width, height: item.height };
  let live: LiveMove | undefined;
  let neighbours: Rect[] = [];
  followPointer(down, {
    start() {
      live = new LiveMove([id]);
      neighbours = neighboursOf(new Set([id]));
      setCanvas({ gesture: 'resize', selection: new Set([id]) });
    },
    move(event, at) {
      const now = camera.toCanvas(at);
      const dx = now.x - from.x;
      const dy = now.y - from.y;
      const result = snaps(event)
        ? snapResize(start, edge, dx, dy, bounds, neighbours, camera.place.zoom)
        : { rect: resized(start, edge, dx, dy, bounds), guides: [] };
      live?.update(new Map([[id, { ...result.rect, z: live.start.get(id)?.z ?? 0 }]]));
      setCanvas({ guides: result.guides });
    },
    end() {
      live?.end();
      setCanvas({ gesture: 'none', guides: [] });
    },
    cancel() {
      live?.cancel();
      setCanvas({ gesture: 'none', guides: [] });
    },
  });
}
