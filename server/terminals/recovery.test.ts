import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CanvasLimits, type ItemChange } from '../../schemas/canvas';
import { FailureError } from '../../schemas/result';
import { Bench, tab, until } from './testing';

const bench = new Bench();

describe('a new server', () => {
  it('adopts what runs and starts nothing again', async () => {
    const first = await bench.serve();
    const { session } = await first.create();
    await first.stop();
    const second = await bench.serve();
    expect(second.view(session.record.id)).toMatchObject({ record: session.record, info: { state: 'running' } });
    expect(second.view(session.record.id)!.info!.revision).toBeGreaterThanOrEqual(session.info!.revision);
    expect(bench.host.called('start')).toHaveLength(1);
    expect(bench.host.called('restore')).toEqual([]);
  });

  it('brings ended ones back from their journal when the pty host is gone, and shows those without one', async () => {
    const first = await bench.serve();
    const kept = (await first.create()).session.record.id;
    const bare = (await first.create()).session.record.id;
    bench.host.change(kept, { title: 'the title', lastLine: 'the end' });
    await first.call('terminal:journal', { sessionId: bare, on: false });
    await first.stop();
    bench.newHost();
    const second = await bench.serve();
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
    const first = await bench.serve();
    const { session } = await first.create();
    const id = session.record.id;
    await first.stop();
    bench.loseDatabase();
    const second = await bench.serve();
    const [card] = second.canvases.cards();
    expect(second.canvases.get(card!.canvasId).name).toBe('Recovered');
    expect(second.view(id)).toMatchObject({ record: { cwd: bench.project }, info: { state: 'running' } });
    await second.stop();
    expect((await bench.serve()).canvases.cards()).toHaveLength(1);
  });

  it('shows the output of terminals again of which nothing but their journal is left', async () => {
    const first = await bench.serve();
    const ids = [];
    for (const _ of [1, 2]) ids.push((await first.create()).session.record.id);
    const [kept, closed] = ids as [string, string];
    await first.stop();
    bench.loseDatabase();
    for (const name of [kept, closed, 'x', 'not a session']) {
      mkdirSync(join(bench.dataDir, 'scrollback', name), { recursive: true });
    }
    bench.newHost();
    const second = await bench.serve();
    expect(
      second.canvases
        .cards()
        .map(({ sessionId }) => sessionId)
        .sort(),
    ).toEqual([...ids].sort());
    await until(() => second.view(kept)?.info?.state === 'ended');
    await second.call('terminal:close', { sessionId: closed });
    rmSync(join(bench.dataDir, 'scrollback', closed), { recursive: true });
    await second.stop();
    expect((await bench.serve()).canvases.cards().map(({ sessionId }) => sessionId)).toEqual([kept]);
  });

  it('goes on where the folder of the journals cannot be read', async () => {
    writeFileSync(join(bench.dataDir, 'scrollback'), '');
    const server = await bench.serve();
    expect((await server.create()).session.info?.state).toBe('running');
  });

  it('gives a tab that repeats itself the terminal that its first attempt started, where it was asked for', async () => {
    const first = await bench.serve();
    const ask = { opId: 'operation-x', x: 120, y: 240 };
    const id = (await first.create(ask)).session.record.id;
    await first.stop();
    // As if the server had been killed between the start and the storing.
    for (const table of ['sessions', 'canvas_items', 'operations']) bench.sql(`DELETE FROM ${table}`);
    const second = await bench.serve();
    const [recovered] = second.canvases.cards();
    expect(second.canvases.get(recovered!.canvasId).name).toBe('Recovered');
    const [made, again] = await Promise.all([second.create(ask), second.create(ask)]);
    expect(again).toEqual(made);
    expect(made).toMatchObject({
      item: { sessionId: id, x: 120, y: 240 },
      session: { record: { id }, info: { state: 'running' } },
    });
    expect(second.terminals.sessions()).toHaveLength(1);
    expect(second.canvases.cards()).toEqual([{ ...made.item, canvasId: second.canvas.id }]);
    expect(bench.host.called('start')).toHaveLength(1);
    await second.stop();
    const third = await bench.serve();
    expect(third.canvases.cards()).toEqual(second.canvases.cards());
    expect((await third.create(ask)).session.record.id).toBe(id);
    expect([...bench.host.sessions.keys()]).toEqual([id]);
  });

  it('takes a start of which the answer was lost for done, and a closed terminal for closed', async () => {
    const first = await bench.serve();
    const id = (await first.create({ opId: 'operation-x' })).session.record.id;
    const info = bench.host.sessions.get(id)!;
    await first.call('terminal:close', { sessionId: id });
    bench.sql('DELETE FROM operations');
    bench.host.sessions.set(id, info);
    const again = await first.create({ opId: 'operation-x' });
    expect(again.session).toMatchObject({ record: { id }, info: { state: 'running' } });
    bench.host.failing.set('forget', new FailureError('timeout', 'no answer'));
    await first.call('terminal:close', { sessionId: id });
    bench.sql('DELETE FROM operations');
    await expect(first.create({ opId: 'operation-x' })).rejects.toMatchObject({ code: 'session-missing' });
  });

  it('a session whose record cannot be read is shown, works, and its record stays as it is', async () => {
    const first = await bench.serve();
    const { session } = await first.create();
    const other = (await first.create()).session.record.id;
    const id = session.record.id;
    await first.stop();
    bench.sql(`UPDATE sessions SET json = '{"v":1' WHERE id = ?`, id);
    const second = await bench.serve();
    expect(second.view(other)).toBeDefined();
    expect(second.view(id)).toMatchObject({ record: { id }, info: { state: 'running' } });
    expect(second.terminals.corrupt()).toEqual([{ table: 'sessions', id, reason: expect.stringMatching('not JSON') }]);
    await expect(second.call('terminal:rename', { sessionId: id, name: 'x' })).rejects.toMatchObject({
      code: 'record-corrupt',
    });
    expect(second.canvases.cards()).toHaveLength(2);
    await second.call('terminal:close', { sessionId: id });
    expect(second.terminals.corrupt()).toEqual([]);
    expect([...bench.host.sessions.keys()]).toEqual([other]);
  });

  it('gives a terminal whose card was unreadable a new one when a person discards that', async () => {
    const first = await bench.serve();
    const { session, item } = await first.create();
    await first.stop();
    bench.sql(`UPDATE canvas_items SET json = 'x' WHERE id = ?`, item.id);
    const second = await bench.serve();
    expect(second.canvases.cards()).toEqual([]);
    second.canvases.discardCorrupt(second.canvas.id, item.id);
    expect(second.canvases.cards()).toMatchObject([{ sessionId: session.record.id, canvasId: second.canvas.id }]);
  });

  it('shows a terminal on another canvas where the own one has no room', async () => {
    const first = await bench.serve();
    const notes = (count: number, on: string) =>
      Array.from({ length: count }, (_, i): ItemChange => {
        const box = { x: 0, y: 0, width: 200, height: 200, z: 0 };
        return { type: 'put', item: { v: 1, kind: 'note', id: `note-${on}-${i}`, ...box, text: '', colour: 'plain' } };
      });
    first.canvases.apply(first.canvas.id, 'operation-n', notes(CanvasLimits.maxItems, 'own'));
    const recovered = first.canvases.named(first.canvas.projectId, 'Recovered');
    first.canvases.apply(recovered.id, 'operation-r', notes(CanvasLimits.maxItems - 1, 'recovered'));
    const other = first.canvases.create('operation-y', first.canvas.projectId, 'Other');
    const ids = [];
    for (const _ of [1, 2]) ids.push((await first.create({ canvasId: other.id })).session.record.id);
    await first.stop();
    bench.sql('DELETE FROM canvas_items WHERE scope = ?', other.id);
    const second = await bench.serve();
    const cards = second.canvases.cards();
    expect(cards.map(({ canvasId }) => second.canvases.get(canvasId).name)).toEqual(['Recovered', 'Recovered 2']);
    expect(cards.map(({ sessionId }) => sessionId).sort()).toEqual(ids.sort());
  });

  it('shows every terminal that it can when there is one that it cannot show', async () => {
    const first = await bench.serve();
    const { session, item } = await first.create();
    const stuck = session.record.id;
    const other = (await first.create()).session.record.id;
    await first.stop();
    bench.sql(`UPDATE canvas_items SET json = 'x' WHERE id = ?`, item.id);
    bench.sql('DELETE FROM canvas_items WHERE id != ?', item.id);
    const second = await bench.serve();
    bench.sql(
      `CREATE TRIGGER stuck BEFORE INSERT ON canvas_items WHEN NEW.json LIKE '%${stuck}%'
       BEGIN SELECT RAISE(ABORT, 'stuck'); END`,
    );
    second.canvases.discardCorrupt(second.canvas.id, item.id);
    expect(second.canvases.cards().map(({ sessionId }) => sessionId)).toEqual([other]);
    bench.sql('DROP TRIGGER stuck');
    await second.stop();
    const third = await bench.serve();
    expect(
      third.canvases
        .cards()
        .map(({ sessionId }) => sessionId)
        .sort(),
    ).toEqual([stuck, other].sort());
  });

  it('keeps asking for a journal that takes long, and calls it by no other name', async () => {
    const first = await bench.serve();
    const id = (await first.create()).session.record.id;
    await first.stop();
    const host = bench.newHost();
    host.failing.set('restore', new FailureError('pty-host-timeout', 'no answer in time'));
    const second = await bench.serve();
    const attach = { viewerId: 'viewer-1', sessionId: id, cols: 80, rows: 24, history: 0, visibility: 'live' as const };
    await expect(second.call('terminal:attach', attach)).rejects.toMatchObject({ code: 'pty-host-timeout' });
    expect(second.view(id)!.info?.notice).toBeUndefined();
    host.failing.clear();
    await until(() => second.view(id)!.info?.state === 'ended');
    expect(second.view(id)!.info!.notice).toBeUndefined();
    await second.call('terminal:attach', attach);
  });

  it('believes a host that tells of a session after all', async () => {
    const first = await bench.serve();
    const id = (await first.create()).session.record.id;
    await first.stop();
    const host = bench.newHost();
    host.failing.set('restore', new FailureError('internal', 'cannot be read'));
    const second = await bench.serve();
    await until(() => second.view(id)!.info?.notice?.code === 'journal-unreadable');
    host.sessions.set(id, { ...bench.journals.get(id)!, state: 'ended', exit: {} });
    host.change(id, { lastLine: 'here it is' });
    const attach = { viewerId: 'viewer-1', sessionId: id, cols: 80, rows: 24, history: 0, visibility: 'live' as const };
    expect(await second.call('terminal:attach', attach)).toMatchObject({ info: { lastLine: 'here it is' } });
  });

  it('finishes closing what the last one had begun to close, and removes the uploads of nobody', async () => {
    const first = await bench.serve();
    const { session } = await first.create();
    const other = (await first.create()).session.record.id;
    const uploads = join(bench.dataDir, 'uploads');
    for (const id of [session.record.id, other, 'of-nobody']) mkdirSync(join(uploads, id), { recursive: true });
    bench.host.failing.set('forget', new FailureError('timeout', 'no answer'));
    await first.call('terminal:close', { sessionId: session.record.id });
    bench.host.failing.clear();
    await first.stop();
    // As if the server had been killed before it removed them.
    mkdirSync(join(uploads, session.record.id), { recursive: true });
    const second = await bench.serve();
    expect(second.terminals.sessions().map(({ record }) => record.id)).toEqual([other]);
    expect(second.canvases.cards()).toHaveLength(1);
    expect([...bench.host.sessions.keys(), ...bench.journals.keys()]).toEqual([other, other]);
    expect(bench.host.called('restore')).toEqual([]);
    await until(() => readdirSync(uploads).join() === other);
  });
});

describe('a pty host that dies', () => {
  it('its sessions end with the reason, a fresh one brings them back and views are attached again', async () => {
    const server = await bench.serve();
    const { session } = await server.create();
    const id = session.record.id;
    const page = tab();
    const attach = { viewerId: 'viewer-1', cols: 80, rows: 24, history: 100, visibility: 'live' as const };
    await server.call('terminal:attach', { ...attach, sessionId: id }, page);
    await server.call('terminal:size', { viewerId: 'viewer-1', cols: 120, rows: 40 }, page);
    const before = server.view(id)!.info!.revision;
    const old = bench.host;
    bench.newHost();
    bench.told = [];
    old.die();
    await until(() => bench.host.called('attach').length > 0);
    expect(bench.told.filter(([event]) => event === 'pty-host:changed')).toEqual([
      ['pty-host:changed', { state: 'starting' }],
      ['pty-host:changed', { state: 'connected' }],
    ]);
    expect(server.view(id)!.info).toMatchObject({ state: 'ended', notice: { code: 'pty-host-gone' } });
    expect(server.view(id)!.info!.revision).toBeGreaterThan(before);
    expect(bench.host.called('attach')).toEqual([
      { ...attach, viewerId: 'tab-1:viewer-1', sessionId: id, cols: 120, rows: 40 },
    ]);
    const restarted = await server.call('terminal:restart', { sessionId: id, cols: 80, rows: 24 });
    expect(restarted.info).toMatchObject({ state: 'running' });
    expect(restarted.info!.notice).toBeUndefined();
  });

  it('is tried again until it is there; meanwhile calls say why they fail', async () => {
    let refused = 0;
    const server = await bench.serve({
      connect: () => {
        if (bench.host.alive) return bench.host;
        refused += 1;
        if (refused === 3) bench.newHost();
        throw new FailureError('pty-host-failed', 'cannot be started');
      },
    });
    const { session } = await server.create();
    bench.host.die();
    await until(() => server.terminals.ptyHost().state === 'gone');
    expect(server.view(session.record.id)!.info).toMatchObject({ state: 'ended', notice: { code: 'pty-host-gone' } });
    await expect(server.create()).rejects.toMatchObject({ code: 'pty-host-failed' });
    await until(() => server.terminals.ptyHost().state === 'connected');
    expect(refused).toBe(3);
  });

  it('is not followed by another one when the server ends both', async () => {
    let connected = 0;
    const server = await bench.serve({
      connect: () => {
        connected += 1;
        return bench.host;
      },
    });
    await server.create();
    bench.host.onShutdown = () => bench.host.die('as asked');
    await server.terminals.stop({ endSessions: true });
    expect(bench.host.called('shutdown')).toEqual([{ endSessions: true }]);
    expect(connected).toBe(1);
  });

  it('that cannot be told to end is no quiet end', async () => {
    const first = await bench.serve();
    await first.create();
    bench.host.failing.set('shutdown', new FailureError('pty-host-timeout', 'no answer'));
    await expect(first.terminals.stop({ endSessions: true })).rejects.toMatchObject({ code: 'pty-host-timeout' });
    let code = 'pty-host-mismatch';
    const connect = () => {
      throw new FailureError(code, 'not reached');
    };
    const other = await bench.serve({ connect });
    await expect(other.terminals.stop({ endSessions: true })).rejects.toMatchObject({ code });
    // There is none, so nothing runs.
    code = 'pty-host-failed';
    await (await bench.serve({ connect })).terminals.stop({ endSessions: true });
  });

  it('of another version is said and nothing is called ended', async () => {
    const first = await bench.serve();
    await first.create();
    await first.stop();
    const second = await bench.serve({
      connect: () => {
        throw new FailureError('pty-host-mismatch', 'an older version runs');
      },
    });
    expect(second.terminals.ptyHost()).toMatchObject({ state: 'mismatch', reason: { code: 'pty-host-mismatch' } });
    expect(second.terminals.sessions()[0]!.info).toBeUndefined();
  });

  it('that does not answer is waited for: nothing is called ended, and nothing is started twice', async () => {
    const first = await bench.serve();
    const { session } = await first.create();
    const id = session.record.id;
    await first.stop();
    let stopped = true;
    const second = await bench.serve({
      connect: () => {
        if (stopped) throw new FailureError('pty-host-silent', 'it does not answer');
        return bench.host;
      },
    });
    expect(second.terminals.ptyHost()).toEqual({ state: 'silent' });
    expect(second.view(id)!.info).toBeUndefined();
    const restart = second.call('terminal:restart', { sessionId: id, cols: 80, rows: 24 });
    stopped = false;
    expect(await restart).toMatchObject({ info: { state: 'running', pid: session.info!.pid } });
    expect(second.terminals.ptyHost()).toEqual({ state: 'connected' });
    expect([bench.host.called('restart'), bench.host.called('restore')]).toEqual([[], []]);
  });

  it('that stops answering while it is met is waited for too', async () => {
    const first = await bench.serve();
    const { session } = await first.create();
    await first.stop();
    bench.host.failing.set('list', new FailureError('pty-host-timeout', 'no answer'));
    const second = await bench.serve();
    expect(second.terminals.ptyHost()).toEqual({ state: 'silent' });
    expect(second.view(session.record.id)!.info).toBeUndefined();
    bench.host.failing.clear();
    await until(() => second.terminals.ptyHost().state === 'connected');
    expect(second.view(session.record.id)!.info).toMatchObject({ state: 'running' });
  });
});
