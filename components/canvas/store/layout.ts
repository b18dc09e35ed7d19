import type { CanvasItem, CanvasState, ItemChange } from '../../../schemas/canvas';

export type Items = ReadonlyMap<string, CanvasItem>;
/** Where an item lies; what a `place` change writes. */
export type Place = Pick<CanvasItem, 'x' | 'y' | 'width' | 'height' | 'z'>;

/** Changes that were sent and are not yet known to be part of the server's layout. */
export interface PendingOp {
  opId: string;
  changes: ItemChange[];
  /** The revision at which the server took it, while its echo has not come. */
  takenAt?: number;
}

/** `missed`: a revision is lacking, the canvas must be opened again. `known`: nothing new. */
export type RemoteOutcome = 'applied' | 'known' | 'missed';

/**
 * One canvas as this tab sees it: the server's layout, on top of it what was sent and is not confirmed, on top of that
 * what a gesture is moving right now. The order of the items is that of their arrival and never changes, because the
 * page must not move their elements.
 */
export class Layout {
  private confirmed = new Map<string, CanvasItem>();
  private pending: PendingOp[] = [];
  private held: ReadonlyMap<string, Place> = new Map();
  private shown: Items | undefined;
  private at = 0;

  get revision(): number {
    return this.at;
  }

  /** What the page draws. The same map until something changes; an untouched item is the same object. */
  view(): Items {
    this.shown ??= this.compose();
    return this.shown;
  }

  /** Takes the server's layout. Items that stay keep their place in the order; what is pending stays on top. */
  open(state: CanvasState): void {
    const fresh = new Map(state.items.map((item) => [item.id, item]));
    const next = new Map<string, CanvasItem>();
    for (const [id, known] of this.confirmed) {
      const item = fresh.get(id);
      if (item) next.set(id, sameItem(known, item) ? known : item);
    }
    for (const [id, item] of fresh) if (!next.has(id)) next.set(id, item);
    this.confirmed = next;
    this.reach(state.revision);
    this.shown = undefined;
  }

  /** Shows changes at once, before the server has them. */
  apply(opId: string, changes: ItemChange[]): void {
    this.pending.push({ opId, changes });
    this.shown = undefined;
  }

  /** The server has taken the op at that revision. It is done as soon as the layout is there, by its echo or by a reopening. */
  acknowledged(opId: string, revision: number): void {
    for (const op of this.pending) if (op.opId === opId) op.takenAt = revision;
    this.reach(this.at);
  }

  /** The server has refused the op: what it showed is taken back. */
  refused(opId: string): void {
    this.forget(opId);
  }

  /** Ops that are not known to be part of the server's layout, in order. */
  get unconfirmed(): readonly PendingOp[] {
    return this.pending;
  }

  /** A set of changes that the server applied: of another tab, or the echo of our own. */
  remote(change: { revision: number; changes: ItemChange[]; opId?: string }): RemoteOutcome {
    if (change.revision <= this.at) {
      if (change.opId) this.forget(change.opId);
      return 'known';
    }
    if (change.revision !== this.at + 1) return 'missed';
    applyChanges(this.confirmed, change.changes);
    if (change.opId) this.forget(change.opId);
    this.reach(change.revision);
    this.shown = undefined;
    return 'applied';
  }

  /** An item that came otherwise than by a change, such as a terminal that was just made. Its echo changes nothing. */
  adopt(item: CanvasItem): void {
    if (!this.confirmed.has(item.id)) this.confirmed.set(item.id, item);
    this.shown = undefined;
  }

  /** Holds items where a gesture has them, whatever arrives meanwhile. An empty map lets go. */
  hold(places: ReadonlyMap<string, Place>): void {
    this.held = places;
    this.shown = undefined;
  }

  /** The layout is that of this revision: what the server took up to it is no longer on top. */
  private reach(revision: number): void {
    this.at = revision;
    this.keep((op) => op.takenAt === undefined || op.takenAt > revision);
  }

  private forget(opId: string): void {
    this.keep((op) => op.opId !== opId);
  }

  private keep(wanted: (op: PendingOp) => boolean): void {
    const before = this.pending.length;
    this.pending = this.pending.filter(wanted);
    if (this.pending.length !== before) this.shown = undefined;
  }

  private compose(): Items {
    if (this.pending.length === 0 && this.held.size === 0) return new Map(this.confirmed);
    const items = new Map(this.confirmed);
    for (const op of this.pending) applyChanges(items, op.changes);
    for (const [id, place] of this.held) {
      const item = items.get(id);
      if (item) items.set(id, { ...item, ...place });
    }
    return items;
  }
}

/** Applies changes to a map in place. `put` of a known item keeps its position in the order. */
export function applyChanges(items: Map<string, CanvasItem>, changes: readonly ItemChange[]): void {
  for (const change of changes) {
    if (change.type === 'remove') items.delete(change.id);
    else if (change.type === 'put') items.set(change.item.id, change.item);
    else {
      const item = items.get(change.id);
      if (item) items.set(change.id, { ...item, ...placeOf(change) });
    }
  }
}

/** Only the place of an item or of a change. */
export function placeOf({ x, y, width, height, z }: Place): Place {
  return { x, y, width, height, z };
}

function sameItem(a: CanvasItem, b: CanvasItem): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]) as Set<keyof CanvasItem>;
  return [...keys].every((key) => a[key] === b[key]);
}
