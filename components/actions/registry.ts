import { create } from 'zustand';
import type { Action } from './types';

const useRegistry = create<{ actions: readonly Action[] }>(() => ({ actions: [] }));

/** Adds actions to everything that can be done. Returns what takes them away again. */
export function registerActions(actions: readonly Action[]): () => void {
  useRegistry.setState((state) => {
    const known = new Set(state.actions.map((action) => action.id));
    for (const action of actions) if (known.has(action.id)) throw new Error(`Two actions are called "${action.id}".`);
    return { actions: [...state.actions, ...actions] };
  });
  return () =>
    useRegistry.setState((state) => ({ actions: state.actions.filter((action) => !actions.includes(action)) }));
}

export function useActions(): readonly Action[] {
  return useRegistry((state) => state.actions);
}

export function allActions(): readonly Action[] {
  return useRegistry.getState().actions;
}

type FailureListener = (error: unknown, action: Action) => void;
let failed: FailureListener = (error, action) => console.error(`Action ${action.id} failed`, error);

/** Who tells the person when an action fails. */
export function onActionFailed(listener: FailureListener): void {
  failed = listener;
}

/** Runs an action if it is possible now. Never throws: a failure is told to the person. */
export function runAction(id: string): boolean {
  const action = allActions().find((one) => one.id === id);
  if (!action || action.enabled?.() === false) return false;
  void Promise.resolve()
    .then(() => action.run())
    .catch((error: unknown) => failed(error, action));
  return true;
}
