import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallArgs, CallName, CallResults } from '../../schemas/realtime';
import { FailureError } from '../../schemas/result';
import { type SessionInfo, type SessionView, TerminalLimits } from '../../schemas/terminals';
import { createCanvases } from '../canvas';
import { createProjects } from '../project';
import type { Broadcast, Tab } from '../realtime/types';
import { createSettings } from '../settings';
import { DATABASE_FILE, openStorage, type Storage } from '../storage';
import { FakePtyHost } from './fake-pty-host';
import { createTerminals } from './index';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

let root: string;
let project: string;
let storage: Storage;
let told: unknown[][];
let journals: Map<string, SessionInfo>;
let host: FakePtyHost;
let stops: (() => unknown)[];
let operation: number;

const tell: Broadcast = (event, ...args) => {
  told.push([event, ...args]);
};

function tab(id = 'tab-1'): Tab & { received: unknown[][] } {
  const received: unknown[][] = [];
  return { id, browserSessionId: 'browser', received, emit: (...event) => void received.push(event) };
}

/** A server on the data folder, as after a restart. */
async function serve(connect: () => FakePtyHost = () => host, used = true) {
  const { canvases } = createCanvases({ storage, broadcast: tell });
  const projects = createProjects({ storage, broadcast: tell, canvases });
  const { canvas } = await projects.open(project);
  // On a canvas on which something was done before, nothing appears by itself.
  if (used) {
    const box = { x: 0, y: 0, width: 300, height: 300, z: 0 };
    const item = { v: 1, kind: 'region', id: 'region-1', ...box, name: '', colour: 'blue' } as const;
    canvases.apply(canvas.id, 'operation-b', [{ type: 'put', item }]);
    canvases.apply(canvas.id, 'operation-c', [{ type: 'remove', id: item.id }]);
  }
  const settings = createSettings({ storage, broadcast: tell });
  const terminals = createTerminals({
    storage,
    dataDir: join(root, 'data'),
    broadcast: tell,
    settings,
    canvases,
    projects,
    userEnv: { HOME: root, PATH: '/usr/bin:/bin', SHELL: '/bin/bash' },
    integrationDir: join(import.meta.dirname, 'shell-integration'),
    version: '0.0.0',
    connect: async () => connect().connect(),
    log: silent,
  });
  terminals.start();
  await terminals.started;
  const stop = () => terminals.stop();
  stops.push(stop);
  const call = async <N extends CallName>(name: N, args: CallArgs<N>, from: Tab = tab()): Promise<CallResults[N]> =>
    terminals.room.calls[name]!(args as never, from) as Promise<CallResults[N]>;
  const create = (change: Partial<CallArgs<'terminal:create'>> = {}) => {
    operation += 1;
    return call('terminal:create', {
      ...{ opId: `operation-${operation}`, canvasId: canvas.id, x: 0, y: 0, width: 700, height: 430 },
      ...{ cols: 80, rows: 24 },
      ...change,
    });
  };
  const view = (id: string) => terminals.sessions().find(({ record }) => record.id === id);
  return { terminals, canvases, canvas, settings, stop, call, create, view };
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('it never came true');
    await new Promise((next) => setTimeout(next, 5));
  }
}

function sql(statement: string, ...values: unknown[]): void {
  const db = new Database(join(root, 'data', DATABASE_FILE));
  db.prepare(statement).run(...values);
  db.close();
}

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tessera-terminals-')));
  project = join(root, 'project');
  mkdirSync(project);
  storage = openStorage(join(root, 'data'));
  told = [];
  journals = new Map();
  host = new FakePtyHost(journals);
  stops = [];
  operation = 0;
});
afterEach(async () => {
  for (const stop of stops) await stop();
  storage.close();
  rmSync(root, { recursive: true, force: true });
});

describe('a project that is opened for the first time', () => {
  it('has a shell on its canvas, once', async () => {
    const server = await serve(() => host, false);
    expect(server.canvases.cards()).toMatchObject([{ canvasId: server.canvas.id, width: 700 }]);
    const [{ record, info }] = server.terminals.sessions() as [SessionView];
    expect([record.cwd, info!.state]).toEqual([project, 'running']);
    await server.call('terminal:close', { sessionId: record.id });
    await server.stop();
    expect((await serve(() => host, false)).canvases.cards()).toEqual([]);
  });
});

describe('making a terminal', () => {
  it('starts the shell in the folder of the project, once per opId, over a restart too', async () => {
    const server = await serve();
    told = [];
    const made = await server.create({ opId: 'operation-x' });
    expect(made.item).toMatchObject({ kind: 'terminal', sessionId: made.session.record.id, width: 700 });
    expect(made.session).toMatchObject({ record: { cwd: project, args: [] }, info: { state: 'running' } });
    expect(host.specs.get(made.session.record.id)).toMatchObject({ cwd: project, cols: 80, scrollback: 10_000 });
    const order = told.map(([event]) => event);
    expect(order.indexOf('session:changed')).toBeLessThan(order.indexOf('canvas:changed'));
    const again = await server.create({ opId: 'operation-x' });
    expect(again.session.record.id).toBe(made.session.record.id);
    await server.stop();
    const next = await serve();
    const [first, second] = await Promise.all([
      next.create({ opId: 'operation-x' }),
      next.create({ opId: 'operation-x' }),
    ]);
    expect(first).toEqual({ item: made.item, session: next.view(made.session.record.id) });
    expect(second).toEqual(first);
    expect(host.called('start')).toHaveLength(1);
  });

  it('leaves nothing when it cannot be started, or cannot be stored', async () => {
    const server = await serve();
    host.failing.set('start', new FailureError('spawn-failed', 'no more processes'));
    await expect(server.create()).rejects.toMatchObject({ code: 'spawn-failed' });
    host.failing.clear();
    sql(`CREATE TRIGGER full BEFORE INSERT ON sessions BEGIN SELECT RAISE(ABORT, 'full'); END`);
    await expect(server.create()).rejects.toThrow('full');
    expect(server.terminals.sessions()).toEqual([]);
    expect(server.canvases.cards()).toEqual([]);
    expect(host.sessions.size).toBe(0);
  });

  it('says at once that a program is missing', async () => {
    const server = await serve();
    sql(`INSERT INTO settings VALUES ('shell', '', 1, '{"v":1,"id":"shell","value":"/gone/zsh"}', 0)`);
    await server.stop();
    const next = await serve();
    await expect(next.create()).rejects.toMatchObject({ code: 'program-missing', params: { program: '/gone/zsh' } });
    expect(host.called('start')).toEqual([]);
  });

  it('duplicates program and current folder of another', async () => {
    const server = await serve();
    const { session } = await server.create();
    mkdirSync(join(project, 'deep'));
    host.change(session.record.id, { cwd: join(project, 'deep') });
    const copy = await server.create({ likeSessionId: session.record.id });
    expect(copy.session.record).toMatchObject({ cwd: join(project, 'deep'), program: session.record.program });
  });

  it(`refuses more than ${TerminalLimits.maxSessions}`, async () => {
    const server = await serve();
    for (let i = 0; i < TerminalLimits.maxSessions; i += 1) await server.create();
    await expect(server.create()).rejects.toMatchObject({ code: 'too-many-sessions' });
  });

  it('pain 18: a folder that is gone: the nearest above it, with a notice', async () => {
    const server = await serve();
    const gone = join(project, 'a', 'b');
    const { session } = await server.create({ cwd: gone });
    expect(session).toMatchObject({
      record: { cwd: project },
      info: { notice: { code: 'folder-missing', params: { folder: gone, used: project } } },
    });
  });
});

describe('a new server', () => {
  it('adopts what runs and starts nothing again', async () => {
    const first = await serve();
    const { session } = await first.create();
    await first.stop();
    const second = await serve();
    expect(second.view(session.record.id)).toMatchObject({ record: session.record, info: { state: 'running' } });
    expect(second.view(session.record.id)!.info!.revision).toBeGreaterThanOrEqual(session.info!.revision);
    expect(host.called('start')).toHaveLength(1);
    expect(host.called('restore')).toEqual([]);
  });

  it('brings ended ones back from their journal when the pty host is gone, and shows those without one', async () => {
    const first = await serve();
    const kept = (await first.create()).session.record.id;
    const bare = (await first.create()).session.record.id;
    host.change(kept, { title: 'the title', lastLine: 'the end' });
    await first.call('terminal:journal', { sessionId: bare, on: false });
    await first.stop();
    host = new FakePtyHost(journals);
    const second = await serve();
    await until(() => second.terminals.sessions().every(({ info }) => info));
    expect(second.view(kept)!.info).toMatchObject({ state: 'ended', exit: {}, lastLine: 'the end' });
    expect(second.view(bare)!.info).toMatchObject({ state: 'ended', exit: {}, lastLine: '' });
    const attach = { viewerId: 'viewer-1', cols: 80, rows: 24, history: 100, visibility: 'live' as const };
    await expect(second.call('terminal:attach', { ...attach, sessionId: bare })).rejects.toMatchObject({
      code: 'no-screen',
    });
    expect(await second.call('terminal:attach', { ...attach, sessionId: kept })).toMatchObject({
      info: { state: 'ended' },
    });
    expect(await second.call('terminal:restart', { sessionId: bare, cols: 90, rows: 30 })).toMatchObject({
      record: { id: bare },
      info: { state: 'running', cols: 90 },
    });
    await second.call('terminal:attach', { ...attach, sessionId: bare });
  });

  it('recovers what runs although nothing is stored of it', async () => {
    const first = await serve();
    const { session } = await first.create();
    const id = session.record.id;
    await first.stop();
    storage.close();
    rmSync(join(root, 'data'), { recursive: true });
    storage = openStorage(join(root, 'data'));
    const second = await serve();
    const [card] = second.canvases.cards();
    expect(second.canvases.get(card!.canvasId).name).toBe('Recovered');
    expect(second.view(id)).toMatchObject({ record: { cwd: project }, info: { state: 'running' } });
    await second.stop();
    expect((await serve()).canvases.cards()).toHaveLength(1);
  });

  it('a session whose record cannot be read is shown, works, and its record stays as it is', async () => {
    const first = await serve();
    const { session } = await first.create();
    const other = (await first.create()).session.record.id;
    const id = session.record.id;
    await first.stop();
    sql(`UPDATE sessions SET json = '{"v":1' WHERE id = ?`, id);
    const second = await serve();
    expect(second.view(other)).toBeDefined();
    expect(second.view(id)).toMatchObject({ record: { id }, info: { state: 'running' } });
    expect(second.terminals.corrupt()).toEqual([{ table: 'sessions', id, reason: expect.stringMatching('not JSON') }]);
    await expect(second.call('terminal:rename', { sessionId: id, name: 'x' })).rejects.toMatchObject({
      code: 'record-corrupt',
    });
    expect(second.canvases.cards()).toHaveLength(2);
    await second.call('terminal:close', { sessionId: id });
    expect(second.terminals.corrupt()).toEqual([]);
    expect([...host.sessions.keys()]).toEqual([other]);
  });

  it('gives a terminal whose card was unreadable a new one when a person discards that', async () => {
    const first = await serve();
    const { session, item } = await first.create();
    await first.stop();
    sql(`UPDATE canvas_items SET json = 'x' WHERE id = ?`, item.id);
    const second = await serve();
    expect(second.canvases.cards()).toEqual([]);
    second.canvases.discardCorrupt(second.canvas.id, item.id);
    expect(second.canvases.cards()).toMatchObject([{ sessionId: session.record.id, canvasId: second.canvas.id }]);
  });

  it('finishes closing what the last one had begun to close', async () => {
    const first = await serve();
    const { session } = await first.create();
    host.failing.set('forget', new FailureError('timeout', 'no answer'));
    await first.call('terminal:close', { sessionId: session.record.id });
    host.failing.clear();
    await first.stop();
    const second = await serve();
    expect(second.terminals.sessions()).toEqual([]);
    expect(second.canvases.cards()).toEqual([]);
    expect(host.sessions.size + journals.size).toBe(0);
  });
});

describe('a pty host that dies', () => {
  it('its sessions end with the reason, a fresh one brings them back and views are attached again', async () => {
    const server = await serve();
    const { session } = await server.create();
    const id = session.record.id;
    const page = tab();
    const attach = { viewerId: 'viewer-1', cols: 80, rows: 24, history: 100, visibility: 'live' as const };
    await server.call('terminal:attach', { ...attach, sessionId: id }, page);
    await server.call('terminal:size', { viewerId: 'viewer-1', cols: 120, rows: 40 }, page);
    const before = server.view(id)!.info!.revision;
    const old = host;
    host = new FakePtyHost(journals);
    told = [];
    old.die();
    await until(() => host.called('attach').length > 0);
    expect(told.filter(([event]) => event === 'pty-host:changed')).toEqual([
      ['pty-host:changed', { state: 'starting' }],
      ['pty-host:changed', { state: 'connected' }],
    ]);
    expect(server.view(id)!.info).toMatchObject({ state: 'ended', notice: { code: 'pty-host-gone' } });
    expect(server.view(id)!.info!.revision).toBeGreaterThan(before);
    expect(host.called('attach')).toEqual([
      { ...attach, viewerId: 'tab-1:viewer-1', sessionId: id, cols: 120, rows: 40 },
    ]);
    const restarted = await server.call('terminal:restart', { sessionId: id, cols: 80, rows: 24 });
    expect(restarted.info).toMatchObject({ state: 'running' });
    expect(restarted.info!.notice).toBeUndefined();
  });

  it('is tried again until it is there; meanwhile calls say why they fail', async () => {
    let refused = 0;
    const server = await serve(() => {
      if (host.alive) return host;
      refused += 1;
      if (refused === 3) host = new FakePtyHost(journals);
      throw new FailureError('pty-host-failed', 'cannot be started');
    });
    const { session } = await server.create();
    host.die();
    await until(() => server.terminals.ptyHost().state === 'gone');
    expect(server.view(session.record.id)!.info).toMatchObject({ state: 'ended', notice: { code: 'pty-host-gone' } });
    await expect(server.create()).rejects.toMatchObject({ code: 'pty-host-failed' });
    await until(() => server.terminals.ptyHost().state === 'connected');
    expect(refused).toBe(3);
  });

  it('of another version is said and nothing is called ended', async () => {
    const first = await serve();
    await first.create();
    await first.stop();
    const second = await serve(() => {
      throw new FailureError('pty-host-mismatch', 'an older version runs');
    });
    expect(second.terminals.ptyHost()).toMatchObject({ state: 'mismatch', reason: { code: 'pty-host-mismatch' } });
    expect(second.terminals.sessions()[0]!.info).toBeUndefined();
  });
});

describe('streams and input', () => {
  it('bytes go to the tab that attached, untouched, and stop when it is gone', async () => {
    const server = await serve();
    const sessionId = (await server.create()).session.record.id;
    const [one, two] = [tab('tab-1'), tab('tab-2')];
    const attach = { viewerId: 'viewer-1', sessionId, cols: 80, rows: 24, history: 0, visibility: 'live' as const };
    await server.call('terminal:attach', attach, one);
    await server.call('terminal:attach', attach, two);
    const bytes = Buffer.from([0xff, 0x00]);
    host.events.emit('data', 'tab-2:viewer-1', { kind: 'raw', offset: 5 }, bytes);
    host.events.emit('data', 'tab-1:viewer-1', { kind: 'started', offset: 9 });
    expect(one.received).toEqual([['terminal:data', 'viewer-1', { kind: 'started', offset: 9 }]]);
    expect(two.received).toEqual([['terminal:data', 'viewer-1', { kind: 'raw', offset: 5 }, bytes]]);
    expect(two.received[0]![3]).toBe(bytes);
    server.terminals.room.tabGone!(two);
    host.events.emit('data', 'tab-2:viewer-1', { kind: 'raw', offset: 7 }, bytes);
    expect(two.received).toHaveLength(1);
    expect(host.called('detach')).toEqual([{ viewerId: 'tab-2:viewer-1' }]);
  });

  it('input carries the name of the viewer that outlives its socket, and must be bytes of bounded size', async () => {
    const server = await serve();
    const sessionId = (await server.create()).session.record.id;
    const input = { viewerId: 'viewer-1', sessionId, seq: 1 };
    const bytes = Buffer.from('ls\r');
    await server.call('terminal:input', { ...input, bytes });
    expect(host.calls.at(-1)).toEqual({
      method: 'input',
      params: { sessionId, inputId: 'viewer-1', seq: 1 },
      bytes,
    });
    expect(host.calls.at(-1)!.bytes).toBe(bytes);
    await expect(
      server.call('terminal:input', { ...input, bytes: Buffer.alloc(TerminalLimits.maxInputBytes + 1) }),
    ).rejects.toMatchObject({ code: 'input-too-large' });
    await expect(
      server.call('terminal:input', { ...input, bytes: 'ls' as unknown as Uint8Array }),
    ).rejects.toMatchObject({ code: 'bad-input' });
    await expect(server.call('terminal:size', { viewerId: 'viewer-9', cols: 80, rows: 24 })).rejects.toMatchObject({
      code: 'viewer-missing',
    });
  });
});

describe('the life of a session', () => {
  it('pain 16: killed from outside it stays with its card, says the signal and restarts under the same id', async () => {
    const server = await serve();
    const sessionId = (await server.create()).session.record.id;
    host.change(sessionId, { state: 'ended', exit: { signal: 'SIGKILL' }, lastLine: 'last words' });
    expect(server.view(sessionId)!.info).toMatchObject({ exit: { signal: 'SIGKILL' }, lastLine: 'last words' });
    expect(server.canvases.cards()).toHaveLength(1);
    const restart = () => server.call('terminal:restart', { sessionId, cols: 80, rows: 24 });
    expect(await restart()).toMatchObject({ record: { id: sessionId }, info: { state: 'running' } });
    await restart();
    expect(host.called('restart')).toHaveLength(1);
  });

  it('pain 18: restarts where it was last, even after everything died', async () => {
    const server = await serve();
    const sessionId = (await server.create()).session.record.id;
    mkdirSync(join(project, 'deep', 'er'), { recursive: true });
    host.change(sessionId, { cwd: join(project, 'deep', 'er') });
    await server.stop();
    journals.clear();
    host = new FakePtyHost(journals);
    const next = await serve();
    rmSync(join(project, 'deep', 'er'), { recursive: true });
    const { info } = await next.call('terminal:restart', { sessionId, cols: 80, rows: 24 });
    expect(host.specs.get(sessionId)!.cwd).toBe(join(project, 'deep'));
    expect(info!.notice).toEqual({
      code: 'folder-missing',
      params: { folder: join(project, 'deep', 'er'), used: join(project, 'deep') },
    });
  });

  it('is renamed, and gets the name of its program back', async () => {
    const server = await serve();
    const sessionId = (await server.create()).session.record.id;
    await server.call('terminal:rename', { sessionId, name: 'Сборка' });
    await server.stop();
    const next = await serve();
    expect(next.view(sessionId)!.record.name).toBe('Сборка');
    expect((await next.call('terminal:rename', { sessionId, name: null })).record.name).toBeUndefined();
  });

  it('is closed once: ended with grace, forgotten, its card and record gone', async () => {
    const server = await serve();
    const sessionId = (await server.create()).session.record.id;
    await Promise.all([server.call('terminal:close', { sessionId }), server.call('terminal:close', { sessionId })]);
    expect(host.called('end')).toEqual([{ sessionId, graceMs: 1500 }]);
    expect(host.called('forget')).toEqual([{ sessionId }]);
    expect(told).toContainEqual(['session:removed', { sessionId }]);
    expect(await server.call('terminal:close', { sessionId })).toEqual({ survivors: [] });
    await expect(server.call('terminal:restart', { sessionId, cols: 80, rows: 24 })).rejects.toMatchObject({
      code: 'session-missing',
    });
    await server.stop();
    expect((await serve()).terminals.sessions()).toEqual([]);
  });

  it('a canvas goes with its ended terminals, not with running ones', async () => {
    const server = await serve();
    const other = server.canvases.create('operation-x', server.canvas.projectId, 'Other');
    const sessionId = (await server.create({ canvasId: other.id })).session.record.id;
    await expect(server.canvases.delete(other.id)).rejects.toMatchObject({ code: 'canvas-busy' });
    host.change(sessionId, { state: 'ended', exit: { code: 0 } });
    await server.canvases.delete(other.id);
    expect(server.terminals.sessions()).toEqual([]);
    expect(host.sessions.size).toBe(0);
  });
});
