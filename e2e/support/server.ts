import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { ReadyLine } from '../../schemas/auth';
import { endProcessesOf, processesOf, type RunningProcess, residentBytes } from './processes';
import { until } from './until';

/** The repository; tests, drills and benchmarks are started there. */
const root = process.env.TESSERA_ROOT ?? process.cwd();
export const serverBundle = path.join(root, 'dist/server/main.js');
export const cliBundle = path.join(root, 'dist/cli/main.js');

export interface ServerOptions {
  /** Absent: a fresh folder that goes away at the end. */
  dataDir?: string;
  /** The folder that is opened; absent: a fresh, empty one. */
  project?: string;
  /** Name of that fresh folder, in HOME. */
  projectName?: string;
  /** Added to the minimal environment; undefined removes a variable. */
  env?: Record<string, string | undefined>;
  /** Further flags of the server. */
  flags?: string[];
  /** Written to the shells' start-up files; default: a prompt without colour, so that texts compare. */
  rcFiles?: Record<string, string>;
  /** Let it open a browser, which only notes what it was given: see `openedFile`. */
  openBrowser?: boolean;
}

/** Output of the server that is kept for the message of a failed test. */
const KEPT_LOG_CHARS = 64 * 1024;
const READY_WITHIN_MS = 30_000;

/** A prompt that a test can wait for. */
export const PROMPT = '❯';

const quietShells = {
  '.bashrc': `PS1='${PROMPT} '\nHISTFILE=\n`,
  '.zshrc': `PS1='${PROMPT} '\nunset HISTFILE\nunsetopt PROMPT_SP\n`,
  '.config/fish/config.fish': `function fish_prompt; echo -n '${PROMPT} '; end\nset -g fish_greeting\n`,
  '.inputrc': 'set bell-style none\n',
};

/** A Tessera server of a test's own, with its own data folder, HOME, port and shells. */
export class TesseraServer {
  readonly base: string;
  readonly home: string;
  readonly dataDir: string;
  readonly project: string;
  ready!: ReadyLine;
  port = 0;
  private child: ChildProcess | null = null;
  private output = '';

  constructor(private readonly options: ServerOptions = {}) {
    // Short: a Unix socket's path has room for 107 bytes.
    this.base = mkdtempSync(path.join(tmpdir(), 'tess-'));
    this.home = path.join(this.base, 'home');
    this.dataDir = options.dataDir ?? path.join(this.base, 'data');
    this.project =
      options.project ?? path.join(options.projectName ? this.home : this.base, options.projectName ?? 'project');
    for (const dir of [this.home, this.project, this.runtimeDir]) mkdirSync(dir, { recursive: true, mode: 0o700 });
    for (const [name, text] of Object.entries({ ...quietShells, ...options.rcFiles })) {
      const file = path.join(this.home, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }

  /** The file that the server gave to the person's browser. */
  async openedFile(): Promise<string> {
    const note = path.join(this.home, 'opened');
    return until('the server to open a browser', () => existsSync(note) && readFileSync(note, 'utf8'), {
      timeoutMs: READY_WITHIN_MS,
      last: () => this.output,
    });
  }

  /** A browser that is the desktop's default, which only notes what it was given. */
  private writeFakeBrowser(): string {
    const browser = path.join(this.home, 'browser');
    const note = 'printf %s "$1" > "$HOME/opened.part" && mv "$HOME/opened.part" "$HOME/opened"';
    const entry = `[Desktop Entry]\nType=Application\nName=Note\nExec=${browser} %f\nMimeType=text/html;\n`;
    for (const [name, text] of [
      ['browser', `#!/bin/sh\n${note}\n`],
      ['.local/share/applications/note.desktop', entry],
      ['.config/mimeapps.list', '[Default Applications]\ntext/html=note.desktop\n'],
    ] as const) {
      mkdirSync(path.dirname(path.join(this.home, name)), { recursive: true });
      writeFileSync(path.join(this.home, name), text, { mode: 0o755 });
    }
    return browser;
  }

  private get runtimeDir(): string {
    return path.join(this.base, 'run');
  }

  /** What the person's own environment would be: no npm, no Node, nothing of the test runner. */
  get env(): NodeJS.ProcessEnv {
    const wanted: Record<string, string | undefined> = {
      HOME: this.home,
      PATH: process.env.PATH,
      USER: process.env.USER ?? 'tester',
      LOGNAME: process.env.LOGNAME ?? 'tester',
      SHELL: '/bin/bash',
      LANG: 'C.UTF-8',
      TMPDIR: this.base,
      XDG_RUNTIME_DIR: this.runtimeDir,
      TESSERA_CHROMIUM: process.env.TESSERA_CHROMIUM,
      ...(this.options.openBrowser ? { DISPLAY: ':0', BROWSER: this.writeFakeBrowser() } : {}),
      ...this.options.env,
    };
    return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined)) as NodeJS.ProcessEnv;
  }

  get url(): string {
    return this.ready.url;
  }

  get pid(): number {
    return this.ready.pid;
  }

  /** What the server printed, newest last. */
  get log(): string {
    return this.output;
  }

  async start(extraFlags: string[] = []): Promise<this> {
    // The same port over restarts, so that an open page finds the new server.
    this.port ||= await freePort();
    const flags = ['--data-dir', this.dataDir, '--port', String(this.port), '--project', this.project];
    if (!this.options.openBrowser) flags.push('--no-open');
    const args = [serverBundle, ...flags, ...(this.options.flags ?? []), ...extraFlags];
    const child = spawn(process.execPath, args, { cwd: root, env: this.env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child = child;
    let printed = '';
    const keep = (chunk: string) => {
      printed += chunk;
      this.output = (this.output + chunk).slice(-KEPT_LOG_CHARS);
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', keep);
    const line = await until(
      'the ready line of the server',
      () => {
        const match = printed.match(/^tessera ready (\{.*\})$/m);
        if (!match && child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}:\n${printed}`);
        return match?.[1];
      },
      { timeoutMs: READY_WITHIN_MS, last: () => printed },
    );
    this.ready = JSON.parse(line) as ReadyLine;
    return this;
  }

  /** `tessera …` against this server. */
  async tessera(...args: string[]): Promise<{ stdout: string; stderr: string }> {
    const [command = '', ...rest] = args;
    return promisify(execFile)(process.execPath, [cliBundle, command, '--data-dir', this.dataDir, ...rest], {
      cwd: this.project,
      env: this.env,
    });
  }

  /** A link that signs one browser in, once. */
  async loginUrl(): Promise<string> {
    const { stdout } = await this.tessera('login', '--json');
    const reply = JSON.parse(stdout) as { url: string };
    return reply.url;
  }

  /** Ends the server as SIGTERM does; the pty host and its shells go on. */
  async stop(): Promise<void> {
    await this.endServer('SIGTERM');
  }

  /** Kills the server without a warning. */
  async kill9(): Promise<void> {
    await this.endServer('SIGKILL');
  }

  private async endServer(name: NodeJS.Signals): Promise<void> {
    const child = this.child;
    if (!child) return;
    this.child = null;
    if (child.exitCode === null && child.signalCode === null) child.kill(name);
    await until('the server to end', () => child.exitCode !== null || child.signalCode !== null, {
      timeoutMs: 15_000,
      last: () => this.output,
    });
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  processes(): RunningProcess[] {
    return processesOf(this.home);
  }

  /** The pty host's pid; undefined while there is none. */
  ptyHostPid(): number | undefined {
    return this.processes().find(({ command }) => /pty-host[^ ]*\/main\.js/.test(command))?.pid;
  }

  residentBytes(): { server: number; ptyHost: number } {
    const host = this.ptyHostPid();
    return { server: residentBytes(this.pid), ptyHost: host ? residentBytes(host) : 0 };
  }

  /** Ends everything that was started for this server, however it was left, and removes its folders. */
  async dispose(): Promise<void> {
    try {
      await this.kill9();
    } finally {
      await endProcessesOf(this.home);
      rmSync(this.base, { recursive: true, force: true });
    }
  }
}

/** A running server. Always `dispose` it, also when the test failed. */
export async function startServer(options: ServerOptions = {}): Promise<TesseraServer> {
  const server = new TesseraServer(options);
  try {
    return await server.start();
  } catch (error) {
    await server.dispose();
    throw error;
  }
}

export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((done) => probe.listen(0, '127.0.0.1', done));
  const address = probe.address();
  await new Promise((done) => probe.close(done));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
