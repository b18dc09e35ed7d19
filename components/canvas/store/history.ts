import type { ItemChange } from '../../../schemas/canvas';
import { applyChanges, type Items, placeOf } from './layout';

/** Steps that can be undone. */
const MAX_STEPS = 200;

interface Step {
  undo: ItemChange[];
  redo: ItemChange[];
}

/** What takes the changes back, given the items before them. What is not there has no way back and is left out. */
export function inverseOf(before: Items, changes: readonly ItemChange[]): ItemChange[] {
  const items = new Map(before);
  const undo: ItemChange[] = [];
  for (const change of changes) {
    const id = change.type === 'put' ? change.item.id : change.id;
    const was = items.get(id);
    if (change.type === 'place') {
      if (was) undo.unshift({ type: 'place', id, ...placeOf(was) });
    } else if (was) {
      undo.unshift({ type: 'put', item: was });
    } else if (change.type === 'put') {
      undo.unshift({ type: 'remove', id });
    }
    applyChanges(items, [change]);
  }
  return undo;
}

/** The layout's undo and redo of one tab: each step holds changes, never a whole layout, so that it cannot undo others' work elsewhere. */
export class LayoutHistory {
  private done: Step[] = [];
  private undone: Step[] = [];

  record(undo: ItemChange[], redo: ItemChange[]): void {
    if (undo.length === 0) return;
    this.done.push({ undo, redo });
    if (this.done.length > MAX_STEPS) this.done.shift();
    this.undone = [];
  }

  /** The changes that take the last step back; nothing if there is none that still means something. */
  undo(items: Items): ItemChange[] | undefined {
    return LayoutHistory.move(this.done, this.undone, 'undo', items);
  }

  redo(items: Items): ItemChange[] | undefined {
    return LayoutHistory.move(this.undone, this.done, 'redo', items);
  }

  get canUndo(): boolean {
    return this.done.length > 0;
  }

  get canRedo(): boolean {
    return this.undone.length > 0;
  }

  private static move(from: Step[], to: Step[], which: keyof Step, items: Items): ItemChange[] | undefined {
    for (let step = from.pop(); step; step = from.pop()) {
      const possible = step[which].filter((change) => isPossible(change, items));
      if (possible.length === 0) continue;
      to.push(step);
      return possible;
    }
    return undefined;
  }
}

/** A terminal that was closed does not come back by undo, and what is gone cannot be moved. */
function isPossible(change: ItemChange, items: Items): boolean {
  if (change.type === 'put') return change.item.kind !== 'terminal' || items.has(change.item.id);
  return items.has(change.id);
}
