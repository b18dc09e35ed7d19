import { nanoid } from 'nanoid';

const KEY = 'tessera.tab';

/** The name of this tab, the same over reloads. A tab that was duplicated has the other's. */
export function tabName(): string {
  const known = sessionStorage.getItem(KEY);
  if (known && /^[\w-]{6,40}$/.test(known)) return known;
  const name = nanoid();
  try {
    sessionStorage.setItem(KEY, name);
  } catch {
    // Without room for it the tab is another one after a reload.
  }
  return name;
}
