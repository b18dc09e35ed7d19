import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CallArgs, CallName, CallResults } from '../../schemas/realtime';
import type { SessionInfo, StreamHeader } from '../../schemas/terminals';
import { fromWire, type WireBytes } from '../../schemas/wire-bytes';
import { createCanvases } from '../canvas';
import { createProjects } from '../project';
import type { Broadcast, Tab } from '../realtime';
import { createSettings } from '../settings';
import { openStorage } from '../storage';
import { connectPtyHost, createTerminals } from './index';

/** The server's rooms on a real pty host with real shells: what survives which death. */

const root = join(import.meta.dirname, '../..');
const PATIENCE_MS = 20_000;
const PROMPT = 'ready> ';

let bundleDir: string;
let base: string;
let servers: Server[];

beforeAll(async () => {
  bundleDir = mkdtempSync(join(tmpdir(), 'tess-bundle-'));
  await build({
    entryPoints: [join(root, 'server/pty-host/main.ts')],
    outfile: join(bundleDir, 'main.js'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['node-pty'],
    logLevel: 'silent',
    banner: {
      js: "import { createRequire as nodeRequire } from 'node:module'; const require = nodeRequire(import.meta.url);",
    },
  });
  // As in a clone: the bundle finds its native package above itself.
  symlinkSync(join(root, 'node_modules'), join(bundleDir, 'node_modules'));
});
afterAll(() => rmSync(bundleDir, { recursive: true, force: true }));

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'tess-')));
  for (const name of ['home', 'project', 'data', 'data/run']) mkdirSync(join(base, name), { mode: 0o700 });
  writeFileSync(join(base, 'home', '.bashrc'), `PS1='${PROMPT}'\nHISTFILE=\n`);
  servers = [];
});
afterEach(async () => {
  const last = servers.at(-1);
  for (const server of servers.slice(0, -1)) await server.stop();
  await last?.stop({ endSessions: true });
  rmSync(base, { recursive: true, force: true });
});

/** The server without its sockets; a new one on the same folder is what a restart of the server is. */
class Server {
  readonly storage = openStorage(join(base, 'data'));
  readonly told: unknown[][] = [];
  private readonly listeners = new Set<() => void>();
  private readonly rooms;

  constructor() {
    const { storage } = this;
    const broadcast: Broadcast = (event, ...args) => {
      this.told.push([event, ...args]);
      this.wake();
    };
    const { canvases } = createCanvases({ storage, broadcast });
    const projects = createProjects({ storage, broadcast, canvases });
    const settings = createSettings({ storage, broadcast });
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const terminals = createTerminals({
      ...{ storage, broadcast, settings, canvases, projects, version: '0.0.0', dataDir: join(base, 'data'), log },
      userEnv: { HOME: join(base, 'home'), PATH: '/usr/bin:/bin', SHELL: '/bin/bash', MY_LOGIN: 'kept' },
      integrationDir: join(import.meta.dirname, 'shell-integration'),
      connect: async () => {
        const client = await connectPtyHost({
          ...{ dataDir: join(base, 'data'), runDir: join(base, 'data/run'), bundleDir },
          log: log as never,
        });
        return client;
      },
    });
    this.rooms = { canvases, projects, settings, terminals };
    servers.push(this);
  }

  static async start(): Promise<Server> {
    const server = new Server();
    await server.rooms.projects.open(join(base, 'project'));
    server.rooms.settings.patch({ shell: '/bin/bash' });
    server.rooms.terminals.start();
    await server.rooms.terminals.started;
    return server;
  }

  get canvases() {
    return this.rooms.canvases;
  }

  async stop(options?: { endSessions?: boolean }): Promise<void> {
    await this.rooms.terminals.stop(options);
    this.storage.close();
  }

  call<N extends CallName>(name: N, args: CallArgs<N>, tab: Tab): Promise<CallResults[N]> {
    return Promise.resolve(this.rooms.terminals.room.calls[name]!(args as never, tab) as CallResults[N]);
  }

  notify(name: 'terminal:ack', args: { viewerId: string; offset: number }, tab: Tab): void {
    this.rooms.terminals.room.notices![name]!(args, tab);
  }

  info(sessionId: string): SessionInfo | undefined {
    return this.rooms.terminals.sessions().find(({ record }) => record.id === sessionId)?.info;
  }

  sessions() {
    return this.rooms.terminals.sessions();
  }

  wake(): void {
    for (const listener of this.listeners) listener();
  }

  async until<T>(what: string, probe: () => T | undefined | false | null | ''): Promise<T> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const value = probe();
      if (value) return value;
      if (Date.now() > deadline) throw new Error(`never: ${what}; sessions: ${JSON.stringify(this.sessions())}`);
      await new Promise<void>((next) => {
        const timer = setTimeout(done, 100);
        const { listeners } = this;
        function done() {
          clearTimeout(timer);
          listeners.delete(done);
          next();
        }
        listeners.add(done);
      });
    }
  }
}

/** A tab with one viewer: what it was sent, as text. */
class Viewer implements Tab {
  readonly browserSessionId = 'browser';
  text = '';
  offset = 0;
  snapshots = 0;
  size = '';
  private seq = 0;

  constructor(
    private readonly server: Server,
    readonly id: string,
    readonly viewerId: string,
    readonly sessionId: string,
  ) {}

  static async attach(server: Server, sessionId: string, name: string, cols = 80, rows = 24): Promise<Viewer> {
    const viewer = new Viewer(server, `tab-${name}`, `viewer-${name}`, sessionId);
    await server.call(
      'terminal:attach',
      { viewerId: viewer.viewerId, sessionId, cols, rows, history: 1000, visibility: 'live' },
      viewer,
    );
    return viewer;
  }

  emit(event: string, ...args: unknown[]): void {
    if (event !== 'terminal:data') return;
    const [, header, wire] = args as [string, StreamHeader, WireBytes | undefined];
    const bytes = wire === undefined ? undefined : fromWire(wire);
    if (header.kind === 'snapshot') {
      if (header.part === 0) {
        this.text = '';
        this.snapshots += 1;
      }
      this.offset = header.offset;
      this.size = `${header.cols}x${header.rows}`;
    }
    if (header.kind === 'size') this.size = `${header.cols}x${header.rows}`;
    if (bytes) this.text += Buffer.from(bytes).toString('utf8');
    if (header.kind === 'raw' && bytes) {
      this.offset = header.offset + bytes.length;
      this.server.notify('terminal:ack', { viewerId: this.viewerId, offset: this.offset }, this);
    }
    this.server.wake();
  }

  async type(text: string): Promise<void> {
    this.seq += 1;
    const { viewerId, sessionId, seq } = this;
    await this.server.call('terminal:input', { viewerId, sessionId, seq, bytes: Buffer.from(text) }, this);
  }

  async sees(wanted: string | RegExp): Promise<void> {
    await this.server.until(`${wanted} in ${JSON.stringify(this.text.slice(-500))}`, () =>
      typeof wanted === 'string' ? this.text.includes(wanted) : wanted.test(this.text),
    );
  }
}

let operation = 0;
async function create(server: Server, change: Partial<CallArgs<'terminal:create'>> = {}): Promise<string> {
  operation += 1;
  const canvas = server.canvases.list()[0]!;
  const { session } = await server.call(
    'terminal:create',
    {
      ...{
        opId: `operation-${operation}`,
        canvasId: canvas.id,
        x: 0,
        y: 0,
        width: 700,
        height: 430,
        cols: 80,
        rows: 24,
      },
      ...change,
    },
    new Viewer(server, 'tab-create', 'viewer-create', ''),
  );
  return session.record.id;
}

const isAlive = (pid: number) => existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

describe('a new server', () => {
  it('adopts the running shell: the same process, its screen, its folder, and input goes on', async () => {
    const first = await Server.start();
    const sessionId = await create(first);
    const viewer = await Viewer.attach(first, sessionId, 'one');
    await viewer.sees(PROMPT);
    await viewer.type('cd / && VALUE=kept-in-the-shell; echo before-$((40+2))\r');
    await viewer.sees('before-42');
    const pid = first.info(sessionId)!.pid;
    await first.stop();
    const second = await Server.start();
    expect(second.info(sessionId)).toMatchObject({ state: 'running', pid });
    const again = await Viewer.attach(second, sessionId, 'two');
    await again.sees('before-42');
    await again.type('echo $VALUE in $PWD\r');
    await again.sees('kept-in-the-shell in /');
    expect(second.info(sessionId)!.revision).toBeGreaterThan(0);
    expect(second.canvases.cards().filter((card) => card.sessionId === sessionId)).toHaveLength(1);
  });
});

describe('a pty host that is killed', () => {
  it('pain 18, pain 19: the terminal ends, keeps its screen, restarts in its last folder with a visible cursor', async () => {
    const server = await Server.start();
    const sessionId = await create(server);
    const viewer = await Viewer.attach(server, sessionId, 'one');
    await viewer.sees(PROMPT);
    const folder = join(base, 'project', 'папка a', 'b');
    mkdirSync(folder, { recursive: true });
    await viewer.type(`cd '${folder}'; echo last-$((1+1))-words; printf '\\e[?25l'\r`);
    await viewer.sees('last-2-words');
    await server.until('the folder', () => server.info(sessionId)?.cwd === folder);
    await server.until('the journal to have it', () => journalHolds(sessionId, 'last-2-words'));
    const { pid } = server.info(sessionId)!;
    process.kill(parentOf(pid!), 'SIGKILL');
    await server.until('the end', () => server.info(sessionId)?.state === 'ended');
    await server.until('a new host', () => viewer.snapshots > 1);
    await viewer.sees('last-2-words');
    rmSync(folder, { recursive: true });
    const view = await server.call('terminal:restart', { sessionId, cols: 80, rows: 24 }, viewer);
    expect(view.info).toMatchObject({
      state: 'running',
      cwd: join(base, 'project', 'папка a'),
      notice: { code: 'folder-missing', params: { folder } },
    });
    await viewer.type('echo here-$PWD\r');
    await viewer.sees(`here-${join(base, 'project', 'папка a')}`);
    expect(viewer.text.lastIndexOf('\x1b[?25h')).toBeGreaterThan(viewer.text.lastIndexOf('\x1b[?25l'));
  });
});

describe('a session', () => {
  it('pain 16: killed from outside it stays readable, says the signal, restarts under the same id', async () => {
    const server = await Server.start();
    const sessionId = await create(server);
    const viewer = await Viewer.attach(server, sessionId, 'one');
    await viewer.sees(PROMPT);
    await viewer.type('echo alive-$((2+3))\r');
    await viewer.sees('alive-5');
    process.kill(server.info(sessionId)!.pid!, 'SIGKILL');
    await server.until('the end', () => server.info(sessionId)?.state === 'ended');
    expect(server.info(sessionId)!.exit).toEqual({ signal: 'SIGKILL' });
    const late = await Viewer.attach(server, sessionId, 'late');
    await late.sees('alive-5');
    await server.call('terminal:restart', { sessionId, cols: 80, rows: 24 }, viewer);
    await late.type('echo again-$((3+4))\r');
    await late.sees('again-7');
    await viewer.sees('again-7');
  });

  it('pain 14: closing ends every process of it, also those that its shell has left behind', async () => {
    const server = await Server.start();
    const sessionId = await create(server);
    const viewer = await Viewer.attach(server, sessionId, 'one');
    await viewer.sees(PROMPT);
    await viewer.type('(python3 -m http.server 0 >/dev/null 2>&1 & echo pid-$!-); sleep 999\r');
    await viewer.sees(/pid-\d+-/);
    const left = Number(/pid-(\d+)-/.exec(viewer.text)![1]);
    const shell = server.info(sessionId)!.pid!;
    const { processes } = await server.call('terminal:processes', { sessionId }, viewer);
    expect(processes.map(({ pid }) => pid)).toContain(left);
    expect(await server.call('terminal:close', { sessionId }, viewer)).toEqual({ survivors: [] });
    expect([left, shell].map(isAlive)).toEqual([false, false]);
    expect(server.sessions().some(({ record }) => record.id === sessionId)).toBe(false);
    expect(server.canvases.cards().some((card) => card.sessionId === sessionId)).toBe(false);
    expect(journalFiles(sessionId)).toEqual([]);
  });

  it('pain 14: what the run before a restart has left behind is still its own: shown, and ended with it', async () => {
    const server = await Server.start();
    const sessionId = await create(server);
    const viewer = await Viewer.attach(server, sessionId, 'one');
    await viewer.sees(PROMPT);
    await viewer.type("trap '' HUP; sleep 4444 & echo pid-$!-; exit\r");
    await viewer.sees(/pid-\d+-/);
    const left = Number(/pid-(\d+)-/.exec(viewer.text)![1]);
    await server.until('the end', () => server.info(sessionId)?.state === 'ended');
    await server.call('terminal:restart', { sessionId, cols: 80, rows: 24 }, viewer);
    expect(isAlive(left)).toBe(true);
    const { processes } = await server.call('terminal:processes', { sessionId }, viewer);
    expect(processes).toContainEqual({ pid: left, command: 'sleep 4444' });
    expect(await server.call('terminal:close', { sessionId }, viewer)).toEqual({ survivors: [] });
    expect(isAlive(left)).toBe(false);
  });

  it('pain 14: closing names what has left the session', async () => {
    const server = await Server.start();
    const sessionId = await create(server);
    const viewer = await Viewer.attach(server, sessionId, 'one');
    await viewer.sees(PROMPT);
    const file = join(base, 'escaped');
    await viewer.type(`setsid sh -c 'echo $$ > ${file}; exec sleep 2222' & sleep 3333\r`);
    const pid = await server.until('it to run', () => existsSync(file) && Number(readFileSync(file, 'utf8')));
    const { survivors } = await server.call('terminal:close', { sessionId }, viewer);
    process.kill(pid, 'SIGKILL');
    expect(survivors).toEqual([{ pid, command: 'sleep 2222' }]);
  });

  it('pain 17: its programs see the environment of the person', async () => {
    const server = await Server.start();
    const sessionId = await create(server);
    const viewer = await Viewer.attach(server, sessionId, 'one', 300, 60);
    await viewer.sees(PROMPT);
    const file = join(base, 'env');
    await viewer.type(`env > ${file}; echo written-$((1+2))\r`);
    await viewer.sees('written-3');
    const names = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0]!);
    const ours = ['TERM', 'COLORTERM', 'TERM_PROGRAM', 'TERM_PROGRAM_VERSION'];
    const logins = ['HOME', 'LANG', 'LOGNAME', 'MY_LOGIN', 'PATH', 'PWD', 'SHELL', 'SHLVL', 'USER', '_'];
    expect(names.sort()).toEqual([...ours, ...logins].sort());
  });

  it('two tabs see one terminal: one size, that of the tab that typed last, and every byte in both', async () => {
    const server = await Server.start();
    const sessionId = await create(server);
    const wide = await Viewer.attach(server, sessionId, 'wide', 120, 40);
    const narrow = await Viewer.attach(server, sessionId, 'narrow', 60, 20);
    await wide.sees(PROMPT);
    await narrow.type(' ');
    await server.until('the size of the narrow one', () => narrow.size === '60x20' && wide.size === '60x20');
    await narrow.type('stty size; echo narrow-$((1+1))\r');
    await narrow.sees('20 60');
    await wide.sees('narrow-2');
    await wide.type(' ');
    await server.until('the size of the wide one', () => narrow.size === '120x40' && wide.size === '120x40');
    await wide.type('stty size; echo wide-$((1+1))\r');
    await wide.sees('40 120');
    await narrow.sees('wide-2');
    expect(server.info(sessionId)).toMatchObject({ cols: 120, rows: 40 });
  });

  it('a duplicate starts where the other is now', async () => {
    const server = await Server.start();
    const sessionId = await create(server);
    const viewer = await Viewer.attach(server, sessionId, 'one');
    await viewer.sees(PROMPT);
    await viewer.type('cd /usr\r');
    await server.until('the folder', () => server.info(sessionId)?.cwd === '/usr');
    const copy = await create(server, { likeSessionId: sessionId });
    expect(server.info(copy)).toMatchObject({ state: 'running', cwd: '/usr' });
  });

  it('tells what its shell tells: a command runs, it failed', async () => {
    const server = await Server.start();
    const sessionId = await create(server);
    const viewer = await Viewer.attach(server, sessionId, 'one');
    await viewer.sees(PROMPT);
    await viewer.type('read line; false\r');
    await server.until('busy', () => server.info(sessionId)?.busy === true);
    await viewer.type('\r');
    await server.until(
      'done',
      () => server.info(sessionId)?.busy === false && server.info(sessionId)?.lastStatus === 1,
    );
  });
});

function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

function journalFiles(sessionId: string): string[] {
  return execFileSync('find', [join(base, 'data'), '-type', 'f', '-path', `*${sessionId}*`], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
}

function journalHolds(sessionId: string, text: string): boolean {
  return journalFiles(sessionId).some((file) => readFileSync(file).includes(text));
}
