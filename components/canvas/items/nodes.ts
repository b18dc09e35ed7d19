import type { Node } from '@xyflow/react';
import type { CanvasItem, CorruptItem } from '../../../schemas/canvas';
import { around, type Rect } from '../geometry/rect';
import type { Items } from '../store/layout';

export interface ItemData extends Record<string, unknown> {
  item: CanvasItem;
}
export interface CorruptData extends Record<string, unknown> {
  corrupt: CorruptItem;
}
export type ItemNode = Node<ItemData, 'terminal' | 'note' | 'region'>;
export type CorruptNode = Node<CorruptData, 'corrupt'>;
export type CanvasNode = ItemNode | CorruptNode;

/** Above all that a layout can hold. */
const MAXIMISED_Z = 2e9;
const CORRUPT = { width: 320, height: 190 };
const style = { pointerEvents: 'all' } as const;
const through = { pointerEvents: 'none' } as const;

/**
 * React Flow's nodes for the items. A node whose item did not change is the same object, so that nothing renders; the
 * order is that of the items, which never changes.
 */
export class NodeList {
  private known = new Map<string, { item: CanvasItem; rect: Rect | undefined; node: ItemNode }>();

  of(items: Items, corrupt: readonly CorruptItem[], maximised: { id: string; rect: Rect } | null): CanvasNode[] {
    const next = new Map<string, { item: CanvasItem; rect: Rect | undefined; node: ItemNode }>();
    for (const [id, item] of items) {
      const rect = maximised?.id === id ? maximised.rect : undefined;
      const before = this.known.get(id);
      next.set(
        id,
        before && before.item === item && before.rect === rect
          ? before
          : { item, rect, node: nodeOf(item, rect, before?.node) },
      );
    }
    this.known = next;
    return [...[...next.values()].map((entry) => entry.node), ...corruptNodes(items, corrupt)];
  }
}

function nodeOf(item: CanvasItem, rect: Rect | undefined, before: ItemNode | undefined): ItemNode {
  const place = rect ?? item;
  return {
    id: item.id,
    type: item.kind,
    position: { x: place.x, y: place.y },
    width: place.width,
    height: place.height,
    zIndex: rect ? MAXIMISED_Z : item.kind === 'region' ? 0 : item.z + 1,
    // The data of an item that was only moved stays the same, so that its card does not render.
    data: before && onlyMoved(before.data.item, item) ? before.data : { item },
    style: item.kind === 'region' ? through : style,
    draggable: false,
    selectable: false,
    focusable: false,
  };
}

const placeKeys = new Set(['x', 'y', 'width', 'height', 'z']);

/** Whether two items differ in nothing but where they lie. */
function onlyMoved(a: CanvasItem, b: CanvasItem): boolean {
  if (a === b) return true;
  const keys = Object.keys({ ...a, ...b }) as (keyof CanvasItem)[];
  return keys.every((key) => placeKeys.has(key) || a[key] === b[key]);
}

/** A record that could not be read has no place: it is shown above the rest. */
function corruptNodes(items: Items, corrupt: readonly CorruptItem[]): CorruptNode[] {
  if (corrupt.length === 0) return [];
  const frame = around([...items.values()]) ?? { x: 0, y: 0, width: 0, height: 0 };
  return corrupt.map((one, index) => ({
    id: `corrupt:${one.id}`,
    type: 'corrupt',
    position: { x: frame.x + index * (CORRUPT.width + 20), y: frame.y - CORRUPT.height - 60 },
    ...CORRUPT,
    zIndex: 1,
    data: { corrupt: one },
    style,
    draggable: false,
    selectable: false,
    focusable: false,
  }));
}
