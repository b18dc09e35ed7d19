import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as headless from '@xterm/headless';
import { build } from 'esbuild';
import { nanoid } from 'nanoid';
import type { LaunchSpec } from '../../../schemas/pty-host';
import type { Exit, StreamHeader, Visibility } from '../../../schemas/terminals';

/** What the integration tests of this folder share: a real host from a fresh bundle, shells, viewers. */

const root = join(import.meta.dirname, '../../..');
const PATIENCE_MS = 20_000;

/** Bundles the pty host as the build does. */
export async function bundleHost(): Promise<{ directory: string; remove(): void }> {
  const directory = mkdtempSync(join(tmpdir(), 'tess-host-'));
  await build({
    entryPoints: [join(root, 'server/pty-host/main.ts')],
    outfile: join(directory, 'main.js'),
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
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** Of the processes that may be read: pid, parent and session. */
function processes(): { pid: number; parent: number; session: number }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
        const [, parent, , session] = stat
          .slice(stat.lastIndexOf(')') + 2)
          .split(' ')
          .map(Number);
        return [{ pid: Number(name), parent: parent!, session: session! }];
      } catch {
        return [];
      }
    });
}

/** The sessions that a host has started. */
const sessionsOf = (host: number): Set<number> =>
  new Set(processes().flatMap(({ pid, parent, session }) => (parent === host && session === pid ? [pid] : [])));

const members = (sessions: Set<number>): number[] =>
  processes().flatMap(({ pid, session }) => (sessions.has(session) ? [pid] : []));

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** A data folder of its own; `remove` also ends the host that has it, and whatever ran in it. */
export function dataFolder(): {
  dataDir: string;
  runDir: string;
  hostPid(): number | undefined;
  log(): string;
  remove(): Promise<void>;
} {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'tess-')));
  const dataDir = join(base, 'data');
  const runDir = join(base, 'run');
  mkdirSync(dataDir, { mode: 0o700 });
  const lockPath = join(dataDir, 'pty-host', 'host.json');
  const hostPid = (): number | undefined =>
    existsSync(lockPath) ? (JSON.parse(readFileSync(lockPath, 'utf8')) as { pid: number }).pid : undefined;
  return {
    dataDir,
    runDir,
    hostPid,
    log: () => readFileSync(join(dataDir, 'logs', 'pty-host.log'), 'utf8'),
    async remove() {
      const pid = hostPid();
      if (pid && isAlive(pid)) {
        const sessions = sessionsOf(pid);
        process.kill(pid, 'SIGKILL');
        await until('the host has ended', () => !isAlive(pid));
        for (const one of members(sessions)) killNow(one);
      }
      rmSync(base, { recursive: true, force: true });
    },
  };
}

export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

export async function until(
  what: string | (() => string),
  condition: () => boolean | Promise<boolean>,
  patience = PATIENCE_MS,
): Promise<void> {
  const end = performance.now() + patience;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`Waited in vain: ${typeof what === 'string' ? what : what()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export const PROMPT = 'ready> ';

/** A shell without anybody's start-up files. */
export function shellSpec(change: Partial<LaunchSpec> = {}): LaunchSpec {
  return {
    program: '/bin/bash',
    args: ['--norc', '--noprofile', '-i'],
    cwd: '/tmp',
    env: {
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      HOME: '/tmp',
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      PS1: PROMPT,
      HISTFILE: '',
    },
    cols: 100,
    rows: 30,
    scrollback: 10_000,
    journal: true,
    ...change,
  };
}

/** What a test drives of the client. */
export interface Caller {
  call(method: string, params: object, bytes?: Uint8Array): Promise<unknown>;
  notice(notice: string, params: object): void;
  on(event: 'data', listener: (viewerId: string, header: StreamHeader, bytes?: Buffer) => void): void;
}

// CommonJS: Node shows its classes on the default export.
const { Terminal } = (headless as unknown as { default: typeof headless }).default ?? headless;

/** What the tests look at inside of xterm.js. */
interface Inside {
  _inputHandler: { parse(bytes: Uint8Array): void };
  _bufferService: {
    buffers: {
      active: {
        scrollTop: number;
        ybase: number;
        lines: {
          length: number;
          get(y: number): { isWrapped: boolean; translateToString(trim: boolean): string } | undefined;
        };
      };
    };
  };
  coreService: { isCursorHidden: boolean };
  coreMouseService: { activeProtocol: string };
}

/** A viewer as a page is one: a terminal that takes what comes and acknowledges it. */
export class FakeViewer {
  readonly id = nanoid();
  readonly terminal: headless.Terminal;
  readonly core: Inside;
  readonly received = { raw: 0, frames: 0, frameBytes: 0, snapshots: 0, snapshotBytes: 0, largestPart: 0 };
  readonly faults: string[] = [];
  /** The program's own bytes as far as they came raw, by offset. */
  readonly raw: { offset: number; bytes: Buffer }[] = [];
  ended: Exit | undefined;
  acking = true;
  keepRaw = false;
  private next = -1;
  private snapshot: Buffer[] = [];
  private readonly inputId = nanoid();
  private seq = 0;

  private constructor(
    private readonly client: Caller,
    readonly sessionId: string,
    size: { cols: number; rows: number },
    scrollback: number,
  ) {
    this.terminal = new Terminal({ ...size, scrollback, allowProposedApi: true });
    this.core = (this.terminal as unknown as { _core: Inside })._core;
    client.on('data', (viewerId, header, bytes) => {
      if (viewerId === this.id) this.take(header, bytes ?? Buffer.alloc(0));
    });
  }

  static async attach(
    client: Caller,
    sessionId: string,
    options: { cols?: number; rows?: number; history?: number; visibility?: Visibility } = {},
  ): Promise<FakeViewer> {
    const { cols = 100, rows = 30, history = 10_000, visibility = 'live' } = options;
    const viewer = new FakeViewer(client, sessionId, { cols, rows }, 10_000);
    await client.call('attach', { viewerId: viewer.id, sessionId, cols, rows, history, visibility });
    return viewer;
  }

  async type(text: string): Promise<void> {
    await this.client.call(
      'input',
      { viewerId: this.id, sessionId: this.sessionId, inputId: this.inputId, seq: ++this.seq },
      Buffer.from(text),
    );
  }

  lines(): string[] {
    const buffer = this.core._bufferService.buffers.active;
    const lines: string[] = [];
    for (let y = 0; y < buffer.lines.length; y++) {
      const line = buffer.lines.get(y)!;
      const text = line.translateToString(true);
      if (line.isWrapped && lines.length) lines.push(lines.pop() + text);
      else lines.push(text);
    }
    while (lines.length && !lines.at(-1)) lines.pop();
    return lines;
  }

  sees(text: string | RegExp, patience?: number): Promise<void> {
    const seen = (): boolean => {
      const lines = this.lines();
      return typeof text === 'string'
        ? lines.some((line) => line.includes(text))
        : lines.some((line) => text.test(line));
    };
    return until(() => `the viewer sees ${text}; it sees:\n${this.lines().slice(-12).join('\n')}`, seen, patience);
  }

  private take(header: StreamHeader, bytes: Buffer): void {
    switch (header.kind) {
      case 'raw':
        if (this.next >= 0 && header.offset !== this.next)
          this.faults.push(`raw at ${header.offset} instead of ${this.next}`);
        this.next = header.offset + bytes.length;
        this.received.raw += bytes.length;
        if (this.keepRaw) this.raw.push({ offset: header.offset, bytes });
        this.core._inputHandler.parse(bytes);
        if (this.acking) this.client.notice('ack', { viewerId: this.id, offset: this.next });
        return;
      case 'frame':
        this.next = -1;
        this.received.frames++;
        this.received.frameBytes += bytes.length;
        this.core._inputHandler.parse(bytes);
        if (this.acking) this.client.notice('frameAck', { viewerId: this.id, frame: header.frame });
        return;
      case 'snapshot':
        if (header.part !== this.snapshot.length)
          this.faults.push(`part ${header.part} instead of ${this.snapshot.length}`);
        this.received.largestPart = Math.max(this.received.largestPart, bytes.length);
        this.snapshot.push(bytes);
        if (!header.last) return;
        this.terminal.resize(header.cols, header.rows);
        for (const part of this.snapshot) {
          this.received.snapshotBytes += part.length;
          this.core._inputHandler.parse(part);
        }
        this.snapshot = [];
        this.received.snapshots++;
        this.next = header.offset;
        if (this.acking) this.client.notice('ack', { viewerId: this.id, offset: header.offset });
        return;
      case 'size':
        this.terminal.resize(header.cols, header.rows);
        return;
      case 'ended':
        this.ended = header.exit;
        return;
      case 'started':
        this.ended = undefined;
    }
  }
}
