import type { LaunchSpec } from '../../schemas/pty-host';
import type { TerminalTheme } from '../../schemas/terminals';
import { terminalEnvironment } from './environment';
import { nearestFolder } from './folder';
import { requireProgram } from './program';
import { shellHook } from './shell-integration';

/** What is the same for every terminal of this server. */
export interface LaunchSurroundings {
  userEnv: Readonly<Record<string, string | undefined>>;
  /** Where our shell scripts lie. */
  integrationDir: string;
  version: string;
}

export interface Launch {
  program: string;
  args: readonly string[];
  /** Where it should start; if it is gone, it starts in the nearest folder above that is there, and says so. */
  cwd: string;
  cols: number;
  rows: number;
  scrollback: number;
  journal: boolean;
  theme?: TerminalTheme | undefined;
}

/** How the pty host shall start a program. Throws `program-missing`. */
export function launchSpec(launch: Launch, { userEnv, integrationDir, version }: LaunchSurroundings): LaunchSpec {
  const { program, cols, rows, scrollback, journal, theme } = launch;
  requireProgram(program);
  const cwd = nearestFolder(launch.cwd);
  // Arguments of the person's own may make another thing of a shell than an interactive one.
  const hook = launch.args.length === 0 ? shellHook(program, integrationDir, userEnv) : { args: [], env: {} };
  return {
    program,
    args: [...hook.args, ...launch.args],
    cwd,
    env: { ...terminalEnvironment({ userEnv, shell: program, cwd, version }), ...hook.env },
    cols,
    rows,
    scrollback,
    journal,
    ...(theme ? { theme } : {}),
    ...(cwd === launch.cwd ? {} : { notice: { code: 'folder-missing', params: { folder: launch.cwd, used: cwd } } }),
  };
}
