'use client';

import { Toaster, toast } from 'sonner';

/** Where short messages appear; once on the page. At the top where one types down to the bottom of the page. */
export function ToastHost({ label, closeLabel, top }: { label: string; closeLabel: string; top: boolean }) {
  return (
    <Toaster
      position={top ? 'top-center' : 'bottom-right'}
      offset={top ? { top: 4 } : { right: 20, bottom: 76 }}
      mobileOffset={
        top
          ? { left: 6, right: 6, top: 4 }
          : { left: 10, right: 10, bottom: 'calc(84px + env(safe-area-inset-bottom))' }
      }
      visibleToasts={4}
      gap={8}
      containerAriaLabel={label}
      toastOptions={{ unstyled: true, duration: 7000, closeButtonAriaLabel: closeLabel }}
    />
  );
}

/** Says that something failed, why, and what to do. The same sentence appears once at a time. */
export function toastFailure(sentence: string): void {
  toast.error(sentence, { id: sentence });
}

export interface Undoable {
  undoLabel: string;
  /** How long it can be undone, milliseconds. */
  ms: number;
  undo: () => void;
  /** It was not undone: the time is over, or the person sent the message away. */
  done: () => void;
}

/** Says what was done and offers to undo it. Exactly one of `undo` and `done` is called, once. */
export function toastUndo(sentence: string, { undoLabel, ms, undo, done }: Undoable): void {
  let over = false;
  const end = (run: () => void) => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    toast.dismiss(id);
    run();
  };
  const id = toast(sentence, {
    duration: Number.POSITIVE_INFINITY,
    closeButton: true,
    action: { label: undoLabel, onClick: () => end(undo) },
    onDismiss: () => end(done),
  });
  const timer = setTimeout(() => end(done), ms);
}

export function toastInfo(sentence: string, options?: { action?: { label: string; run: () => void } }): void {
  toast(sentence, {
    id: sentence,
    ...(options?.action ? { action: { label: options.action.label, onClick: options.action.run } } : {}),
  });
}
