import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';

/** What has to be added to a shell's start so that it tells its folder, its commands and their status. */
export interface Hook {
  args: string[];
  env: Record<string, string>;
}

const none: Hook = { args: [], env: {} };

/**
 * The hook of a shell that we know; nothing for any other program. `folder` holds our scripts; if they are not there
 * the shell starts as it would anywhere. On macOS terminals run login shells, elsewhere plain interactive ones.
 */
export function shellHook(
  program: string,
  folder: string,
  userEnv: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): Hook {
  const login = platform === 'darwin';
  const hook = hooks[basename(program)]?.(folder, login, userEnv);
  if (hook && existsSync(hook.script)) return { args: hook.args, env: hook.env };
  return login && hook ? { ...none, args: ['-l'] } : none;
}

type MakeHook = (
  folder: string,
  login: boolean,
  userEnv: Readonly<Record<string, string | undefined>>,
) => Hook & { script: string };

const hooks: Readonly<Record<string, MakeHook>> = {
  // An interactive shell reads this file instead of ~/.bashrc; it reads the person's files itself. A login shell would
  // not read it, so the file does what a login shell does when it is told to.
  bash: (folder, login) => {
    const script = join(folder, 'bash.bash');
    const env: Record<string, string> = login ? { TESSERA_LOGIN_SHELL: '1' } : {};
    return { script, args: ['--rcfile', script], env };
  },
  // The one way into zsh without a file of the person's; it gives ZDOTDIR back before any of their files is read.
  zsh: (folder, login, userEnv) => ({
    script: join(folder, 'zsh', '.zshenv'),
    args: login ? ['-l'] : [],
    env: {
      ZDOTDIR: join(folder, 'zsh'),
      ...(userEnv.ZDOTDIR === undefined ? {} : { TESSERA_ZDOTDIR: userEnv.ZDOTDIR }),
    },
  }),
  // Runs after the person's configuration and needs no variable.
  fish: (folder, login) => {
    const script = join(folder, 'fish.fish');
    const quoted = `'${script.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
    return { script, args: [...(login ? ['-l'] : []), '--init-command', `source ${quoted}`], env: {} };
  },
};
