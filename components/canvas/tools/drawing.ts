import { camera } from '../camera/camera';
import { newRegion } from '../commands/items';
import { contains, intersects, rectOf } from '../geometry/rect';
import { canvasState, select, setCanvas } from '../store/state';
import { followPointer, pointOf } from './pointer';

/** Draws a rectangle over the empty canvas: to select what it touches, or to make a region of it. */
export function pressCanvasToDraw(down: PointerEvent, what: 'select' | 'region'): void {
  const from = camera.toCanvas(pointOf(down));
  const before = canvasState().selection;
  followPointer(down, {
    move(_event, at) {
      const rect = rectOf(from, camera.toCanvas(at));
      setCanvas({ drawing: { rect, what } });
      if (what === 'select') {
        const touched = [...canvasState().items.values()].filter((item) =>
          item.kind === 'region' ? contains(rect, item) : intersects(rect, item),
        );
        select([...before, ...touched.map((item) => item.id)]);
      }
    },
    end() {
      const rect = canvasState().drawing?.rect;
      setCanvas({ drawing: null, regionTool: false });
      if (what === 'region' && rect) newRegion(rect);
    },
    cancel() {
      setCanvas({ drawing: null, regionTool: false });
      select(before);
    },
    click() {
      setCanvas({ regionTool: false });
      if (what === 'region') newRegion();
    },
  });
}
