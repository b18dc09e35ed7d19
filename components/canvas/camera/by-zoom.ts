/** The elements that have `--zoom`. It is not inherited: a change would cost everything inside of a card a look. */
const elements = new Set<HTMLElement>();
let shown = '1';

/** As a `ref`: `--zoom` of the element is the zoom that cards are drawn by. */
export function byZoom(element: HTMLElement | null): (() => void) | undefined {
  if (!element) return;
  element.style.setProperty('--zoom', shown);
  elements.add(element);
  return () => {
    elements.delete(element);
  };
}

export function drawByZoom(zoom: number): void {
  const next = String(zoom);
  if (next === shown) return;
  shown = next;
  for (const element of elements) element.style.setProperty('--zoom', shown);
}
