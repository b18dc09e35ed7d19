import { describe, expect, it } from 'vitest';
import { Bench } from './testing';

const bench = new Bench();
const note = (sessionId: string) => ({ sessionId, type: 'notification', title: 'Build', body: 'done' }) as const;

describe('what needs the person', () => {
  it('is told to every tab, kept over a restart of the server, and settled for all', async () => {
    const server = await bench.serve();
    const { session } = await server.create();
    const { id } = session.record;
    bench.host.events.emit('signal', note(id));
    const need = { sessionId: id, why: 'notification', title: 'Build', body: 'done' };
    expect(bench.told.at(-2)).toMatchObject(['attention:changed', [need]]);
    await server.stop();

    const next = await bench.serve();
    expect(next.terminals.needs()).toMatchObject([need]);
    await next.call('attention:settle', { sessionIds: [id] });
    expect(bench.told.at(-1)).toEqual(['attention:changed', []]);
    await next.stop();
    expect((await bench.serve()).terminals.needs()).toEqual([]);
  });

  it('is one reason a session, the newest last, and goes with the session', async () => {
    const server = await bench.serve();
    const [one, two] = [(await server.create()).session.record.id, (await server.create()).session.record.id];
    bench.host.events.emit('signal', { sessionId: one, type: 'bell' });
    bench.host.events.emit('signal', { sessionId: two, type: 'bell' });
    bench.host.events.emit('signal', note(one));
    const reasons = () => server.terminals.needs().map(({ sessionId, why }) => [sessionId, why]);
    expect(reasons()).toEqual([
      [two, 'bell'],
      [one, 'notification'],
    ]);
    await server.call('terminal:close', { sessionId: two });
    expect(reasons()).toEqual([[one, 'notification']]);
  });

  it('is removed in one step with its session, and never shown without one', async () => {
    const server = await bench.serve();
    const [one, two] = [(await server.create()).session.record.id, (await server.create()).session.record.id];
    for (const id of [one, two]) bench.host.events.emit('signal', note(id));
    // As if the server were killed in the middle of closing the first: what is not one step does not happen.
    bench.sql(`CREATE TRIGGER killed BEFORE DELETE ON needs BEGIN SELECT RAISE(ABORT, 'killed'); END`);
    await expect(server.call('terminal:close', { sessionId: one })).rejects.toThrow('killed');
    expect(server.view(one)?.record.id).toBe(one);
    bench.sql('DROP TRIGGER killed');
    await server.stop();
    bench.sql('DELETE FROM canvas_items');
    bench.sql('DELETE FROM sessions WHERE id = ?', two);
    await bench.host.connect().call('end', { sessionId: two, graceMs: 0 });
    await bench.host.connect().call('forget', { sessionId: two });
    const next = await bench.serve();
    expect(next.terminals.needs().map(({ sessionId }) => sessionId)).toEqual([one]);
    bench.sql(`UPDATE needs SET json = 'x'`);
    expect(next.terminals.corrupt()).toMatchObject([{ table: 'needs', id: one }]);
    await next.call('terminal:close', { sessionId: one });
    expect(next.terminals.corrupt()).toEqual([]);
  });

  it('is not the end of one that a person closes', async () => {
    const server = await bench.serve();
    const { id } = (await server.create()).session.record;
    let ended = () => {};
    bench.host.slow.set('end', new Promise<void>((done) => (ended = done)));
    const closing = server.call('terminal:close', { sessionId: id });
    await expect.poll(() => bench.host.called('end')).toHaveLength(1);
    bench.host.change(id, { state: 'ended', exit: { signal: 'SIGHUP' } });
    expect(server.terminals.needs()).toEqual([]);
    ended();
    await closing;
    expect(bench.told.filter(([event]) => event === 'attention:changed')).toEqual([]);
  });

  it('is a bad end that has just come, until it runs again', async () => {
    const server = await bench.serve();
    const { session } = await server.create();
    const sessionId = session.record.id;
    bench.host.change(sessionId, { state: 'ended', exit: { code: 2 } });
    expect(server.terminals.needs()).toMatchObject([{ sessionId, why: 'failed' }]);
    bench.host.change(sessionId, { state: 'running' });
    expect(server.terminals.needs()).toEqual([]);
    bench.host.change(sessionId, { state: 'ended', exit: { code: 0 } });
    expect(server.terminals.needs()).toEqual([]);
  });
});
