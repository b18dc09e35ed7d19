import type { SyntheticEvent } from 'react';

/** Whether an event happened inside the element itself. React also brings those of menus that only belong to it. */
export function isOwn(event: SyntheticEvent<Element>): boolean {
  return event.target instanceof Node && event.currentTarget.contains(event.target);
}
