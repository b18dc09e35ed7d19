import { nanoid } from 'nanoid';

const KEY = 'tessera.tab';
let name: string | undefined;

/**
 * The name of this tab, the same over reloads. It lies in the storage only while no page holds it: a browser that
 * duplicates a tab copies its storage, and the copy must not have the name too.
 */
export function tabName(): string {
  if (name) return name;
  const known = sessionStorage.getItem(KEY);
  name = known && /^[\w-]{6,40}$/.test(known) ? known : nanoid();
  sessionStorage.removeItem(KEY);
  window.addEventListener('pagehide', putBack);
  // A page that comes back as it was holds it again.
  window.addEventListener('pageshow', () => sessionStorage.removeItem(KEY));
  return name;
}

function putBack(): void {
  try {
    sessionStorage.setItem(KEY, name!);
  } catch {
    // Without room for it the tab is another one after a reload.
  }
}
