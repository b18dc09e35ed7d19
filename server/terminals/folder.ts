import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The folder itself, or the nearest one above it that exists and may be entered. */
export function nearestFolder(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (at === '/' || isUsable(at)) return at;
  }
}

function isUsable(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK);
    return statSync(folder).isDirectory();
  } catch {
    // Whatever the reason, a shell cannot start there; the folder above it is tried next.
    return false;
  }
}
