import { type RefObject, useEffect, useState } from 'react';

/** Cards this near to the window count as in sight, so that they are ready when they come. */
const MARGIN = '200px';
/** A card that left the window is still streamed to for this long, in milliseconds. */
const LINGER_MS = 2_000;

let observer: IntersectionObserver | undefined;
const listeners = new WeakMap<Element, (inSight: boolean) => void>();

function observe(element: Element, listener: (inSight: boolean) => void): () => void {
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const entry of entries) listeners.get(entry.target)?.(entry.isIntersecting);
    },
    { rootMargin: MARGIN },
  );
  listeners.set(element, listener);
  observer.observe(element);
  return () => {
    observer?.unobserve(element);
    listeners.delete(element);
  };
}

/** Whether the element is in sight, or was until a moment ago. */
export function useInSight(ref: RefObject<Element | null>): boolean {
  const [inSight, setInSight] = useState(false);
  useEffect(() => {
    if (!ref.current) return;
    let leaving: ReturnType<typeof setTimeout> | undefined;
    const stop = observe(ref.current, (now) => {
      clearTimeout(leaving);
      if (now) setInSight(true);
      else leaving = setTimeout(() => setInSight(false), LINGER_MS);
    });
    return () => {
      clearTimeout(leaving);
      stop();
    };
  }, [ref]);
  return inSight;
}
