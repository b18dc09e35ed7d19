/**
 * Tells the browser that the transform of this element changes often, until the returned function is called. Chromium
 * otherwise works out for each change which parts of the page need a picture of their own: with a hundred cards that
 * takes longer than a frame. For an element that is animated it does so once; this animation changes nothing and
 * never runs.
 */
export function expectMotion(element: Element): () => void {
  const nothing = element.animate(
    { transform: ['none', 'none'] },
    { duration: 1_000, iterations: Number.POSITIVE_INFINITY, composite: 'add' },
  );
  nothing.pause();
  return () => nothing.cancel();
}
