import { accessSync, constants } from 'node:fs';
import usualPlaces from './chromium-places.json' with { type: 'json' };

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The browser that tests and benchmarks drive: TESSERA_CHROMIUM, else the first that is there, else Playwright's own. */
export function chromiumPath(): string | undefined {
  return process.env.TESSERA_CHROMIUM || usualPlaces.find(isExecutable);
}

/** The same flags everywhere, so that figures compare. The sandbox stays on unless we are root, where Chromium refuses it. */
export const chromiumArgs: string[] = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
