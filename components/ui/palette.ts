'use client';

import { useLayoutEffect, useSyncExternalStore } from 'react';
import type { Settings } from '../../schemas/settings';

export type PaletteName = 'sage' | 'lilac' | 'night';
const REMEMBERED = 'tessera.palette';
const darkQuery = '(prefers-color-scheme: dark)';

function subscribe(changed: () => void): () => void {
  const query = matchMedia(darkQuery);
  query.addEventListener('change', changed);
  return () => query.removeEventListener('change', changed);
}

/** The palette in use: that of the settings, or the system's. `known` is false until the settings came; then the last one is used. */
export function usePalette(chosen: Settings['palette'], known: boolean): PaletteName {
  const dark = useSyncExternalStore(
    subscribe,
    () => matchMedia(darkQuery).matches,
    () => false,
  );
  const system: PaletteName = dark ? 'night' : 'sage';
  const wanted = known ? chosen : ((localStorage.getItem(REMEMBERED) ?? 'system') as Settings['palette']);
  const palette = wanted === 'sage' || wanted === 'lilac' || wanted === 'night' ? wanted : system;
  useLayoutEffect(() => {
    document.documentElement.dataset.palette = palette;
    if (known) localStorage.setItem(REMEMBERED, chosen);
  }, [palette, known, chosen]);
  return palette;
}
