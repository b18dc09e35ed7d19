import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach } from 'vitest';
import type { CallArgs, CallName, CallResults } from '../../schemas/realtime';
import type { SessionInfo } from '../../schemas/terminals';
import { createCanvases } from '../canvas';
import { createProjects } from '../project';
import type { Broadcast, Tab } from '../realtime';
import { createSettings } from '../settings';
import { DATABASE_FILE, openStorage, type Storage } from '../storage';
import { FakePtyHost } from './fake-pty-host';
import { createTerminals } from './index';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A data folder, a project folder and a pty host for one unit test; servers come and go on them. */
export class Bench {
  root!: string;
  project!: string;
  storage!: Storage;
  /** Every event that was broadcast. */
  told: unknown[][] = [];
  journals!: Map<string, SessionInfo>;
  host!: FakePtyHost;
  private stops: (() => unknown)[] = [];
  private operation = 0;

  constructor() {
    beforeEach(() => {
      this.root = realpathSync(mkdtempSync(join(tmpdir(), 'tessera-terminals-')));
      this.project = join(this.root, 'project');
      mkdirSync(this.project);
      this.storage = openStorage(this.dataDir);
      this.told = [];
      this.journals = new Map();
      this.newHost();
    });
    afterEach(async () => {
      for (const stop of this.stops.splice(0)) await stop();
      this.storage.close();
      rmSync(this.root, { recursive: true, force: true });
    });
  }

  get dataDir(): string {
    return join(this.root, 'data');
  }

  /** A fresh pty host on the same disk. */
  newHost(): FakePtyHost {
    this.host = new FakePtyHost(this.journals);
    return this.host;
  }

  loseDatabase(): void {
    this.storage.close();
    rmSync(this.dataDir, { recursive: true });
    this.storage = openStorage(this.dataDir);
  }

  /** Another program's hands on the database. */
  sql(statement: string, ...values: unknown[]): void {
    const db = new Database(join(this.dataDir, DATABASE_FILE));
    db.prepare(statement).run(...values);
    db.close();
  }

  /** A server on the data folder, as after a restart. On a canvas that is not fresh nothing appears by itself. */
  async serve({ connect = () => this.host, fresh = false } = {}) {
    const { storage } = this;
    const broadcast: Broadcast = (event, ...args) => {
      this.told.push([event, ...args]);
    };
    const { canvases } = createCanvases({ storage, broadcast });
    const projects = createProjects({ storage, broadcast, canvases });
    const { canvas } = await projects.open(this.project);
    if (!fresh) {
      const box = { x: 0, y: 0, width: 300, height: 300, z: 0 };
      const item = { v: 1, kind: 'region', id: 'region-1', ...box, name: '', colour: 'blue' } as const;
      canvases.apply(canvas.id, 'operation-b', [{ type: 'put', item }]);
      canvases.apply(canvas.id, 'operation-c', [{ type: 'remove', id: item.id }]);
    }
    const settings = createSettings({ storage, broadcast });
    const terminals = createTerminals({
      storage,
      dataDir: this.dataDir,
      broadcast,
      settings,
      canvases,
      projects,
      userEnv: { HOME: this.root, PATH: '/usr/bin:/bin', SHELL: '/bin/bash' },
      integrationDir: join(import.meta.dirname, 'shell-integration'),
      version: '0.0.0',
      connect: async () => connect().connect(),
      log: silent,
    });
    terminals.start();
    await terminals.started;
    const stop = () => terminals.stop();
    this.stops.push(stop);
    const call = async <N extends CallName>(name: N, args: CallArgs<N>, from: Tab = tab()): Promise<CallResults[N]> =>
      terminals.room.calls[name]!(args as never, from) as Promise<CallResults[N]>;
    const create = (change: Partial<CallArgs<'terminal:create'>> = {}) => {
      this.operation += 1;
      return call('terminal:create', {
        ...{ opId: `operation-${this.operation}`, canvasId: canvas.id, x: 0, y: 0, width: 700, height: 430 },
        ...{ cols: 80, rows: 24 },
        ...change,
      });
    };
    const view = (id: string) => terminals.sessions().find(({ record }) => record.id === id);
    return { terminals, canvases, canvas, projects, settings, stop, call, create, view };
  }
}

/** An open tab that keeps what it is sent. */
export function tab(id = 'tab-1'): Tab & { received: unknown[][] } {
  const received: unknown[][] = [];
  return { id, browserSessionId: 'browser', received, emit: (...event) => void received.push(event) };
}

export async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('it never came true');
    await new Promise((next) => setTimeout(next, 5));
  }
}
