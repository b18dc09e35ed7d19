import { afterEach, describe, expect, it, vi } from 'vitest';
import { FailureError } from '../../../schemas/result';
import { Outbox, type OutgoingOp } from './outbox';

/** A server that answers when it is told to, and one tab's way to it. */
function setUp() {
  const asked: string[] = [];
  const told: string[] = [];
  const answers: { resolve: (value: { revision: number }) => void; reject: (error: unknown) => void }[] = [];
  let connected = true;
  const outbox = new Outbox((op: OutgoingOp) => {
    if (!connected) return Promise.reject(new FailureError('disconnected', 'no connection'));
    asked.push(op.opId);
    return new Promise((resolve, reject) => answers.push({ resolve, reject }));
  });
  const push = (opId: string) =>
    outbox.push({
      canvasId: 'canvas-1',
      opId,
      changes: [],
      taken: (revision) => told.push(`${opId} taken at ${revision}`),
      refused: (error) => told.push(`${opId} refused: ${(error as FailureError).code}`),
    });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const answer = async (revision: number) => {
    answers.shift()!.resolve({ revision });
    await settled();
  };
  const fail = async (code: string) => {
    answers.shift()!.reject(new FailureError(code, code));
    await settled();
  };
  const lose = async () => {
    connected = false;
    for (const { reject } of answers.splice(0)) reject(new FailureError('disconnected', 'lost'));
    await settled();
  };
  const reconnect = async () => {
    connected = true;
    outbox.resume();
    await settled();
  };
  return { outbox, asked, told, push, answer, fail, lose, reconnect };
}

afterEach(() => vi.useRealTimers());

describe('ops on their way to the server', () => {
  it('a page that goes sends what waits at once, in order; one that stays is told of each once', async () => {
    const { outbox, asked, told, push, answer } = setUp();
    push('op-a');
    push('op-b');
    outbox.hurry();
    expect(asked).toEqual(['op-a', 'op-a', 'op-b']);
    for (const revision of [2, 2, 3, 3]) await answer(revision);
    expect(told).toEqual(['op-a taken at 2', 'op-b taken at 3']);
  });

  it('a newer op never overtakes one that died with the connection', async () => {
    const { asked, told, push, answer, lose, reconnect } = setUp();
    push('op-a');
    await lose();
    push('op-b');
    await reconnect();
    push('op-c');
    await answer(2);
    await answer(3);
    await answer(4);
    expect(asked).toEqual(['op-a', 'op-a', 'op-b', 'op-c']);
    expect(told).toEqual(['op-a taken at 2', 'op-b taken at 3', 'op-c taken at 4']);
  });

  it('keeps what is done while there is no connection', async () => {
    const { outbox, asked, push, answer, lose, reconnect } = setUp();
    await lose();
    push('op-a');
    push('op-b');
    expect([asked, outbox.empty]).toEqual([[], false]);
    await reconnect();
    await answer(2);
    await answer(3);
    expect([asked, outbox.empty]).toEqual([['op-a', 'op-b'], true]);
  });

  it('goes on after a refusal', async () => {
    const { told, push, fail, answer } = setUp();
    push('op-a');
    push('op-b');
    await fail('item-size');
    await answer(2);
    expect(told).toEqual(['op-a refused: item-size', 'op-b taken at 2']);
  });

  it('whoever is told and fails keeps no other op back', async () => {
    const reported = vi.fn();
    vi.stubGlobal('reportError', reported);
    const { outbox, told, push, answer } = setUp();
    const broken = () => {
      throw new Error('not drawn');
    };
    outbox.push({ canvasId: 'canvas-1', opId: 'op-a', changes: [], taken: broken, refused: broken });
    push('op-b');
    await answer(1);
    await answer(2);
    expect([told, reported.mock.calls.length, outbox.empty]).toEqual([['op-b taken at 2'], 1, true]);
    vi.unstubAllGlobals();
  });

  it('repeats once what nobody answered, before anything newer, then gives it up', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const { asked, told, push, fail, answer } = setUp();
    push('op-a');
    push('op-b');
    await fail('timeout');
    await vi.runAllTimersAsync();
    await fail('timeout');
    await answer(2);
    expect(asked).toEqual(['op-a', 'op-a', 'op-b']);
    expect(told).toEqual(['op-a refused: timeout', 'op-b taken at 2']);
  });
});
