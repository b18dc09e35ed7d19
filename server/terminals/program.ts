import { accessSync, constants, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { FailureError } from '../../schemas/result';

const LAST_RESORT = '/bin/sh';

/**
 * The shell of a new terminal: the setting, else the person's login shell, else /bin/sh. A setting that cannot be run
 * is an error and not replaced in silence; a login shell that cannot be run is.
 */
export function chooseShell(setting: string, login: string | null = userInfo().shell): string {
  if (setting) {
    requireProgram(setting);
    return setting;
  }
  return login?.startsWith('/') && isProgram(login) ? login : LAST_RESORT;
}

/** node-pty does not say that a program is missing: its child prints an error of its own. So it is checked first. */
export function requireProgram(program: string): void {
  if (isProgram(program)) return;
  throw new FailureError(
    'program-missing',
    `${program} cannot be run: it is not there, or not executable. Choose another shell in the settings.`,
    { program },
  );
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Not there or not ours to run: for the caller the same.
    return false;
  }
}
