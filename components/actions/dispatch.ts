import { useSettings } from '../connection';
import { chordsOf, type KeyPress, pressIs } from './keys';
import { allActions, runAction } from './registry';
import type { Action } from './types';

/** Where a key press lands, which decides whose it is. */
export type KeyContext = 'terminal' | 'editable' | 'overlay' | 'control' | 'page';

export function contextOf(target: EventTarget | null): KeyContext {
  if (!(target instanceof Element)) return 'page';
  if (target.closest('.xterm')) return 'terminal';
  if (target.closest('input, textarea, select, [contenteditable]:not([contenteditable="false"])')) return 'editable';
  if (target.closest('[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]')) return 'overlay';
  if (target.closest('button, a[href], [role="tab"], [role="slider"], [data-owns-keys]')) return 'control';
  return 'page';
}

const plainOnControl = new Set([
  'Enter',
  'Space',
  'Tab',
  'ArrowLeft',
  'ArrowRight',
  'ArrowUp',
  'ArrowDown',
  'Home',
  'End',
]);

/**
 * The action that a key press means in its context. With a terminal or a text focused only reserved actions count; in a
 * dialog or menu only the palette; a button keeps the keys that buttons use.
 */
export function actionFor(
  event: KeyPress,
  context: KeyContext,
  actions: readonly Action[],
  chosen: Readonly<Record<string, readonly string[]>>,
): Action | undefined {
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
  if (context === 'control' && plain && plainOnControl.has(event.code)) return undefined;
  return actions.find((action) => {
    if (context === 'overlay' && action.id !== 'palette.open') return false;
    // What types something is never ours there, whatever else the action is bound to.
    if ((context === 'terminal' || context === 'editable') && (plain || !action.reserved)) return false;
    return chordsOf(action, chosen).some((chord) => pressIs(event, chord)) && action.enabled?.() !== false;
  });
}

let suspended = 0;

/** While chords are being recorded no press runs an action. Returns what ends that. */
export function suspendKeys(): () => void {
  suspended++;
  return () => {
    suspended--;
  };
}

/** Listens to all keys of the page. Returns what ends it. */
export function installKeys(target: Window = window): () => void {
  const listener = (event: KeyboardEvent) => {
    if (suspended > 0 || event.isComposing || event.defaultPrevented) return;
    const action = actionFor(event, contextOf(event.target), allActions(), useSettings.getState().settings.keys);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    // A held key repeats what moves; nothing else may pile up.
    if (!event.repeat || action.id.startsWith('canvas.nudge') || action.id.startsWith('view.zoom'))
      runAction(action.id);
  };
  target.addEventListener('keydown', listener, true);
  return () => target.removeEventListener('keydown', listener, true);
}
