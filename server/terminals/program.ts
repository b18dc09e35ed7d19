import { accessSync, constants, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { FailureError } from '../../schemas/result';

const LAST_RESORT = '/bin/sh';

/** The "shells" of accounts that nobody logs in to. */
const noShell = /\/(nologin|false|true|sync)$/;

/**
 * The shell of a new terminal: the setting, else the person's login shell, else $SHELL, else /bin/sh. A setting that
 * cannot be run is an error and not replaced in silence; the others are.
 */
export function chooseShell(
  setting: string,
  environmentShell: string | undefined,
  login: string | null = userInfo().shell,
): string {
  if (setting) {
    requireProgram(setting);
    return setting;
  }
  const usable = [login, environmentShell].find(
    (shell) => shell?.startsWith('/') && !noShell.test(shell) && isProgram(shell),
  );
  return usable ?? LAST_RESORT;
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
