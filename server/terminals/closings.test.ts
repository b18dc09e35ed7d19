import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FailureError } from '../../schemas/result';
import type { SessionView } from '../../schemas/terminals';
import { Closings } from './closings';

const record = (id: string): SessionView['record'] => ({
  v: 1,
  id,
  projectId: 'project-1',
  program: '/bin/sh',
  args: [],
  cwd: '/',
  cols: 80,
  rows: 24,
  createdAt: 0,
  journal: true,
});

/** Sessions that remember what was ended; `stuck` ones cannot be, `corrupt` ones cannot be stored. */
function sessions(...ids: string[]) {
  const stored = new Map(ids.map((id) => [id, record(id)]));
  const ended: string[] = [];
  const stuck = new Set<string>();
  const corrupt = new Set<string>();
  const full = new Set<string>();
  return {
    stored,
    ended,
    stuck,
    corrupt,
    full,
    views: () => [...stored.values()].map((one) => ({ record: one })),
    setClosing: (id: string, closingAt: number | undefined) => {
      const known = stored.get(id);
      if (!known) throw new FailureError('session-missing', 'gone');
      if (corrupt.has(id)) throw new FailureError('record-corrupt', 'unreadable');
      if (full.has(id)) throw new FailureError('disk-full', 'no room');
      stored.set(id, { ...known, closingAt });
      return { record: stored.get(id)! };
    },
    close: async (id: string) => {
      if (stuck.has(id)) throw new FailureError('pty-host-timeout', 'no answer');
      if (stored.delete(id)) ended.push(id);
      return { survivors: [] };
    },
  };
}

const log = { warn: () => {}, error: () => {}, info: () => {} } as never;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('closing a terminal', () => {
  it('ends it only when the time to undo is over', async () => {
    const all = sessions('a', 'b');
    const closings = new Closings(all, log);
    expect(await closings.later('a')).toEqual({ undoable: true });
    await vi.advanceTimersByTimeAsync(14_000);
    expect([all.ended, all.stored.get('a')?.closingAt]).toEqual([[], Date.now() + 1000]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([all.ended, [...all.stored.keys()]]).toEqual([['a'], ['b']]);
  });

  it('is undone as if it had not been', async () => {
    const all = sessions('a');
    const closings = new Closings(all, log);
    await closings.later('a');
    expect(closings.keep('a').record.closingAt).toBeUndefined();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(all.ended).toEqual([]);
  });

  it('cannot be undone any more while it is being ended', async () => {
    const all = sessions('a');
    const closings = new Closings(all, log);
    await closings.later('a');
    const ending = closings.now('a');
    expect(() => closings.keep('a')).toThrow('closed already');
    await ending;
    expect(all.ended).toEqual(['a']);
  });

  it('is completed by the next server, and before that by a stop', async () => {
    const all = sessions('a', 'b', 'c');
    // One that was killed: its timers come to nothing. The next one knows from what is stored.
    const first = new Closings({ ...all, close: async () => ({ survivors: [] }) }, log);
    await first.later('a');
    await vi.advanceTimersByTimeAsync(5_000);
    const next = new Closings(all, log);
    next.resume();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(all.ended).toEqual(['a']);
    await next.later('b');
    await next.finish();
    expect([all.ended, [...all.stored.keys()]]).toEqual([['a', 'b'], ['c']]);
  });

  it('is tried again when the host does not answer, and does not hold up a stop', async () => {
    const all = sessions('a');
    all.stuck.add('a');
    const closings = new Closings(all, log);
    await closings.later('a');
    await vi.advanceTimersByTimeAsync(15_000);
    expect(all.ended).toEqual([]);
    all.stuck.clear();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(all.ended).toEqual(['a']);
  });

  it('happens at once when it cannot be stored that it is to happen later', async () => {
    const all = sessions('a');
    all.corrupt.add('a');
    expect(await new Closings(all, log).later('a')).toEqual({ undoable: false });
    expect(all.ended).toEqual(['a']);
  });
});
