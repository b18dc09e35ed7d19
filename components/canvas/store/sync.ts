import { nanoid } from 'nanoid';
import { type CanvasItem, CanvasLimits, type CanvasState, type ItemChange } from '../../../schemas/canvas';
import { SocketLimits } from '../../../schemas/realtime';
import { FailureError } from '../../../schemas/result';
import { call, onGreeting, onReconnected, onServer, useSessions } from '../../connection';
import { failureText } from '../../i18n';
import { toastFailure } from '../../ui';
import { inverseOf, LayoutHistory } from './history';
import { type Items, Layout, type Place, placeOf } from './layout';
import { Outbox } from './outbox';
import { canvasState, emptyView, setCanvas } from './state';
import { savedCanvas } from './viewports';

/** How often others see a card move while it is dragged, in milliseconds. */
const LIVE_MS = 66;
/** Of the changes of one op; what is around them fits beside. */
const MAX_OP_BYTES = SocketLimits.maxMessageBytes / 2;
const encoder = new TextEncoder();

/** One for all canvases of this tab: what was done on one arrives although another is shown by then. */
const outbox = new Outbox(({ canvasId, opId, changes }) => call('canvas:apply', { opId, canvasId, changes }));
let layout = new Layout();
let history = new LayoutHistory();
let opening = 0;
/** The canvas that a fresh tab will most likely show: asked for along with the greeting. */
let ahead: { canvasId: string; answer: Promise<CanvasState> } | undefined;

function askAhead(): void {
  // What another connection answered may have changed while there was none.
  ahead = undefined;
  const canvasId = savedCanvas();
  if (!canvasId || canvasState().canvasId !== null) return;
  ahead = { canvasId, answer: call('canvas:open', { canvasId }) };
  // Whoever wants it hears of a failure.
  ahead.answer.catch(() => undefined);
}

function askFor(canvasId: string): Promise<CanvasState> {
  const asked = ahead?.canvasId === canvasId ? ahead.answer : undefined;
  ahead = undefined;
  return asked ?? call('canvas:open', { canvasId });
}

/** What the page shows: the layout without the terminals that are being closed and may still come back. */
let shown: { all: Items; closing: string; items: Items } | undefined;

function visible(): Items {
  const all = layout.view();
  const closing = closingSessions();
  const key = closing.join();
  if (shown?.all !== all || shown.closing !== key) {
    const items = [...all].filter(([, item]) => item.kind !== 'terminal' || !closing.includes(item.sessionId));
    shown = { all, closing: key, items: closing.length === 0 ? all : new Map(items) };
  }
  return shown.items;
}

const closingSessions = (): string[] =>
  Object.values(useSessions.getState().sessions).flatMap(({ record }) =>
    record.closingAt === undefined ? [] : [record.id],
  );

function publish(): void {
  const items = visible();
  const state = canvasState();
  if (items === state.items) return;
  const has = (id: string | null) => (id !== null && items.has(id) ? id : null);
  const gone = [...state.selection].some((id) => !items.has(id));
  setCanvas({
    items,
    ...(gone ? { selection: new Set([...state.selection].filter((id) => items.has(id))) } : {}),
    focusedId: has(state.focusedId),
    renamingId: has(state.renamingId),
    editingNoteId: has(state.editingNoteId),
  });
}

/** Shows a canvas of the server. Fails into the state, not by throwing: the page says what is wrong. */
export async function openCanvas(canvasId: string): Promise<void> {
  if (canvasState().canvasId !== canvasId) {
    layout = new Layout();
    history = new LayoutHistory();
    setCanvas({ ...emptyView, canvasId, status: 'loading' });
  }
  const mine = ++opening;
  let state: CanvasState;
  try {
    state = await askFor(canvasId);
  } catch (error) {
    if (mine !== opening) return;
    // Lost connections come back by themselves, and then it is opened again.
    if (error instanceof FailureError && error.code === 'disconnected') return;
    if (canvasState().status === 'ready') toastFailure(failureText(error));
    else setCanvas({ status: 'failed', failure: failureText(error) });
    return;
  }
  if (mine !== opening) return;
  layout.open(state);
  setCanvas({ status: 'ready', failure: null, corrupt: state.corrupt });
  publish();
}

/** Nothing is open: there is no canvas at all. */
export function closeCanvas(): void {
  opening++;
  layout = new Layout();
  history = new LayoutHistory();
  setCanvas({ ...emptyView, canvasId: null, status: 'none' });
}

/** Listens to what other tabs do. Returns what ends it. */
export function startSync(): () => void {
  const stops = [
    onServer('canvas:changed', (change) => {
      // The answer may be from before it, and nobody has taken it yet.
      if (change.canvasId === ahead?.canvasId) ahead = undefined;
      if (change.canvasId !== canvasState().canvasId) return;
      dropCorrupt(change.changes);
      if (layout.remote(change) === 'missed') void openCanvas(change.canvasId);
      else publish();
    }),
    onGreeting(askAhead),
    onReconnected(() => {
      const { canvasId } = canvasState();
      if (canvasId) void openCanvas(canvasId);
      outbox.resume();
    }),
    useSessions.subscribe(({ sessions }, before) => {
      if (sessions !== before.sessions) publish();
    }),
  ];
  window.addEventListener('pagehide', sendNow);
  return () => {
    for (const stop of stops) stop();
    window.removeEventListener('pagehide', sendNow);
    // From here on nobody hears of what changes.
    ahead = undefined;
  };
}

/** Sends what waits for its turn: the page may be gone before that comes. */
export function sendNow(): void {
  outbox.hurry();
}

/** An item that could not be read is gone when a person discarded it, in whichever tab. */
function dropCorrupt(changes: readonly ItemChange[]): void {
  const gone = new Set(changes.flatMap((change) => (change.type === 'remove' ? [change.id] : [])));
  const { corrupt } = canvasState();
  if (corrupt.some((one) => gone.has(one.id))) setCanvas({ corrupt: corrupt.filter((one) => !gone.has(one.id)) });
}

/** As many changes at once as one message may carry: a larger one would end the connection, again with every repeat. */
function messages(changes: ItemChange[]): ItemChange[][] {
  const pieces: ItemChange[][] = [];
  let room = 0;
  for (const change of changes) {
    const bytes = encoder.encode(JSON.stringify(change)).length;
    const last = pieces.at(-1);
    if (last && bytes <= room && last.length < CanvasLimits.maxChanges) last.push(change);
    else {
      pieces.push([change]);
      room = MAX_OP_BYTES;
    }
    room -= bytes;
  }
  return pieces;
}

function apply(changes: ItemChange[]): void {
  const { canvasId } = canvasState();
  if (!canvasId) return;
  for (const piece of messages(changes)) {
    const opId = nanoid();
    const of = layout;
    const settle = () => of === layout && publish();
    of.apply(opId, piece);
    outbox.push({
      canvasId,
      opId,
      changes: piece,
      taken: (revision) => {
        of.acknowledged(opId, revision);
        settle();
      },
      refused: (error) => {
        of.refused(opId);
        settle();
        toastFailure(failureText(error));
      },
    });
  }
  publish();
}

/** Changes the layout: at once here, then on the server, and as one step of undo unless that is not wanted. */
export function commit(changes: ItemChange[], options: { undoable?: boolean } = {}): void {
  if (changes.length === 0) return;
  if (options.undoable ?? true) history.record(inverseOf(layout.view(), changes), changes);
  apply(changes);
}

/** Moves items; an item that would not change is left out. */
export function commitPlaces(places: ReadonlyMap<string, Place>, options: { undoable?: boolean } = {}): void {
  const items = layout.view();
  const changes = [...places].flatMap(([id, place]): ItemChange[] => {
    const item = items.get(id);
    return item && !samePlace(item, place) ? [{ type: 'place', id, ...rounded(place) }] : [];
  });
  commit(changes, options);
}

export const samePlace = (a: Place, b: Place) =>
  a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height && a.z === b.z;

/** A tenth of a pixel is as exact as anyone can see. */
function rounded(place: Place): Place {
  const tenth = (value: number) => Math.round(value * 10) / 10;
  return { x: tenth(place.x), y: tenth(place.y), width: tenth(place.width), height: tenth(place.height), z: place.z };
}

/** A gesture that moves items: shown at once, sent to others now and then, one step of undo in the end. */
export class LiveMove {
  private readonly before: ReadonlyMap<string, Place>;
  private last: ReadonlyMap<string, Place> = new Map();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private sent = false;

  constructor(ids: Iterable<string>) {
    const items = layout.view();
    this.before = new Map(
      [...ids].flatMap((id): [string, Place][] => {
        const item = items.get(id);
        return item ? [[id, placeOf(item)]] : [];
      }),
    );
  }

  get start(): ReadonlyMap<string, Place> {
    return this.before;
  }

  update(places: ReadonlyMap<string, Place>): void {
    this.last = places;
    layout.hold(places);
    publish();
    this.timer ??= setTimeout(() => this.share(), LIVE_MS);
  }

  /** Ends it where it is. */
  end(): void {
    this.stop();
    const moved = [...this.last].filter(([id, place]) => !samePlace(this.before.get(id)!, place));
    if (moved.length === 0) {
      if (this.sent) apply(placesOf(this.before));
      return;
    }
    const redo = placesOf(moved);
    history.record(placesOf(moved.map(([id]): [string, Place] => [id, this.before.get(id)!])), redo);
    apply(redo);
  }

  /** Puts everything back. */
  cancel(): void {
    this.stop();
    if (this.sent) apply(placesOf(this.before));
  }

  /** Others see where it is now; over a slow connection less often, so that nothing piles up. */
  private share(): void {
    if (!outbox.empty) {
      this.timer = setTimeout(() => this.share(), LIVE_MS);
      return;
    }
    this.timer = undefined;
    this.sent = true;
    apply(placesOf(this.last));
  }

  private stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    layout.hold(new Map());
    publish();
  }
}

/** The changes that put items there; what is gone by now is left out. */
function placesOf(places: Iterable<readonly [string, Place]>): ItemChange[] {
  const items = layout.view();
  return [...places].flatMap(([id, place]): ItemChange[] =>
    items.has(id) ? [{ type: 'place', id, ...rounded(place) }] : [],
  );
}

/** A step of undo for changes that were applied already. */
export function recordStep(undoing: ItemChange[], redoing: ItemChange[]): void {
  history.record(undoing, redoing);
}

export function undo(): void {
  const changes = history.undo(layout.view());
  if (changes) apply(changes);
}

export function redo(): void {
  const changes = history.redo(layout.view());
  if (changes) apply(changes);
}

export const canUndo = () => history.canUndo;
export const canRedo = () => history.canRedo;

/** A card that the server has just made for this tab. */
export function adoptItem(item: CanvasItem): void {
  layout.adopt(item);
  publish();
}

/** The highest z of cards and notes. */
export function topZ(): number {
  let top = 0;
  for (const item of layout.view().values()) if (item.kind !== 'region') top = Math.max(top, item.z);
  return top;
}

/** Drops a stored item that cannot be read, in every tab. */
export async function discardCorrupt(itemId: string): Promise<void> {
  const { canvasId } = canvasState();
  if (!canvasId) return;
  await call('canvas:discard-corrupt', { canvasId, itemId });
}
