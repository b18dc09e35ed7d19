import { userInfo } from 'node:os';

/** Variables by which another terminal, or a multiplexer in it, makes itself known; a shell in a card is not in there. */
const otherTerminals =
  /^(TERM_PROGRAM|TERM_PROGRAM_VERSION|TERM_SESSION_ID|TERMINAL_EMULATOR|TERMINFO|TERMCAP|COLORTERM|COLORFGBG|WINDOWID|VTE_VERSION|TMUX|TMUX_PANE|STY|WINDOW|INSIDE_EMACS|LC_TERMINAL|LC_TERMINAL_VERSION|WT_SESSION|WT_PROFILE_ID|(KITTY|WEZTERM|ITERM|ALACRITTY|GHOSTTY|KONSOLE|GNOME_TERMINAL|TILIX|VSCODE)_.*)$/;

/** What belongs to the server's own process, or to one shell that is not the new one. */
const notForShells =
  /^(npm_.*|NODE_ENV|NODE_OPTIONS|NODE_CHANNEL_.*|NODE_UNIQUE_ID|NEXT_.*|__NEXT_.*|INIT_CWD|PORT|TESSERA_.*|COLUMNS|LINES|OLDPWD|SHLVL|_)$/i;

export interface EnvironmentInput {
  /** The person's environment, as it was before npm and Node added to it. */
  userEnv: Readonly<Record<string, string | undefined>>;
  shell: string;
  cwd: string;
  version: string;
}

/** The environment of a program in a card; docs/terminals.md lists what of it is ours. */
export function terminalEnvironment({ userEnv, shell, cwd, version }: EnvironmentInput): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(userEnv)) {
    if (value !== undefined && !notForShells.test(name) && !otherTerminals.test(name)) env[name] = value;
  }
  const { username, homedir } = userInfo();
  env.HOME ||= homedir;
  env.USER ||= username;
  env.LOGNAME ||= env.USER;
  env.PATH ||= '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin';
  env.SHELL = shell;
  env.PWD = cwd;
  if (!env.LC_ALL && !env.LC_CTYPE && !/utf-?8/i.test(env.LANG ?? '')) {
    env.LANG = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';
  }
  env.TERM = 'xterm-256color';
  env.COLORTERM = 'truecolor';
  env.TERM_PROGRAM = 'tessera';
  env.TERM_PROGRAM_VERSION = version;
  return env;
}
