import { CanvasLimits } from '../../../schemas/canvas';
import { isPhone } from '../../ui';
import { camera } from '../camera/camera';
import type { CameraPlace } from '../camera/places';
import type { Rect } from '../geometry/rect';
import { placeOf } from '../store/layout';
import { canvasState, setCanvas } from '../store/state';
import { commitPlaces, topZ } from '../store/sync';

/** The place to which the camera returns when a card no longer fills the window. */
let before: CameraPlace | undefined;

/** Puts cards in front of the others, in their own order. Not a step of undo: it is where one looks, not how it is laid out. */
export function bringToFront(ids: Iterable<string>): void {
  const { items } = canvasState();
  const chosen = [...ids].flatMap((id) => items.get(id) ?? []).filter((item) => item.kind !== 'region');
  const top = topZ();
  const wanted = new Set(chosen.map((item) => item.id));
  const isOnTop = [...items.values()].every(
    (item) => item.kind === 'region' || wanted.has(item.id) || chosen.every((one) => one.z > item.z),
  );
  if (chosen.length === 0 || isOnTop) return;
  const ordered = [...chosen].sort((a, b) => a.z - b.z);
  commitPlaces(
    new Map(ordered.map((item, index) => [item.id, { ...placeOf(item), z: Math.min(1e9, top + 1 + index) }])),
    { undoable: false },
  );
}

/** Gives a card the keyboard: it comes to the front, into sight, and its content gets the focus. `among`: it is new beside these. */
export function focusCard(id: string, options: { reveal?: boolean; among?: readonly Rect[] } = {}): void {
  const { items, maximised } = canvasState();
  const item = items.get(id);
  if (!item) return;
  setCanvas({ selection: new Set([id]), focusedId: item.kind === 'terminal' ? id : null });
  bringToFront([id]);
  if (maximised) {
    if (maximised.id !== id) maximise(id);
  } else if (isPhone()) maximise(id);
  else if (options.reveal ?? true) reveal(item, options.among);
  focusContent(id, item.kind === 'terminal' ? undefined : 0);
}

function reveal(rect: Rect, among: readonly Rect[] | undefined): void {
  if (camera.destination.zoom < CanvasLimits.summaryZoom) camera.fitMany([rect]);
  else if (among) camera.revealAmong(rect, among);
  else camera.reveal(rect);
}

/** The keyboard focus itself, as soon as the card is on the page. */
export function focusContent(id: string, tries = 30, before = document.activeElement): void {
  const card = document.querySelector<HTMLElement>(`[data-card-id="${id}"]`);
  const body = card?.querySelector<HTMLElement>('[data-card-body]');
  const inside = body?.querySelector<HTMLElement>('textarea') ?? body?.querySelector<HTMLElement>('[tabindex="0"]');
  if (inside) inside.focus({ preventScroll: true });
  else if (tries > 0 && canvasState().focusedId === id) {
    requestAnimationFrame(() => {
      // Not if the person has gone on to another card meanwhile.
      const now = document.activeElement;
      const elsewhere = now !== before && now?.closest('[data-card-id]') && !card?.contains(now);
      if (canvasState().focusedId === id && !elsewhere) focusContent(id, tries - 1, before);
    });
  } else card?.focus({ preventScroll: true });
}

/** Takes the keyboard from the card and gives it to the canvas; the selection stays. */
export function leaveCard(): void {
  const { focusedId } = canvasState();
  setCanvas({ focusedId: null, editingNoteId: null });
  const card = focusedId ? document.querySelector<HTMLElement>(`[data-card-id="${focusedId}"]`) : null;
  if (card) card.focus({ preventScroll: true });
  else (document.activeElement as HTMLElement | null)?.blur();
}

/** The rectangle that fills the window when the camera stands at `placeFor` it, at zoom 1. */
function fillingRect(at: Rect): Rect {
  const { width, height } = camera.size;
  const { top, right, bottom, left } = camera.insets;
  return { x: at.x, y: at.y, width: Math.max(120, width - left - right), height: Math.max(120, height - top - bottom) };
}

/** Lets one card fill the window, in this tab only. */
export function maximise(id: string): void {
  const { items, maximised } = canvasState();
  const item = items.get(id);
  if (!item || item.kind === 'region') return;
  if (!maximised) before = camera.destination;
  fill(item, id, true);
}

function fill(item: Rect, id: string, animate: boolean): void {
  setCanvas({ maximised: { id, rect: { x: item.x, y: item.y, width: item.width, height: item.height } } });
  // The chrome changes with it; what it leaves is known when the page has drawn it.
  requestAnimationFrame(() => {
    if (canvasState().maximised?.id !== id) return;
    const rect = fillingRect(item);
    setCanvas({ maximised: { id, rect } });
    camera.locked = true;
    camera.jump(
      { x: camera.insets.left - rect.x, y: camera.insets.top - rect.y, zoom: 1 },
      { remember: false, animate: animate && !isPhone() },
    );
  });
}

/** After the window changed its size. */
export function refill(): void {
  const { maximised, items } = canvasState();
  const item = maximised && items.get(maximised.id);
  if (maximised && item) fill({ ...item, x: maximised.rect.x, y: maximised.rect.y }, maximised.id, false);
}

/** Puts the card back among the others. */
export function unmaximise(): void {
  const { maximised, items } = canvasState();
  if (!maximised) return;
  camera.locked = false;
  setCanvas({ maximised: null });
  const item = items.get(maximised.id);
  if (before) camera.jump(before, { remember: false });
  else if (item) camera.fit(item);
  before = undefined;
}

export function toggleMaximised(id: string): void {
  if (canvasState().maximised?.id === id) unmaximise();
  else maximise(id);
}
