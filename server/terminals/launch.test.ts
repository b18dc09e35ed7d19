import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { terminalEnvironment } from './environment';
import { nearestFolder } from './folder';
import { launchSpec } from './launch';
import { chooseShell } from './program';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tessera-launch-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const environment = (userEnv: Record<string, string>) =>
  terminalEnvironment({ userEnv, shell: '/bin/bash', cwd: '/work', version: '1.2.3' });

describe('the environment', () => {
  it('pain 17: is the person’s, without what belongs to the server or to another terminal', () => {
    const own = { HOME: '/h', USER: 'u', LOGNAME: 'u', PATH: '/p', LANG: 'ru_RU.UTF-8', SSH_AUTH_SOCK: '/s' };
    const foreign = {
      ...{ npm_config_foo: '1', npm_package_name: 'x', NODE_ENV: 'production', NODE_OPTIONS: '--inspect', PORT: '9' },
      ...{ INIT_CWD: '/x', TESSERA_SECRET: 's', TESSERA_LOG_LEVEL: 'debug', NEXT_TELEMETRY_DISABLED: '1' },
      ...{ TMUX: '/t', TMUX_PANE: '%1', STY: 's', VTE_VERSION: '7', KITTY_WINDOW_ID: '1', VSCODE_IPC_HOOK: 'v' },
      ...{ TERM: 'dumb', TERM_PROGRAM: 'other', COLUMNS: '80', LINES: '24', OLDPWD: '/o', SHLVL: '4', _: '/bin/x' },
    };
    expect(environment({ ...foreign, ...own })).toEqual({
      ...own,
      SHELL: '/bin/bash',
      PWD: '/work',
      TERM: 'xterm-256color',
      COLORTERM: 'truecolor',
      TERM_PROGRAM: 'tessera',
      TERM_PROGRAM_VERSION: '1.2.3',
    });
  });

  it('has what every login has, and a UTF-8 locale unless the person chose another', () => {
    const { username, homedir } = userInfo();
    const bare = environment({});
    expect(bare).toMatchObject({ HOME: homedir, USER: username, LOGNAME: username });
    expect(bare.PATH).toContain('/usr/bin');
    expect(bare.LANG).toMatch(/UTF-8$/);
    expect(environment({ LANG: 'C' }).LANG).toMatch(/UTF-8$/);
    expect(environment({ LANG: 'C', LC_ALL: 'POSIX' })).toMatchObject({ LANG: 'C', LC_ALL: 'POSIX' });
    expect(environment({ LC_CTYPE: 'de_DE.utf8' }).LANG).toBeUndefined();
  });
});

describe('the program', () => {
  it('is the setting, else the login shell, else $SHELL, else /bin/sh', () => {
    expect(chooseShell('/bin/sh', '/bin/bash', '/bin/bash')).toBe('/bin/sh');
    expect(chooseShell('', '/bin/sh', '/bin/bash')).toBe('/bin/bash');
    expect(chooseShell('', '/bin/bash', '/usr/sbin/nologin')).toBe('/bin/bash');
    expect(chooseShell('', undefined, '/gone/zsh')).toBe('/bin/sh');
    expect(chooseShell('', 'relative', null)).toBe('/bin/sh');
    expect(() => chooseShell('/gone/zsh', '/bin/bash')).toThrow(expect.objectContaining({ code: 'program-missing' }));
  });

  it('gets no hook when it has arguments of its own', () => {
    const base = { program: '/bin/bash', cwd: root, cols: 80, rows: 24, scrollback: 5, journal: true };
    const around = { userEnv: {}, integrationDir: join(import.meta.dirname, 'shell-integration'), version: '1' };
    expect(launchSpec({ ...base, args: [] }, around).args[0]).toBe('--rcfile');
    const spec = launchSpec({ ...base, args: ['-c', 'make'] }, around);
    expect(spec).toMatchObject({ args: ['-c', 'make'], cwd: root, scrollback: 5, journal: true });
    expect(spec.notice).toBeUndefined();
  });
});

describe('pain 18: the folder', () => {
  it('is the nearest above that is there', () => {
    mkdirSync(join(root, 'a'));
    writeFileSync(join(root, 'a', 'file'), '');
    expect(nearestFolder(join(root, 'a'))).toBe(join(root, 'a'));
    expect(nearestFolder(join(root, 'a', 'b', 'c'))).toBe(join(root, 'a'));
    expect(nearestFolder(join(root, 'a', 'file'))).toBe(join(root, 'a'));
    expect(nearestFolder('/no/such')).toBe('/');
  });
});
