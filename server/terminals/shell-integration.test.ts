/// <reference types="node-pty" />
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { launchSpec } from './launch';
import { shellHook } from './shell-integration';

/** Its types are declared under the name of the package that it really is. */

const { spawn } = (await import('node-pty' as string)) as typeof import('@lydell/node-pty');
type IPty = import('@lydell/node-pty').IPty;

const integrationDir = join(import.meta.dirname, 'shell-integration');
const PATIENCE_MS = 15_000;

let home: string;
let shells: RealShell[];

/** A real shell in a real PTY, started as a card starts it. */
class RealShell {
  output = '';
  private readonly pty: IPty;
  private waiting: (() => void)[] = [];
  readonly exited: Promise<void>;

  constructor(program: string, env: Record<string, string> = {}, scripts = integrationDir) {
    const userEnv = { HOME: home, PATH: '/usr/local/bin:/usr/bin:/bin', USER: 'someone', LANG: 'C.UTF-8', ...env };
    const launch = { program, args: [], cwd: home, cols: 200, rows: 50, scrollback: 0, journal: false };
    const spec = launchSpec(launch, { userEnv, integrationDir: scripts, version: '0.0.0' });
    this.pty = spawn(spec.program, spec.args, { cwd: spec.cwd, env: spec.env, cols: spec.cols, rows: spec.rows });
    this.pty.onData((text) => {
      this.output += text;
      // What every terminal answers; fish waits for it.
      for (const query of text.match(/\x1b\[0?c/g) ?? []) if (query) this.pty.write('\x1b[?62;c');
      for (const wake of this.waiting.splice(0)) wake();
    });
    this.exited = new Promise((done) => this.pty.onExit(() => done()));
    shells.push(this);
  }

  async until(pattern: string | RegExp, from = 0): Promise<string> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const seen = this.output.slice(from);
      if (typeof pattern === 'string' ? seen.includes(pattern) : pattern.test(seen)) return seen;
      if (Date.now() > deadline) throw new Error(`never saw ${pattern} in ${JSON.stringify(seen)}`);
      await new Promise<void>((wake) => {
        const timer = setTimeout(wake, 100);
        this.waiting.push(() => {
          clearTimeout(timer);
          wake();
        });
      });
    }
  }

  /** Waits for the first prompt. */
  async ready(): Promise<this> {
    await this.until('\x1b]133;B\x07');
    return this;
  }

  /** Runs a command and gives all that came from its first mark to the end of the next prompt. */
  async run(command: string): Promise<string> {
    const from = this.output.length;
    this.pty.write(`${command}\r`);
    return this.until(/\x1b\]133;D[^\x07]*\x07[\s\S]*\x1b\]133;B\x07/, from);
  }

  /** What a command printed, and nothing else. */
  async printed(command: string): Promise<string> {
    const all = await this.run(command);
    const start = all.indexOf('\x1b]133;C\x07') + '\x1b]133;C\x07'.length;
    return all.slice(start, all.indexOf('\x1b]133;D')).replaceAll('\r\n', '\n');
  }

  type(text: string): void {
    this.pty.write(text);
  }

  async end(): Promise<void> {
    this.pty.kill('SIGKILL');
    await this.exited;
  }
}

/** The marks, in order: "A", "B", "C", "D;0", and the folders as "7 /path". */
function marks(output: string): string[] {
  return [...output.matchAll(/\x1b\](?:133;([ABC]|D(?:;\d+)?)|7;file:\/\/[^/]*([^\x07]*))\x07/g)].map(
    ([, mark, folder]) => mark ?? `7 ${decodeURIComponent(folder!)}`,
  );
}
const commandMarks = (output: string) => marks(output).filter((mark) => !mark.startsWith('7'));
const titles = (output: string) => [...output.matchAll(/\x1b\][02];([^\x07]*)\x07/g)].map(([, title]) => title);
/** Redraws of a prompt repeat its marks; in a row they are one. */
const once = (list: string[]) => list.join(' ').replace(/(A B )+(?=A B)/g, '');

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'tessera-shell-')));
  shells = [];
});
afterEach(async () => {
  for (const shell of shells) await shell.end();
  rmSync(home, { recursive: true, force: true });
});

interface Kind {
  program: string;
  /** Startup file, and lines for it. */
  rc: string;
  setVariable: string;
  historyFile: string;
  saveHistory: string;
  status: string;
  fail: string;
}
const kinds: Kind[] = [
  {
    program: '/bin/bash',
    rc: '.bashrc',
    setVariable: 'MINE=mine',
    historyFile: '.bash_history',
    saveHistory: 'history -a',
    status: 'echo "[$?]"',
    fail: '(exit 3)',
  },
  {
    program: '/usr/bin/zsh',
    rc: '.zshrc',
    setVariable: 'MINE=mine; HISTFILE=$HOME/.zsh_history; HISTSIZE=100; SAVEHIST=100',
    historyFile: '.zsh_history',
    saveHistory: 'fc -W',
    status: 'echo "[$?]"',
    fail: '(exit 3)',
  },
  {
    program: '/usr/bin/fish',
    rc: '.config/fish/config.fish',
    setVariable: 'set -g MINE mine',
    historyFile: '.local/share/fish/fish_history',
    saveHistory: 'history save',
    status: 'echo "[$status]"',
    fail: "sh -c 'exit 3'",
  },
];

function writeRc(kind: Kind, text: string): void {
  const file = join(home, kind.rc);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, `${text}\n`);
}

describe.each(kinds)('$program', (kind) => {
  const { program } = kind;

  it('marks prompt, command, output and status, in order', async () => {
    const shell = await new RealShell(program).ready();
    expect(once(commandMarks(shell.output))).toBe('A B');
    expect(once(commandMarks(await shell.run('true')))).toMatch(/C D;0 A B$/);
    expect(once(commandMarks(await shell.run('false')))).toMatch(/C D;1 A B$/);
    const from = shell.output.length;
    shell.type('\r');
    await shell.until('\x1b]133;B\x07', from);
    await shell.run('true');
    expect(once(commandMarks(shell.output.slice(from)))).not.toMatch(/D;\d+ .*D;\d+/);
  });

  it('tells the folder, spaces and Cyrillic too', async () => {
    const folder = join(home, "мой проект 100% 'x'");
    mkdirSync(folder);
    const shell = await new RealShell(program).ready();
    expect(marks(shell.output)).toContain(`7 ${home}`);
    const after = await shell.run(`cd ${home}/мой*`);
    expect(
      marks(after)
        .filter((mark) => mark.startsWith('7'))
        .at(-1),
    ).toBe(`7 ${folder}`);
    expect(after).toMatch(/\x1b\]7;file:\/\/[^/]*\/[\x21-\x7e]+\x07/);
  });

  it("reads the person's own startup file and leaves the status and the history alone", async () => {
    writeRc(kind, kind.setVariable);
    const shell = await new RealShell(program).ready();
    expect(await shell.printed('echo "[$MINE]"')).toContain('[mine]\n');
    await shell.run(kind.fail);
    expect(await shell.printed(kind.status)).toContain('[3]\n');
    expect(await shell.printed(kind.status)).toContain('[0]\n');
    await shell.run(kind.saveHistory);
    const history = readFileSync(join(home, kind.historyFile), 'utf8');
    expect(history).toContain(kind.fail);
    expect(history).not.toContain('tessera');
    expect(readdirSync(integrationDir, { recursive: true }).sort()).toEqual([
      'bash.bash',
      'fish.fish',
      'zsh',
      'zsh/.zshenv',
    ]);
  });

  it('pain 17: programs in it get what the documentation lists of us and nothing else', async () => {
    const env = { NODE_ENV: 'production', PORT: '9', npm_config_foo: '1', TESSERA_SECRET: 'x', MY_LOGIN: 'kept' };
    const shell = await new RealShell(program, env).ready();
    const printed = await shell.printed('env');
    const names = printed.split('\n').map((line) => line.split('=')[0]);
    expect(printed).not.toContain(integrationDir);
    expect(names.filter((name) => /^(NODE_|npm_|PORT|ZDOTDIR|XDG_DATA_DIRS|TESSERA)/.test(name!))).toEqual([]);
    expect(printed).toContain('MY_LOGIN=kept\n');
    expect(printed).toContain('TERM=xterm-256color\n');
    expect(printed).toContain('COLORTERM=truecolor\n');
    expect(printed).toContain('TERM_PROGRAM=tessera\n');
  });
});

describe('bash', () => {
  const bashrc = (text: string) => writeFileSync(join(home, '.bashrc'), `${text}\n`);

  it('works with set -u, and with prompt commands of every form', async () => {
    for (const [own, text] of [
      ['string', `set -u; PROMPT_COMMAND='seen=$?;'`],
      ['array', `set -u; first() { seen=$?; PS1="(first) "; }; PROMPT_COMMAND=(first 'second=$?')`],
      ['none', `set -u; unset PROMPT_COMMAND; seen=5; PS1='> '`],
    ] as const) {
      bashrc(text);
      const shell = await new RealShell('/bin/bash').ready();
      await shell.run('(exit 5)');
      expect([own, await shell.printed('echo "[$seen]"')]).toEqual([own, '[5]\n']);
      expect(once(commandMarks(await shell.run('true')))).toMatch(/C D;0 A B$/);
      expect(shell.output).not.toMatch(/unbound|readonly|error/);
    }
  });

  it('works where PROMPT_COMMAND is one string, as before 5.1, and where a child shell inherits it', async () => {
    const scripts = join(home, 'scripts');
    cpSync(integrationDir, scripts, { recursive: true });
    const script = readFileSync(join(scripts, 'bash.bash'), 'utf8');
    writeFileSync(join(scripts, 'bash.bash'), script.replace('>= 501', '>= 99901'));
    bashrc(`PS1='> '; export PROMPT_COMMAND='seen=$?;'`);
    const shell = await new RealShell('/bin/bash', {}, scripts).ready();
    await shell.run('(exit 5)');
    expect(await shell.printed('echo "[$seen]"')).toBe('[5]\n');
    expect(once(commandMarks(await shell.run('true')))).toMatch(/C D;0 A B$/);
    shell.type(`bash --norc\rPS1='child> '\r`);
    await shell.until('child> ');
    shell.type('echo in-$((1+1))\r');
    await shell.until(/in-2[\s\S]*child> /);
    expect(shell.output).not.toMatch(/not found|syntax error/);
  });

  it('marks also where prompts are not expanded', async () => {
    bashrc(`shopt -u promptvars; PS1='> '`);
    const shell = await new RealShell('/bin/bash').ready();
    expect(once(commandMarks(await shell.run('false')))).toMatch(/C D;1 A B$/);
    expect(shell.output).not.toContain('__tessera');
  });

  it('leaves a readonly PS1 alone and still tells status and folder', async () => {
    bashrc(`PS1='fixed> '; readonly PS1`);
    const shell = new RealShell('/bin/bash');
    await shell.until('fixed> ');
    shell.type('false\r');
    await shell.until(/133;C\x07[\s\S]*133;D;1\x07[\s\S]*133;A\x07[\s\S]*fixed> /);
    expect(shell.output).not.toContain('readonly');
    expect(marks(shell.output)).toContain(`7 ${home}`);
  });

  it('sets the title to the folder unless the prompt sets one', async () => {
    bashrc(`PS1='> '`);
    const plain = await new RealShell('/bin/bash').ready();
    expect(titles(plain.output)).toEqual(['~']);
    bashrc(String.raw`own() { printf '\e]0;own title\a'; }; PROMPT_COMMAND=own`);
    const own = await new RealShell('/bin/bash').ready();
    await own.run('true');
    expect(new Set(titles(own.output))).toEqual(new Set(['own title']));
  });

  it('titles: the command while it runs and the folder again, unless it is kept out of the history or the person has one', async () => {
    bashrc(`HISTCONTROL=ignorespace; PS1='> '`);
    const plain = await new RealShell('/bin/bash').ready();
    await plain.run('true one; (exit 3)');
    expect(titles(plain.output)).toEqual(['~', 'true one; (exit 3)', '~']);
    expect(await plain.printed('echo "[$?]"')).toBe('[3]\n');
    const from = plain.output.length;
    await plain.run(' true secret');
    expect(titles(plain.output.slice(from))).toEqual(['~']);
    // As distributions have it.
    bashrc(String.raw`PS1='\[\e]0;me: \w\a\]> '`);
    const distribution = await new RealShell('/bin/bash').ready();
    await distribution.run('true two');
    expect(titles(distribution.output)).toEqual(['me: ~', 'true two', 'me: ~']);
    bashrc(String.raw`PS1='\[\e]0;mine\a\]> '`);
    const own = await new RealShell('/bin/bash').ready();
    await own.run('true three');
    expect(new Set(titles(own.output))).toEqual(new Set(['mine']));
  });

  it('keeps a DEBUG trap and PS0 of the person', async () => {
    bashrc(`PS0='[ps0]'; trap 'last=$BASH_COMMAND' DEBUG; PS1='> '`);
    const shell = await new RealShell('/bin/bash').ready();
    expect(await shell.run('echo hello')).toContain('[ps0]');
    expect(await shell.printed('echo "[$last]"')).toContain('[echo "[$last]"]\n');
  });

  it('reads login files, first found only, where terminals run login shells', async () => {
    writeFileSync(join(home, '.bash_profile'), 'FROM=profile; PS1="> "\n');
    writeFileSync(join(home, '.profile'), 'FROM=wrong\n');
    bashrc('FROM=bashrc');
    const hook = shellHook('/bin/bash', integrationDir, {}, 'darwin');
    expect(hook.env).toEqual({ TESSERA_LOGIN_SHELL: '1' });
    const pty = spawn('/bin/bash', hook.args, { cwd: home, env: { HOME: home, PATH: process.env.PATH!, ...hook.env } });
    let output = '';
    pty.onData((text) => {
      output += text;
    });
    pty.write('echo "[$FROM$TESSERA_LOGIN_SHELL]"; exit\r');
    await new Promise<void>((done) => pty.onExit(() => done()));
    expect(output).toContain('[profile]');
  });
});

describe('zsh', () => {
  it('gives ZDOTDIR back and reads every file from where the person keeps them', async () => {
    const dots = join(home, 'dots');
    mkdirSync(dots);
    writeFileSync(join(home, '.zshenv'), 'HOME_ENV=1\n');
    writeFileSync(join(dots, '.zshenv'), 'ENV_FILE=env\n');
    writeFileSync(join(dots, '.zshrc'), 'RC_FILE=rc; HISTFILE=$ZDOTDIR/.zsh_history; SAVEHIST=9\n');
    const shell = await new RealShell('/usr/bin/zsh', { ZDOTDIR: dots }).ready();
    expect(await shell.printed('echo "[$ENV_FILE $RC_FILE $HOME_ENV $ZDOTDIR]"')).toContain(`[env rc  ${dots}]\n`);
    await shell.run('fc -W');
    expect(existsSync(join(dots, '.zsh_history'))).toBe(true);
    expect(await shell.printed('env')).not.toContain('TESSERA_');
  });

  it('follows a ZDOTDIR that the person sets in ~/.zshenv', async () => {
    mkdirSync(join(home, 'conf'));
    writeFileSync(join(home, '.zshenv'), 'export ZDOTDIR=$HOME/conf\n');
    writeFileSync(join(home, 'conf', '.zshrc'), 'RC_FILE=rc\n');
    const shell = await new RealShell('/usr/bin/zsh').ready();
    expect(await shell.printed('echo "[$RC_FILE]"')).toContain('[rc]\n');
  });

  it('works with set -u, own hooks that build the prompt, and a readonly prompt', async () => {
    const rc = join(home, '.zshrc');
    writeFileSync(rc, `setopt no_unset ksh_arrays\nown() { seen=$?; PROMPT='own> ' }\nprecmd_functions+=(own)\n`);
    const own = await new RealShell('/usr/bin/zsh').ready();
    await own.run('(exit 5)');
    expect(await own.printed('echo "[$seen]"')).toContain('[5]\n');
    expect(once(commandMarks(await own.run('true')))).toMatch(/C D;0 A B$/);
    writeFileSync(rc, `PROMPT='fixed> '; typeset -r PS1\n`);
    const fixed = new RealShell('/usr/bin/zsh');
    await fixed.until('fixed> ');
    fixed.type('false\r');
    await fixed.until(/133;C\x07[\s\S]*133;D;1\x07[\s\S]*133;A\x07[\s\S]*fixed> /);
    expect(fixed.output).not.toContain('read-only');
  });

  it('titles: the folder at the prompt, the command while it runs, unless the person sets one', async () => {
    writeFileSync(join(home, '.zshrc'), `PROMPT='> '\n`);
    const plain = await new RealShell('/usr/bin/zsh').ready();
    await plain.run('true one');
    expect(titles(plain.output)).toEqual(['~', 'true one', '~']);
    writeFileSync(join(home, '.zshrc'), `${String.raw`precmd() { print -Pn '\e]0;own\a' }`}\n`);
    const own = await new RealShell('/usr/bin/zsh').ready();
    await own.run('true');
    expect(new Set(titles(own.output))).toEqual(new Set(['own']));
  });
});

describe('fish', () => {
  it('titles: the command while it runs, the folder at the prompt', async () => {
    const shell = await new RealShell('/usr/bin/fish').ready();
    await shell.run('true one');
    const told = titles(shell.output);
    expect([told.some((title) => title!.includes('true one')), told.at(-1)]).toEqual([true, '~']);
  });

  it("shows the person's prompt between the marks, with the status that it should see", async () => {
    mkdirSync(join(home, '.config/fish/functions'), { recursive: true });
    writeFileSync(
      join(home, '.config/fish/functions/fish_prompt.fish'),
      'function fish_prompt\n  echo "<$status> "\nend\n',
    );
    const shell = await new RealShell('/usr/bin/fish').ready();
    expect(await shell.run("sh -c 'exit 4'")).toMatch(/133;A\x07[\s\S]*<4> [\s\S]*133;B\x07/);
    await shell.run("function fish_prompt; echo 'other> '; end");
    expect(await shell.run('true')).toMatch(/133;A\x07[\s\S]*other> [\s\S]*133;B\x07/);
  });
});

describe('a shell that we do not know', () => {
  it('starts as it would anywhere', () => {
    expect(shellHook('/bin/dash', integrationDir, {}, 'linux')).toEqual({ args: [], env: {} });
    expect(shellHook('/bin/bash', '/nowhere', {}, 'linux')).toEqual({ args: [], env: {} });
    expect(shellHook('/bin/zsh', '/nowhere', {}, 'darwin')).toEqual({ args: ['-l'], env: {} });
  });
});
