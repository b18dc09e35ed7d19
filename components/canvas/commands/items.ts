import { nanoid } from 'nanoid';
import { CanvasLimits, type ItemChange, type NoteCard, type RegionCard } from '../../../schemas/canvas';
import { asName } from '../../../schemas/names';
import { text } from '../../i18n';
import { confirm, isPhone } from '../../ui';
import { camera } from '../camera/camera';
import { type Alignment, aligned, tidied } from '../geometry/arrange';
import { type Direction, nearestAhead } from '../geometry/direction';
import { freePlace, placeRound } from '../geometry/placing';
import { around, clamp, contains, grown, type Point, type Rect } from '../geometry/rect';
import { placeOf } from '../store/layout';
import { canvasState, select, setCanvas } from '../store/state';
import { commit, commitPlaces, recordStep, topZ } from '../store/sync';
import { focusCard, maximise, unmaximise } from './focus';
import { closeTerminals } from './terminals';

export type Colour = NoteCard['colour'];
export const colours: readonly Colour[] = ['amber', 'green', 'blue', 'rose', 'plain'];

const items = () => canvasState().items;
const cards = () => [...items().values()].filter((item) => item.kind !== 'region');
const selected = () => [...canvasState().selection].flatMap((id) => items().get(id) ?? []);

/** The item that a command without a target is about: the focused card, else the only selected item. */
export function targetId(): string | undefined {
  const { focusedId, selection, maximised } = canvasState();
  if (focusedId) return focusedId;
  if (maximised) return maximised.id;
  return selection.size === 1 ? [...selection][0] : undefined;
}

/** A sticky note, ready to be written on. */
export function newNote(at?: Point): void {
  if (canvasState().status !== 'ready') return;
  const { width, height } = CanvasLimits.note;
  const middle = camera.middle();
  const wanted = { x: middle.x - width / 2, y: middle.y - height / 2, width, height };
  const others = cards();
  const place = at ? placeRound(at, { width, height }, others) : freePlace(wanted, others, camera.freeSize());
  const id = nanoid();
  const item: NoteCard = {
    v: 1,
    kind: 'note',
    id,
    x: Math.round(place.x),
    y: Math.round(place.y),
    width,
    height,
    z: topZ() + 1,
    text: '',
    colour: 'amber',
  };
  if (canvasState().maximised) unmaximise();
  commit([{ type: 'put', item }]);
  setCanvas({ selection: new Set([id]), focusedId: id, editingNoteId: id });
  if (isPhone()) maximise(id);
  else camera.revealAmong(item, others);
}

/** A region round the selected cards, else round the given rectangle, else in the middle of the view. */
export function newRegion(given?: Rect): void {
  if (canvasState().status !== 'ready') return;
  const round = around(selected().filter((item) => item.kind !== 'region'));
  const middle = camera.middle();
  const rect =
    given ??
    (round
      ? grown({ ...round, y: round.y - 8, height: round.height + 8 }, 24)
      : { x: middle.x - 300, y: middle.y - 200, width: 600, height: 400 });
  const { minWidth, minHeight, maxWidth, maxHeight } = CanvasLimits.region;
  const id = nanoid();
  const item: RegionCard = {
    v: 1,
    kind: 'region',
    id,
    x: Math.round(rect.x),
    y: Math.round(rect.y),
    width: Math.round(clamp(rect.width, minWidth, maxWidth)),
    height: Math.round(clamp(rect.height, minHeight, maxHeight)),
    z: 0,
    name: text('region.newName'),
    colour: 'green',
  };
  commit([{ type: 'put', item }]);
  setCanvas({ selection: new Set([id]), renamingId: id, regionTool: false });
}

export function renameRegion(id: string, name: string): void {
  const item = items().get(id);
  const wanted = asName(name);
  if (item?.kind === 'region' && wanted && wanted !== item.name)
    commit([{ type: 'put', item: { ...item, name: wanted } }]);
}

export function colourItem(id: string, colour: Colour): void {
  const item = items().get(id);
  if (item && item.kind !== 'terminal' && item.colour !== colour) commit([{ type: 'put', item: { ...item, colour } }]);
}

/** Writes a note. While one types it is no step of undo; the whole of it becomes one by `endNote`. */
export function writeNote(id: string, words: string): void {
  const item = items().get(id);
  if (item?.kind === 'note' && item.text !== words)
    commit([{ type: 'put', item: { ...item, text: words } }], { undoable: false });
}

/** What was typed on a note since it was opened becomes one step of undo. */
export function endNote(id: string, before: string): void {
  const item = items().get(id);
  if (item?.kind === 'note' && item.text !== before)
    recordStep([{ type: 'put', item: { ...item, text: before } }], [{ type: 'put', item }]);
}

/** Removes items: terminals are closed (and asked about), notes go at once, a region never takes what lies in it along. */
export async function removeItems(ids: Iterable<string>): Promise<void> {
  const chosen = [...ids].flatMap((id) => items().get(id) ?? []);
  const terminals = chosen.filter((item) => item.kind === 'terminal').map((item) => item.id);
  if (terminals.length > 0 && !(await closeTerminals(terminals))) return;
  const rest = chosen.filter((item) => item.kind !== 'terminal');
  if (rest.some((item) => item.id === canvasState().maximised?.id)) unmaximise();
  commit(rest.map((item): ItemChange => ({ type: 'remove', id: item.id })));
}

export async function discardQuestion(reason: string): Promise<boolean> {
  return confirm({
    title: text('corrupt.discardTitle'),
    text: text('corrupt.discardText'),
    lines: [reason],
    yes: text('corrupt.discardYes'),
    no: text('ui.cancel'),
    danger: true,
  });
}

export function align(how: Alignment): void {
  moveTo(aligned(selected(), how));
}

/** Packs the selected cards, or all of them, without overlap. Regions stay. */
export function tidy(): void {
  const chosen = selected().filter((item) => item.kind !== 'region');
  const all = chosen.length > 1 ? chosen : cards();
  moveTo(tidied(all));
  if (chosen.length <= 1) fitAll();
}

function moveTo(
  moved: readonly { id: string; x: number; y: number; width: number; height: number; z: number }[],
): void {
  commitPlaces(
    new Map(moved.map((item) => [item.id, { ...placeOf(item), x: Math.round(item.x), y: Math.round(item.y) }])),
  );
}

/** Moves the selection by canvas units; with none, the camera. */
export function nudge(dx: number, dy: number): void {
  const moving = withContents([...canvasState().selection]);
  if (moving.length === 0) {
    camera.panBy(-dx * 6, -dy * 6);
    return;
  }
  commitPlaces(
    new Map(
      moving.flatMap((id) =>
        items().has(id)
          ? [[id, { ...placeOf(items().get(id)!), x: items().get(id)!.x + dx, y: items().get(id)!.y + dy }]]
          : [],
      ),
    ),
  );
}

/** Draws the right and lower edge of the selected items. */
export function grow(dx: number, dy: number): void {
  commitPlaces(
    new Map(
      selected().map((item) => {
        const { minWidth, minHeight, maxWidth, maxHeight } = limitsOf(item.kind);
        return [
          item.id,
          {
            ...placeOf(item),
            width: clamp(item.width + dx, minWidth, maxWidth),
            height: clamp(item.height + dy, minHeight, maxHeight),
          },
        ];
      }),
    ),
  );
}

export function limitsOf(kind: 'terminal' | 'note' | 'region') {
  return kind === 'terminal' ? CanvasLimits.card : kind === 'note' ? CanvasLimits.note : CanvasLimits.region;
}

/** The items, and of each region among them what lies wholly inside it now. */
export function withContents(ids: readonly string[]): string[] {
  const all = new Set(ids);
  for (const id of ids) {
    const region = items().get(id);
    if (region?.kind !== 'region') continue;
    for (const item of items().values()) if (item.id !== id && contains(region, item)) all.add(item.id);
  }
  return [...all];
}

export function fitAll(options: { animate?: boolean; remember?: boolean } = {}): void {
  if (canvasState().maximised) unmaximise();
  camera.fitMany([...items().values()], options);
}

export function fitSelection(): void {
  if (selected().length === 0) {
    fitAll();
    return;
  }
  if (canvasState().maximised) unmaximise();
  camera.fitMany(selected());
}

/** Gives the keyboard to the nearest card in that direction; from nowhere, to the one nearest to the middle. */
export function focusToward(direction: Direction): void {
  const id = targetId();
  const from = (id && items().get(id)) || undefined;
  const next = from ? nearestAhead(from, cards(), direction) : nearestToMiddle();
  if (next) focusCard(next.id);
}

function nearestToMiddle() {
  const middle = camera.middle();
  const way = (rect: Rect) => Math.hypot(rect.x + rect.width / 2 - middle.x, rect.y + rect.height / 2 - middle.y);
  return cards().sort((a, b) => way(a) - way(b))[0];
}

export function selectAll(): void {
  select(cards().map((item) => item.id));
}
