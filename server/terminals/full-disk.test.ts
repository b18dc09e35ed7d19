import { expect, it } from 'vitest';
import { FailureError } from '../../schemas/result';
import { Bench } from './testing';

const bench = new Bench();

/** The database takes nothing while this says so. */
function fillDisk(full: () => boolean): void {
  const { transaction } = bench.storage;
  bench.storage.transaction = (fn) => {
    if (full()) throw new FailureError('disk-full', 'the disk is full', { file: 'tessera.db' });
    return transaction(fn);
  };
}

it('a terminal is closed on a full disk: its journal goes first and makes room', async () => {
  const server = await bench.serve();
  const { session } = await server.create();
  const id = session.record.id;
  fillDisk(() => bench.host.called('forget').length === 0);
  expect(await server.call('terminal:close', { sessionId: id })).toEqual({ survivors: [] });
  expect([server.view(id), server.canvases.cards(), bench.journals.size]).toEqual([undefined, [], 0]);
});

it('where that is not enough it is said, and the terminal is shown as ended until it can be closed', async () => {
  const server = await bench.serve();
  const { session } = await server.create();
  const id = session.record.id;
  let full = true;
  fillDisk(() => full);
  await expect(server.call('terminal:close', { sessionId: id })).rejects.toMatchObject({ code: 'disk-full' });
  expect([server.view(id)!.info!.state, server.canvases.cards().length]).toEqual(['ended', 1]);
  full = false;
  await server.call('terminal:close', { sessionId: id });
  expect([server.view(id), server.canvases.cards()]).toEqual([undefined, []]);
});
