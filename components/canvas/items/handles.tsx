import type { Edge } from '../geometry/snapping';
import { pressHandle } from '../tools/resizing';

const edges: readonly Edge[] = ['n', 's', 'e', 'w', 'ne', 'nw', 'se', 'sw'];

/** The eight places where an item can be drawn larger or smaller. With the keyboard: Alt+Shift+arrow. */
export function Handles({ id }: { id: string }) {
  return edges.map((edge) => (
    <div
      key={edge}
      className="handle"
      data-edge={edge}
      onPointerDown={(event) => {
        event.stopPropagation();
        event.preventDefault();
        pressHandle(event.nativeEvent, id, edge);
      }}
    />
  ));
}
