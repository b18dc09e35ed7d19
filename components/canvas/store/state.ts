import { create } from 'zustand';
import type { CorruptItem } from '../../../schemas/canvas';
import type { Rect } from '../geometry/rect';
import type { Guide } from '../geometry/snapping';
import type { Items } from './layout';

/** A menu or the launcher at a point of the window. */
export interface OpenMenu {
  kind: 'launcher' | 'canvas' | 'card' | 'note' | 'region';
  at: { x: number; y: number };
  /** The item that it is about. */
  id?: string;
}

export interface CanvasView {
  canvasId: string | null;
  /** `none`: there is no canvas to show. */
  status: 'none' | 'loading' | 'ready' | 'failed';
  failure: string | null;
  items: Items;
  corrupt: readonly CorruptItem[];
  selection: ReadonlySet<string>;
  /** The card whose content has the keyboard. */
  focusedId: string | null;
  /** The card that fills the window, and the rectangle that it has meanwhile. Only this tab sees it so. */
  maximised: { id: string; rect: Rect } | null;
  /** Lines of the gesture that goes on. */
  guides: readonly Guide[];
  /** The rectangle that is being drawn, in canvas units, and what for. */
  drawing: { rect: Rect; what: 'select' | 'region' } | null;
  /** The next drag on the canvas draws a region. */
  regionTool: boolean;
  /** Items that a gesture moves now. */
  gesture: 'none' | 'move' | 'resize' | 'pan';
  renamingId: string | null;
  editingNoteId: string | null;
  menu: OpenMenu | null;
}

export const emptyView: Omit<CanvasView, 'canvasId' | 'status'> = {
  failure: null,
  items: new Map(),
  corrupt: [],
  selection: new Set(),
  focusedId: null,
  maximised: null,
  guides: [],
  drawing: null,
  regionTool: false,
  gesture: 'none',
  renamingId: null,
  editingNoteId: null,
  menu: null,
};

/** The canvas that this tab shows. */
export const useCanvas = create<CanvasView>(() => ({ canvasId: null, status: 'loading', ...emptyView }));

export const canvasState = () => useCanvas.getState();

export function setCanvas(change: Partial<CanvasView>): void {
  useCanvas.setState(change);
}

export function select(ids: Iterable<string>): void {
  setCanvas({ selection: new Set(ids) });
}

export function toggleSelected(id: string): void {
  const selection = new Set(canvasState().selection);
  if (!selection.delete(id)) selection.add(id);
  setCanvas({ selection });
}
