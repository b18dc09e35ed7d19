'use client';

import { type ComponentType, useEffect, useState } from 'react';

/**
 * The canvas needs a browser; its code comes while React is still waking up. No Suspense stands between (next/dynamic
 * would put one there): React shows what a fallback stood for only 300 ms after it showed the fallback.
 */
const coming = typeof window === 'undefined' ? undefined : import('@/components/shell');

export default function Page() {
  const [Canvas, setCanvas] = useState<ComponentType>();
  const [failure, setFailure] = useState<unknown>();
  useEffect(() => {
    coming?.then(({ CanvasPage }) => setCanvas(() => CanvasPage), setFailure);
  }, []);
  // For the page's error boundary.
  if (failure) throw failure;
  return Canvas ? <Canvas /> : null;
}
