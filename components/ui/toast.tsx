'use client';

import { Toaster, toast } from 'sonner';

/** Where short messages appear; once on the page. */
export function ToastHost({ label }: { label: string }) {
  return (
    <Toaster
      position="bottom-right"
      offset={{ right: 20, bottom: 76 }}
      mobileOffset={{ left: 12, right: 12, bottom: 120 }}
      visibleToasts={4}
      gap={8}
      containerAriaLabel={label}
      toastOptions={{ unstyled: false, duration: 7000 }}
    />
  );
}

/** Says that something failed, why, and what to do. The same sentence appears once at a time. */
export function toastFailure(sentence: string): void {
  toast.error(sentence, { id: sentence });
}

export function toastInfo(sentence: string, options?: { action?: { label: string; run: () => void } }): void {
  toast(sentence, {
    id: sentence,
    ...(options?.action ? { action: { label: options.action.label, onClick: options.action.run } } : {}),
  });
}
