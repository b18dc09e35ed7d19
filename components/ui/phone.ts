import { useSyncExternalStore } from 'react';

/** A window in which only one card is of use at a time; the same width stands in shell.css. */
const phoneQuery = '(max-width: 640px)';

export const isPhone = (): boolean => matchMedia(phoneQuery).matches;

export function useIsPhone(): boolean {
  return useSyncExternalStore(
    (changed) => {
      const query = matchMedia(phoneQuery);
      query.addEventListener('change', changed);
      return () => query.removeEventListener('change', changed);
    },
    isPhone,
    () => false,
  );
}
