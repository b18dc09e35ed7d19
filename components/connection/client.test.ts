// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const socket = vi.hoisted(() => {
  const emitWithAck = vi.fn<(name: string, args: unknown) => Promise<unknown>>();
  return { connected: false, emitWithAck, timeout: () => ({ emitWithAck }), emit: vi.fn() };
});
vi.mock('socket.io-client', () => ({ io: () => socket }));
const { call } = await import('./client');

beforeEach(() => {
  socket.connected = true;
});
afterEach(() => vi.clearAllMocks());

describe('a call', () => {
  it('is refused at once without a connection, and never sent later', async () => {
    socket.connected = false;
    await expect(call('app:hello', {})).rejects.toMatchObject({ code: 'disconnected' });
    expect(socket.emitWithAck).not.toHaveBeenCalled();
  });

  it('gives the value of the answer, or its failure', async () => {
    socket.emitWithAck.mockResolvedValueOnce({ ok: true, value: { revision: 7 } });
    const args = { opId: 'operation-1', canvasId: 'canvas-1', changes: [] };
    expect(await call('canvas:apply', args)).toEqual({ revision: 7 });
    socket.emitWithAck.mockResolvedValueOnce({ ok: false, error: { code: 'canvas-missing', message: 'gone' } });
    await expect(call('canvas:apply', args)).rejects.toMatchObject({ code: 'canvas-missing', message: 'gone' });
  });

  it('tells a lost connection from a server that does not answer', async () => {
    socket.emitWithAck.mockRejectedValueOnce(new Error('operation has timed out'));
    await expect(call('app:hello', {})).rejects.toMatchObject({ code: 'timeout' });
    socket.emitWithAck.mockImplementationOnce(async () => {
      socket.connected = false;
      throw new Error('socket has been disconnected');
    });
    await expect(call('app:hello', {})).rejects.toMatchObject({ code: 'disconnected' });
  });
});
