import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CanvasLimits } from '../../schemas/canvas';
import { FailureError } from '../../schemas/result';
import { type SessionView, TerminalLimits } from '../../schemas/terminals';
import type { Tab } from '../realtime';
import { Bench, tab, until } from './testing';

const bench = new Bench();
type Served = Awaited<ReturnType<Bench['serve']>>;

describe('a project that is opened for the first time', () => {
  it('has a shell on its canvas, once', async () => {
    const server = await bench.serve({ fresh: true });
    expect(server.canvases.cards()).toMatchObject([{ canvasId: server.canvas.id, width: CanvasLimits.card.width }]);
    const [{ record, info }] = server.terminals.sessions() as [SessionView];
    expect([record.cwd, info!.state]).toEqual([bench.project, 'running']);
    await server.call('terminal:close', { sessionId: record.id });
    await server.stop();
    expect((await bench.serve({ fresh: true })).canvases.cards()).toEqual([]);
  });

  it('has it too when it is opened while the server runs', async () => {
    const server = await bench.serve();
    const folder = join(bench.root, 'another');
    mkdirSync(folder);
    const { canvas } = await server.projects.open(folder);
    expect(server.canvases.cards()).toMatchObject([{ canvasId: canvas.id }]);
    expect(server.terminals.sessions().map(({ record }) => record.cwd)).toEqual([folder]);
    await server.projects.open(folder);
    expect(server.canvases.cards(canvas.id)).toHaveLength(1);
  });

  it('opens without one where it cannot be started', async () => {
    const server = await bench.serve();
    bench.host.failing.set('start', new FailureError('spawn-failed', 'no more processes'));
    const folder = join(bench.root, 'another');
    mkdirSync(folder);
    const { canvas } = await server.projects.open(folder);
    expect(server.canvases.cards(canvas.id)).toEqual([]);
  });
});

describe('making a terminal', () => {
  it('starts the shell in the folder of the project, once per opId, over a restart too', async () => {
    const server = await bench.serve();
    bench.told = [];
    const made = await server.create({ opId: 'operation-x' });
    expect(made.item).toMatchObject({ kind: 'terminal', sessionId: made.session.record.id, width: 700 });
    expect(made.session).toMatchObject({ record: { cwd: bench.project, args: [] }, info: { state: 'running' } });
    expect(bench.host.specs.get(made.session.record.id)).toMatchObject({
      cwd: bench.project,
      cols: 80,
      scrollback: 10_000,
    });
    const order = bench.told.map(([event]) => event);
    expect(order.indexOf('session:changed')).toBeLessThan(order.indexOf('canvas:changed'));
    const again = await server.create({ opId: 'operation-x' });
    expect(again.session.record.id).toBe(made.session.record.id);
    await server.stop();
    const next = await bench.serve();
    const [first, second] = await Promise.all([
      next.create({ opId: 'operation-x' }),
      next.create({ opId: 'operation-x' }),
    ]);
    expect(first).toEqual({ item: made.item, session: next.view(made.session.record.id) });
    expect(second).toEqual(first);
    expect(bench.host.called('start')).toHaveLength(1);
  });

  it('refuses an opId that made another terminal, or is making one', async () => {
    const server = await bench.serve();
    const other = server.canvases.create('operation-y', server.canvas.projectId, 'Other');
    const making = server.create({ opId: 'operation-x' });
    const reused = { code: 'operation-reused' };
    await expect(server.create({ opId: 'operation-x', canvasId: other.id })).rejects.toMatchObject(reused);
    await making;
    await expect(server.create({ opId: 'operation-x', canvasId: other.id })).rejects.toMatchObject(reused);
    await expect(server.create({ opId: 'operation-y' })).rejects.toMatchObject(reused);
    expect([server.terminals.sessions().length, server.canvases.cards(other.id)]).toEqual([1, []]);
  });

  it('leaves nothing when it cannot be started, or cannot be stored', async () => {
    const server = await bench.serve();
    bench.host.failing.set('start', new FailureError('spawn-failed', 'no more processes'));
    await expect(server.create()).rejects.toMatchObject({ code: 'spawn-failed' });
    bench.host.failing.clear();
    bench.sql(`CREATE TRIGGER full BEFORE INSERT ON sessions BEGIN SELECT RAISE(ABORT, 'full'); END`);
    await expect(server.create()).rejects.toThrow('full');
    expect(server.terminals.sessions()).toEqual([]);
    expect(server.canvases.cards()).toEqual([]);
    expect(bench.host.sessions.size).toBe(0);
  });

  it('ends a session whose start was given up and that comes to be all the same', async () => {
    const server = await bench.serve();
    const info = (await server.create()).session.info!;
    bench.host.failing.set('start', new FailureError('pty-host-timeout', 'no answer in time'));
    await expect(server.create({ opId: 'operation-late' })).rejects.toMatchObject({ code: 'pty-host-timeout' });
    const late = bench.host.called('start').at(-1)!.sessionId as string;
    bench.host.sessions.set(late, { ...info, sessionId: late });
    bench.host.change(late, {});
    await until(() => !bench.host.sessions.has(late));
    expect(server.terminals.sessions()).toHaveLength(1);
  });

  it('says at once that a program is missing', async () => {
    const server = await bench.serve();
    bench.sql(`INSERT INTO settings VALUES ('shell', '', 1, '{"v":1,"id":"shell","value":"/gone/zsh"}', 0)`);
    await server.stop();
    const next = await bench.serve();
    await expect(next.create()).rejects.toMatchObject({ code: 'program-missing', params: { program: '/gone/zsh' } });
    expect(bench.host.called('start')).toEqual([]);
  });

  it('duplicates program and current folder of another', async () => {
    const server = await bench.serve();
    const { session } = await server.create();
    mkdirSync(join(bench.project, 'deep'));
    bench.host.change(session.record.id, { cwd: join(bench.project, 'deep') });
    const copy = await server.create({ likeSessionId: session.record.id });
    expect(copy.session.record).toMatchObject({ cwd: join(bench.project, 'deep'), program: session.record.program });
  });

  it(`refuses more than ${TerminalLimits.maxSessions}`, async () => {
    const server = await bench.serve();
    for (let i = 0; i < TerminalLimits.maxSessions; i += 1) await server.create();
    await expect(server.create()).rejects.toMatchObject({ code: 'too-many-sessions' });
  });

  it('pain 18: a folder that is gone: the nearest above it, with a notice', async () => {
    const server = await bench.serve();
    const gone = join(bench.project, 'a', 'b');
    const { session } = await server.create({ cwd: gone });
    expect(session).toMatchObject({
      record: { cwd: bench.project },
      info: { notice: { code: 'folder-missing', params: { folder: gone, used: bench.project } } },
    });
  });
});

describe('streams and input', () => {
  it('bytes go to the tab that attached, untouched, and stop when it is gone', async () => {
    const server = await bench.serve();
    const sessionId = (await server.create()).session.record.id;
    const [one, two] = [tab('tab-1'), tab('tab-2')];
    const attach = { viewerId: 'viewer-1', sessionId, cols: 80, rows: 24, history: 0, visibility: 'live' as const };
    await server.call('terminal:attach', attach, one);
    await server.call('terminal:attach', attach, two);
    const bytes = Buffer.alloc(2000, 0xff);
    bench.host.events.emit('data', 'tab-2:viewer-1', { kind: 'raw', offset: 5 }, bytes);
    bench.host.events.emit('data', 'tab-1:viewer-1', { kind: 'started', offset: 9 });
    expect(one.received).toEqual([['terminal:data', 'viewer-1', { kind: 'started', offset: 9 }]]);
    expect(two.received).toEqual([['terminal:data', 'viewer-1', { kind: 'raw', offset: 5 }, bytes]]);
    expect(two.received[0]![3]).toBe(bytes);
    server.terminals.room.tabGone!(two);
    bench.host.events.emit('data', 'tab-2:viewer-1', { kind: 'raw', offset: 2005 }, bytes);
    expect(two.received).toHaveLength(1);
    expect(bench.host.called('detach')).toEqual([{ viewerId: 'tab-2:viewer-1' }]);
  });

  it.each([
    ['goes', (server: Served, page: Tab) => server.terminals.room.tabGone!(page)],
    [
      'takes its view back',
      (server: Served, page: Tab) => server.call('terminal:detach', { viewerId: 'viewer-1' }, page),
    ],
  ])('a tab that %s while it waits for its terminal leaves no view behind', async (_, leave) => {
    const first = await bench.serve();
    const sessionId = (await first.create()).session.record.id;
    await first.stop();
    const host = bench.newHost();
    let go = (): void => undefined;
    host.slow.set(
      'restore',
      new Promise<void>((done) => {
        go = done;
      }),
    );
    const server = await bench.serve();
    const page = tab();
    const attach = { viewerId: 'viewer-1', sessionId, cols: 80, rows: 24, history: 0, visibility: 'live' as const };
    const attached = server.call('terminal:attach', attach, page);
    await until(() => host.called('restore').length > 0);
    await leave(server, page);
    go();
    await expect(attached).rejects.toMatchObject({ code: 'viewer-missing' });
    expect(host.called('attach')).toEqual([]);
  });

  it('input carries the name of the viewer that outlives its socket, and must be bytes of bounded size', async () => {
    const server = await bench.serve();
    const sessionId = (await server.create()).session.record.id;
    const input = { viewerId: 'viewer-1', sessionId, seq: 1 };
    const bytes = Buffer.from('ls\r');
    await server.call('terminal:input', { ...input, bytes });
    expect(bench.host.calls.at(-1)).toEqual({
      method: 'input',
      params: { sessionId, inputId: 'viewer-1', seq: 1 },
      bytes,
    });
    expect(bench.host.calls.at(-1)!.bytes).toBe(bytes);
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
    const server = await bench.serve();
    const sessionId = (await server.create()).session.record.id;
    bench.host.change(sessionId, { state: 'ended', exit: { signal: 'SIGKILL' }, lastLine: 'last words' });
    expect(server.view(sessionId)!.info).toMatchObject({ exit: { signal: 'SIGKILL' }, lastLine: 'last words' });
    expect(server.canvases.cards()).toHaveLength(1);
    const restart = () => server.call('terminal:restart', { sessionId, cols: 80, rows: 24 });
    expect(await restart()).toMatchObject({ record: { id: sessionId }, info: { state: 'running' } });
    await restart();
    expect(bench.host.called('restart')).toHaveLength(1);
  });

  it('started again by two tabs at once runs once, and both hear that it runs', async () => {
    const server = await bench.serve();
    const sessionId = (await server.create()).session.record.id;
    bench.host.change(sessionId, { state: 'ended', exit: { code: 0 } });
    let go = (): void => undefined;
    bench.host.slow.set(
      'restart',
      new Promise<void>((done) => {
        go = done;
      }),
    );
    const restart = () => server.call('terminal:restart', { sessionId, cols: 80, rows: 24 });
    const both = Promise.all([restart(), restart()]);
    await until(() => bench.host.called('restart').length === 2);
    go();
    expect(await both).toMatchObject([{ info: { state: 'running' } }, { info: { state: 'running' } }]);
  });

  it('whose journal cannot be read takes it along when it is closed', async () => {
    const first = await bench.serve();
    const sessionId = (await first.create()).session.record.id;
    await first.stop();
    const host = bench.newHost();
    host.failing.set('restore', new FailureError('internal', 'cannot be read'));
    const server = await bench.serve();
    await until(() => server.view(sessionId)!.info?.notice?.code === 'journal-unreadable');
    await server.call('terminal:close', { sessionId });
    expect([host.called('end'), host.called('forget')]).toEqual([[], [{ sessionId }]]);
    expect(bench.journals.size).toBe(0);
  });

  it('pain 18: restarts where it was last, even after everything died', async () => {
    const server = await bench.serve();
    const sessionId = (await server.create()).session.record.id;
    mkdirSync(join(bench.project, 'deep', 'er'), { recursive: true });
    bench.host.change(sessionId, { cwd: join(bench.project, 'deep', 'er') });
    await server.stop();
    bench.journals.clear();
    bench.newHost();
    const next = await bench.serve();
    rmSync(join(bench.project, 'deep', 'er'), { recursive: true });
    const { info } = await next.call('terminal:restart', { sessionId, cols: 80, rows: 24 });
    expect(bench.host.specs.get(sessionId)!.cwd).toBe(join(bench.project, 'deep'));
    expect(info!.notice).toEqual({
      code: 'folder-missing',
      params: { folder: join(bench.project, 'deep', 'er'), used: join(bench.project, 'deep') },
    });
  });

  it('is renamed, and gets the name of its program back', async () => {
    const server = await bench.serve();
    const sessionId = (await server.create()).session.record.id;
    await server.call('terminal:rename', { sessionId, name: 'Сборка' });
    await server.stop();
    const next = await bench.serve();
    expect(next.view(sessionId)!.record.name).toBe('Сборка');
    expect((await next.call('terminal:rename', { sessionId, name: null })).record.name).toBeUndefined();
  });

  it('is closed once: ended with grace, forgotten, its card and record gone', async () => {
    const server = await bench.serve();
    const sessionId = (await server.create()).session.record.id;
    await Promise.all([server.call('terminal:close', { sessionId }), server.call('terminal:close', { sessionId })]);
    expect(bench.host.called('end')).toEqual([{ sessionId, graceMs: 1500 }]);
    expect(bench.host.called('forget')).toEqual([{ sessionId }]);
    expect(bench.told).toContainEqual(['session:removed', { sessionId }]);
    expect(await server.call('terminal:close', { sessionId })).toEqual({ survivors: [] });
    await expect(server.call('terminal:restart', { sessionId, cols: 80, rows: 24 })).rejects.toMatchObject({
      code: 'session-missing',
    });
    await server.stop();
    expect((await bench.serve()).terminals.sessions()).toEqual([]);
  });

  it('is not started again while it is closed', async () => {
    const server = await bench.serve();
    const sessionId = (await server.create()).session.record.id;
    bench.host.change(sessionId, { state: 'ended', exit: { code: 0 } });
    let go = (): void => undefined;
    bench.host.slow.set(
      'end',
      new Promise<void>((done) => {
        go = done;
      }),
    );
    const closed = server.call('terminal:close', { sessionId });
    await until(() => bench.host.called('end').length > 0);
    const missing = { code: 'session-missing' };
    await expect(server.call('terminal:restart', { sessionId, cols: 80, rows: 24 })).rejects.toMatchObject(missing);
    go();
    await closed;
    expect([bench.host.called('restart'), [...bench.host.sessions]]).toEqual([[], []]);
  });

  it('that was started again just before it was closed is ended all the same', async () => {
    const server = await bench.serve();
    const sessionId = (await server.create()).session.record.id;
    bench.host.change(sessionId, { state: 'ended', exit: { code: 0 } });
    let go = (): void => undefined;
    bench.host.slow.set(
      'forget',
      new Promise<void>((done) => {
        go = done;
      }),
    );
    const closed = server.call('terminal:close', { sessionId });
    await until(() => bench.host.called('forget').length > 0);
    // The host took the ended one for done, and only then came to the start that was asked for before.
    bench.host.change(sessionId, { state: 'running' });
    go();
    await closed;
    expect([...bench.host.sessions]).toEqual([]);
    expect(bench.host.called('end')).toHaveLength(2);
  });

  it('a canvas goes with its ended terminals, not with running ones', async () => {
    const server = await bench.serve();
    const other = server.canvases.create('operation-x', server.canvas.projectId, 'Other');
    const sessionId = (await server.create({ canvasId: other.id })).session.record.id;
    await expect(server.canvases.delete(other.id)).rejects.toMatchObject({ code: 'canvas-busy' });
    bench.host.change(sessionId, { state: 'ended', exit: { code: 0 } });
    await server.canvases.delete(other.id);
    expect(server.terminals.sessions()).toEqual([]);
    expect(bench.host.sessions.size).toBe(0);
  });
});
