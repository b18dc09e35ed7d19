import { type CanvasItem, CanvasLimits, type ItemChange } from '../../schemas/canvas';
import { FailureError } from '../../schemas/result';

/** Who changes a layout: a page, which cannot make or remove terminals, or the terminals room, which does. */
export type Changer = 'page' | 'terminals';

/** A set of changes that was found acceptable, and what it comes to. Nothing has happened yet. */
export interface Prepared {
  revision: number;
  /** Whole items to store. */
  puts: CanvasItem[];
  removes: string[];
  /** What tabs must be told; changes that change nothing are left out. */
  changes: ItemChange[];
}

/** One canvas: items by id and a revision that grows with every applied set of changes. Knows no disk and no socket. */
export class CanvasDocument {
  private readonly items = new Map<string, CanvasItem>();

  constructor(
    readonly id: string,
    items: readonly CanvasItem[],
    private at: number,
  ) {
    for (const item of items) this.items.set(item.id, item);
  }

  get revision(): number {
    return this.at;
  }

  all(): CanvasItem[] {
    return [...this.items.values()];
  }

  get(id: string): CanvasItem | undefined {
    return this.items.get(id);
  }

  /** The highest z of all items. */
  get top(): number {
    return this.all().reduce((top, item) => Math.max(top, item.z), 0);
  }

  /**
   * Checks changes, in order, and says what they come to; throws and changes nothing if one is not acceptable. Moving
   * or removing what another tab has just removed is not an error: the removal wins.
   */
  prepare(changes: readonly ItemChange[], changer: Changer): Prepared {
    const touched = new Map<string, CanvasItem | undefined>();
    const effective: ItemChange[] = [];
    const now = (id: string) => (touched.has(id) ? touched.get(id) : this.items.get(id));
    for (const change of changes) {
      const id = change.type === 'put' ? change.item.id : change.id;
      const before = now(id);
      const after = next(before, change, changer);
      if (after === before) continue;
      touched.set(id, after);
      effective.push(change);
    }
    const puts: CanvasItem[] = [];
    const removes: string[] = [];
    for (const [id, item] of touched) {
      if (item) puts.push(item);
      else if (this.items.has(id)) removes.push(id);
    }
    const size = this.items.size + puts.filter((item) => !this.items.has(item.id)).length - removes.length;
    if (size > CanvasLimits.maxItems && size > this.items.size) {
      throw new FailureError('canvas-full', `A canvas holds at most ${CanvasLimits.maxItems} items.`, {
        max: CanvasLimits.maxItems,
      });
    }
    return { revision: this.at + (effective.length > 0 ? 1 : 0), puts, removes, changes: effective };
  }

  /** Makes prepared changes real. Nothing may have been committed since they were prepared. */
  commit(prepared: Prepared): void {
    for (const item of prepared.puts) this.items.set(item.id, item);
    for (const id of prepared.removes) this.items.delete(id);
    this.at = prepared.revision;
  }
}

/** The item after the change: the same object if nothing changes, undefined if it is gone. */
function next(before: CanvasItem | undefined, change: ItemChange, changer: Changer): CanvasItem | undefined {
  switch (change.type) {
    case 'remove':
      if (before?.kind === 'terminal' && changer === 'page') {
        throw new FailureError('terminal-item', 'A terminal leaves the canvas only when it is closed.', {
          id: change.id,
        });
      }
      return undefined;
    case 'place': {
      if (!before) return undefined;
      const { x, y, width, height, z } = change;
      const after: CanvasItem = { ...before, x, y, width, height, z };
      requireBounds(after);
      return after;
    }
    case 'put': {
      const { item } = change;
      if (before && before.kind !== item.kind) {
        throw new FailureError('kind-changed', `A ${before.kind} cannot become a ${item.kind}.`, { id: item.id });
      }
      if (item.kind === 'terminal' && changer === 'page') {
        if (before?.kind !== 'terminal' || before.sessionId !== item.sessionId) {
          throw new FailureError('terminal-item', 'A terminal comes onto the canvas only with its session.', {
            id: item.id,
          });
        }
      }
      requireBounds(item);
      return item;
    }
  }
}

function requireBounds(item: CanvasItem): void {
  const limits: Record<
    CanvasItem['kind'],
    { minWidth: number; minHeight: number; maxWidth: number; maxHeight: number }
  > = { terminal: CanvasLimits.card, note: CanvasLimits.note, region: CanvasLimits.region };
  const { minWidth, minHeight, maxWidth, maxHeight } = limits[item.kind];
  // A fraction of a pixel more or less is arithmetic, not a wish.
  const within = (value: number, low: number, high: number) => value >= low - 0.5 && value <= high + 0.5;
  if (!within(item.width, minWidth, maxWidth) || !within(item.height, minHeight, maxHeight)) {
    throw new FailureError(
      'item-size',
      `A ${item.kind} is from ${minWidth}×${minHeight} to ${maxWidth}×${maxHeight} large, not ${item.width}×${item.height}.`,
      { id: item.id },
    );
  }
}
