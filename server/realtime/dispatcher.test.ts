import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { calls } from '../../schemas/realtime';
import { FailureError } from '../../schemas/result';
import { Dispatcher, strayCalls } from './dispatcher';
import { TokenBucket } from './rate';
import type { RealtimeRoom, Tab } from './types';

const tab: Tab = { id: 'socket', browserSessionId: 'browser', emit: () => {} };

function dispatcherWith(room: RealtimeRoom): { dispatcher: Dispatcher; logged: Record<string, unknown>[] } {
  const logged: Record<string, unknown>[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const dispatcher = new Dispatcher(log);
  dispatcher.use([room]);
  return { dispatcher, logged };
}
const input = { viewerId: 'viewer1', sessionId: 'session1', seq: 1 };

describe('the dispatcher', () => {
  it('brings a valid call to its room, with the tab', async () => {
    const { dispatcher } = dispatcherWith({
      calls: { 'browsers:list': () => [], 'browsers:revoke': (args, who) => [args, who] as unknown as null },
    });
    expect(await dispatcher.call('browsers:revoke', { id: 'abcdef' }, tab)).toEqual({
      ok: true,
      value: [{ id: 'abcdef' }, tab],
    });
  });

  it('finds calls that no room or more than one would answer', () => {
    const room: RealtimeRoom = { calls: { 'browsers:list': () => [] } };
    expect(strayCalls([room])).not.toContain('browsers:list');
    expect(strayCalls([room, room])).toContain('browsers:list');
    expect(strayCalls([room])).toEqual(expect.arrayContaining(['app:hello', 'terminal:ack']));
  });

  it.each(['nothing', '__proto__', 'constructor', 'toString', 'disconnect', '', 5 as unknown as string])(
    'answers the unknown call "%s" with unknown-call',
    async (name) => {
      const { dispatcher } = dispatcherWith({ calls: {} });
      expect(await dispatcher.call(name, {}, tab)).toMatchObject({ ok: false, error: { code: 'unknown-call' } });
    },
  );

  it('says where arguments are wrong', async () => {
    const { dispatcher } = dispatcherWith({ calls: {} });
    expect(await dispatcher.call('browsers:revoke', { id: 5 }, tab)).toMatchObject({
      ok: false,
      error: { code: 'bad-arguments', params: { call: 'browsers:revoke', where: '/id' } },
    });
  });

  const deep = Array.from({ length: 100 }).reduce<unknown>((inner) => ({ a: inner }), 1);
  it.each([
    ['__proto__', JSON.parse('{"__proto__":{"polluted":1}}')],
    ['constructor', { constructor: { prototype: {} } }],
    ['a reference of another protocol', { id: '$F1', extra: { $$typeof: 'x' } }],
    ['100 levels', deep],
    ['a text', 'x'.repeat(100)],
    ['a list', []],
    ['null', null],
    ['nothing', undefined],
    ['bytes', Buffer.from('x')],
  ])('S18: every call refuses %s with a typed error', async (_what, args) => {
    const { dispatcher } = dispatcherWith({ calls: {} });
    for (const name of Object.keys(calls)) {
      expect(await dispatcher.call(name, args, tab), name).toMatchObject({
        ok: false,
        error: { code: 'bad-arguments' },
      });
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('takes input as bytes only, at most 64 KiB of them', async () => {
    const sizes: number[] = [];
    const { dispatcher } = dispatcherWith({
      calls: {
        'terminal:input': ({ bytes }) => {
          sizes.push(bytes.length);
          return null;
        },
      },
    });
    expect(await dispatcher.call('terminal:input', { ...input, bytes: Buffer.alloc(65_536) }, tab)).toEqual({
      ok: true,
      value: null,
    });
    for (const bytes of [Buffer.alloc(65_537), '€', 'a'.repeat(1025), [1, 2], { length: 1 }, undefined]) {
      expect(await dispatcher.call('terminal:input', { ...input, bytes }, tab)).toMatchObject({
        error: { code: 'bad-arguments' },
      });
    }
    expect(await dispatcher.call('terminal:input', { ...input, bytes: 'ls\r' }, tab)).toMatchObject({ ok: true });
    expect(sizes).toEqual([65_536, 3]);
  });

  it('passes a failure on as it is, and hides what nobody expected behind an id that the log has', async () => {
    const { dispatcher, logged } = dispatcherWith({
      calls: {
        'canvas:delete': () => Promise.reject(new FailureError('canvas-busy', 'Terminals run on it.', { count: 2 })),
        'canvas:open': () => {
          throw new TypeError('secret detail');
        },
      },
    });
    expect(await dispatcher.call('canvas:delete', { canvasId: 'canvas1' }, tab)).toEqual({
      ok: false,
      error: { code: 'canvas-busy', message: 'Terminals run on it.', params: { count: 2 } },
    });
    const hidden = await dispatcher.call('canvas:open', { canvasId: 'canvas1' }, tab);
    expect(hidden).toMatchObject({ ok: false, error: { code: 'internal' } });
    expect(JSON.stringify(hidden)).not.toContain('secret detail');
    const id = !hidden.ok && hidden.error.params?.id;
    expect(logged.find((line) => line.id === id)).toMatchObject({
      call: 'canvas:open',
      err: { message: 'secret detail' },
    });
  });

  it('passes notices on, and lets no bad one out', () => {
    const seen: unknown[] = [];
    const { dispatcher } = dispatcherWith({
      calls: {},
      notices: {
        'terminal:ack': (args) => void seen.push(args),
        'terminal:frame-ack': () => {
          throw new Error('broken');
        },
      },
    });
    dispatcher.notice('terminal:ack', { viewerId: 'viewer1', offset: 5 }, tab);
    dispatcher.notice('terminal:ack', { viewerId: 'viewer1', offset: -5 }, tab);
    dispatcher.notice('terminal:frame-ack', { viewerId: 'viewer1', frame: 1 }, tab);
    expect(seen).toEqual([{ viewerId: 'viewer1', offset: 5 }]);
  });

  it('tells every room that a tab is gone, also when one fails', () => {
    const told: string[] = [];
    const log = pino({ level: 'silent' });
    const dispatcher = new Dispatcher(log);
    dispatcher.use([
      {
        calls: {},
        tabGone: () => {
          throw new Error('broken');
        },
      },
      { calls: {}, tabGone: ({ id }) => void told.push(id) },
    ]);
    dispatcher.tabGone(tab);
    expect(told).toEqual(['socket']);
  });
});

describe('a bucket of tokens', () => {
  it('allows a burst, then the rate', () => {
    let now = 0;
    const bucket = new TokenBucket(3, 10, () => now);
    expect([1, 2, 3, 4].map(() => bucket.take())).toEqual([true, true, true, false]);
    now = 100;
    expect([bucket.take(), bucket.take()]).toEqual([true, false]);
    now = 10_000;
    expect([1, 2, 3, 4].map(() => bucket.take())).toEqual([true, true, true, false]);
  });
});
