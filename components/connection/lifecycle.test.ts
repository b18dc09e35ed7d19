// @vitest-environment jsdom
import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KEY_STORAGE } from '../../schemas/auth';

class FakeSocket extends EventEmitter {
  connected = false;
  active = false;
  connects = 0;
  connect(): void {
    this.connects++;
  }
  disconnect(): void {
    this.connected = false;
  }
  /** The connection is made. */
  open(): void {
    this.connected = true;
    this.emit('connect');
  }
}

const server = vi.hoisted(() => ({ socket: undefined as unknown, hello: vi.fn<() => Promise<unknown>>() }));
vi.mock('./client', () => ({
  getSocket: () => server.socket,
  call: () => server.hello(),
  onServer: () => () => {},
}));

const hello = { settings: {}, projects: [], canvases: [], ptyHost: { state: 'connected' }, sessions: [] };

/** A page that has just been loaded. */
async function load({ early = false } = {}) {
  vi.resetModules();
  const socket = new FakeSocket();
  server.socket = socket;
  server.hello.mockReset();
  localStorage.setItem(KEY_STORAGE, 'key');
  const lifecycle = await import('./lifecycle');
  const { useConnection } = await import('./stores');
  const { FailureError } = await import('../../schemas/result');
  if (early) {
    lifecycle.beginConnection();
    // As the library says from the first attempt on.
    socket.active = true;
  }
  lifecycle.startConnection();
  const broken = new FailureError('record-corrupt', 'The settings cannot be read.');
  const lost = new FailureError('disconnected', 'lost');
  return { socket, ...lifecycle, state: useConnection.getState, broken, lost };
}
const settled = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  vi.stubGlobal('location', { assign: vi.fn() });
  vi.stubGlobal('fetch', vi.fn().mockRejectedValue(new Error('no server')));
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('the connection of a tab', () => {
  it('knocks once, however early it began: the server hangs up on who knocks twice', async () => {
    const { socket } = await load({ early: true });
    expect(socket.connects).toBe(1);
  });

  it('says why a server refuses, and asks it less and less often', async () => {
    const { socket, state, broken } = await load();
    server.hello.mockRejectedValue(broken);
    socket.open();
    await settled();
    expect(state()).toMatchObject({
      status: 'refused',
      failure: { code: 'record-corrupt', message: 'The settings cannot be read.' },
    });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.hello.mock.calls.length).toBeGreaterThan(3);
    expect(server.hello.mock.calls.length).toBeLessThan(8);
    expect([socket.connects, socket.connected]).toEqual([1, true]);
  });

  it('asks at once when the person wants it, and is connected when the server answers', async () => {
    const { socket, state, broken, retryConnection, onReconnected } = await load();
    const again = vi.fn();
    onReconnected(again);
    server.hello.mockRejectedValueOnce(broken).mockResolvedValue(hello);
    socket.open();
    await settled();
    retryConnection();
    expect(state()).toMatchObject({ status: 'connecting', failure: null });
    await settled();
    expect(state()).toMatchObject({ status: 'connected', failure: null, hello });
    expect(again).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.hello).toHaveBeenCalledTimes(2);
  });

  it('waits for the next connection when this one is lost before the answer', async () => {
    const { socket, state, lost, onReconnected } = await load();
    const again = vi.fn();
    onReconnected(again);
    server.hello.mockResolvedValueOnce(hello);
    socket.open();
    await settled();
    socket.connected = false;
    socket.emit('disconnect', 'transport close');
    server.hello.mockRejectedValueOnce(lost).mockResolvedValue(hello);
    socket.open();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([state().status, server.hello.mock.calls.length]).toEqual(['reconnecting', 2]);
    socket.open();
    await settled();
    expect([state().status, again.mock.calls.length]).toEqual(['connected', 1]);
  });

  it('says that too many tabs are open, and tries again with pauses', async () => {
    const { socket, state } = await load();
    const refuse = () => {
      const data = { code: 'too-many-tabs', message: 'Too many tabs are open.' };
      socket.emit('connect_error', Object.assign(new Error('too many tabs'), { data }));
    };
    refuse();
    expect(state()).toMatchObject({ status: 'refused', failure: { code: 'too-many-tabs' } });
    await vi.advanceTimersByTimeAsync(1_000);
    expect([socket.connects, state().status]).toEqual([2, 'connecting']);
    refuse();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(socket.connects).toBe(2);
  });

  it('goes to the login page when the server does not know the key', async () => {
    const { socket, state } = await load();
    const data = { code: 'unauthorized', message: 'Sign in first.' };
    socket.emit('connect_error', Object.assign(new Error('unauthorized'), { data }));
    expect([state().status, localStorage.getItem(KEY_STORAGE)]).toEqual(['signed-out', 'key']);
  });

  it('keeps the key while the server is only not there', async () => {
    const { socket, state } = await load();
    socket.emit('connect_error', new Error('websocket error'));
    await vi.advanceTimersByTimeAsync(1_000);
    expect([state().status, socket.connects, localStorage.getItem(KEY_STORAGE)]).toEqual(['connecting', 2, 'key']);
  });
});
