// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { CanvasItem, CanvasState, ItemChange } from '../../../schemas/canvas';
import { SocketLimits } from '../../../schemas/realtime';
import { FailureError } from '../../../schemas/result';

/** A server and the connection of this tab to it, as the store sees them. */
const server = vi.hoisted(() => ({
  connected: true,
  items: new Map<string, unknown>(),
  corrupt: [] as { id: string; reason: string }[],
  revision: 1,
  /** The op is taken only when this lets it; a lost connection rejects what waits. */
  hold: undefined as { reject: (error: unknown) => void } | undefined,
  holding: false,
  applied: [] as string[],
  /** Bytes of each op. */
  sizes: [] as number[],
  known: new Map<string, number>(),
  sessions: {} as Record<string, unknown>,
  sessionsChanged: (_now: unknown, _before: unknown) => {},
  changed: (_change: unknown) => {},
  reconnected: () => {},
  greeted: () => {},
}));

vi.mock('../../connection', () => ({
  useSessions: {
    getState: () => ({ sessions: server.sessions }),
    subscribe: (listener: (now: unknown, before: unknown) => void) => {
      server.sessionsChanged = listener;
      return () => {};
    },
  },
  call: async (name: string, args: { opId: string; changes: ItemChange[] }) => {
    if (!server.connected) throw new FailureError('disconnected', 'no connection');
    if (name === 'canvas:open') {
      return {
        canvas: { v: 1, id: 'canvas-1', projectId: 'project-1', name: 'Main', position: 0 },
        revision: server.revision,
        items: [...server.items.values()],
        corrupt: server.corrupt,
      } as CanvasState;
    }
    if (name !== 'canvas:apply') return null;
    server.sizes.push(Buffer.byteLength(JSON.stringify(args)));
    if (server.holding) {
      await new Promise<void>((_, reject) => {
        server.hold = { reject };
      });
    }
    const known = server.known.get(args.opId);
    if (known) return { revision: known };
    server.revision++;
    server.known.set(args.opId, server.revision);
    for (const change of args.changes) {
      if (change.type !== 'place') continue;
      server.items.set(change.id, { ...(server.items.get(change.id) as CanvasItem), ...place(change.x) });
      server.applied.push(`${change.id} to ${change.x}`);
    }
    server.changed({ canvasId: 'canvas-1', revision: server.revision, changes: args.changes, opId: args.opId });
    return { revision: server.revision };
  },
  onServer: (_event: string, listener: (change: unknown) => void) => {
    server.changed = listener;
    return () => {};
  },
  onGreeting: (listener: () => void) => {
    server.greeted = listener;
    return () => {};
  },
  onReconnected: (listener: () => void) => {
    server.reconnected = listener;
    return () => {};
  },
}));
vi.mock('../../i18n', () => ({ failureText: String }));
vi.mock('../../ui', () => ({ toastFailure: (text: string) => server.applied.push(text) }));

const { commit, commitPlaces, closeCanvas, openCanvas, startSync } = await import('./sync');
const { canvasState } = await import('./state');

const place = (x: number) => ({ x, y: 0, width: 200, height: 150, z: 1 });
const move = (id: string, x: number) => commitPlaces(new Map([[id, place(x)]]));
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));
const shown = (id: string) => canvasState().items.get(id)?.x;

async function lose(): Promise<void> {
  server.connected = false;
  server.holding = false;
  server.hold?.reject(new FailureError('disconnected', 'lost'));
  await settled();
}
async function reconnect(): Promise<void> {
  server.connected = true;
  server.reconnected();
  await settled();
}

let stopSync = () => {};

beforeEach(async () => {
  server.items = new Map([['note-a', { v: 1, id: 'note-a', kind: 'note', text: '', colour: 'amber', ...place(0) }]]);
  Object.assign(server, {
    connected: true,
    sessions: {},
    corrupt: [],
    revision: 1,
    applied: [],
    sizes: [],
    holding: false,
  });
  server.known.clear();
  closeCanvas();
  stopSync();
  stopSync = startSync();
  await openCanvas('canvas-1');
});

describe('the layout of this tab and that of the server', () => {
  it('a drag across a reconnect ends where it was let go', async () => {
    server.holding = true;
    move('note-a', 100);
    await settled();
    await lose();
    move('note-a', 200);
    const back = reconnect();
    move('note-a', 300);
    await back;
    expect(server.applied).toEqual(['note-a to 100', 'note-a to 200', 'note-a to 300']);
    expect([shown('note-a'), (server.items.get('note-a') as CanvasItem).x]).toEqual([300, 300]);
  });

  it('what was done without a connection arrives although another canvas is shown by then', async () => {
    await lose();
    move('note-a', 300);
    closeCanvas();
    await reconnect();
    expect(server.applied).toEqual(['note-a to 300']);
  });

  it('an item that could not be read disappears when another tab discards it', async () => {
    server.corrupt = [
      { id: 'note-x', reason: 'not JSON' },
      { id: 'note-y', reason: 'not JSON' },
    ];
    await openCanvas('canvas-1');
    server.changed({ canvasId: 'canvas-1', revision: ++server.revision, changes: [{ type: 'remove', id: 'note-x' }] });
    expect(canvasState().corrupt.map(({ id }) => id)).toEqual(['note-y']);
  });

  it('a terminal that is being closed is hidden, and comes back where it was when that is undone', async () => {
    const card = {
      v: 1,
      id: 'card-a',
      kind: 'terminal',
      sessionId: 'session-a',
      ...place(70),
      height: 160,
      width: 280,
    };
    server.items.set('card-a', card);
    await openCanvas('canvas-1');
    const say = (closingAt: number | undefined) => {
      const before = { sessions: server.sessions };
      server.sessions = { 'session-a': { record: { id: 'session-a', closingAt } } };
      server.sessionsChanged({ sessions: server.sessions }, before);
    };
    say(undefined);
    const all = canvasState().items;
    expect([...all.keys()]).toEqual(['note-a', 'card-a']);
    say(1);
    expect([...canvasState().items.keys()]).toEqual(['note-a']);
    move('note-a', 10);
    expect([...canvasState().items.keys()]).toEqual(['note-a']);
    say(undefined);
    expect([shown('card-a'), shown('note-a')]).toEqual([70, 10]);
  });

  it('what was asked for ahead is not shown when it changed before anybody looked', async () => {
    closeCanvas();
    localStorage.setItem('tessera.canvas', 'canvas-1');
    server.greeted();
    await settled();
    server.items.set('note-a', { ...(server.items.get('note-a') as CanvasItem), ...place(500) });
    const changes = [{ type: 'place', id: 'note-a', ...place(500) }];
    server.changed({ canvasId: 'canvas-1', revision: ++server.revision, changes });
    await openCanvas('canvas-1');
    expect(shown('note-a')).toBe(500);
  });

  it('what was asked for ahead is not shown when nobody listened meanwhile', async () => {
    closeCanvas();
    localStorage.setItem('tessera.canvas', 'canvas-1');
    server.greeted();
    await settled();
    stopSync();
    server.items.set('note-a', { ...(server.items.get('note-a') as CanvasItem), ...place(500) });
    server.revision++;
    stopSync = startSync();
    await openCanvas('canvas-1');
    expect(shown('note-a')).toBe(500);
  });

  it('what was done a moment before the page goes is sent, whatever is on its way', async () => {
    server.holding = true;
    move('note-a', 100);
    await settled();
    server.holding = false;
    move('note-a', 200);
    window.dispatchEvent(new Event('pagehide'));
    await settled();
    expect(server.applied.at(-1)).toBe('note-a to 200');
    await lose();
    await reconnect();
    expect(shown('note-a')).toBe(200);
  });

  it('many long notes go in several messages, each small enough for the socket', async () => {
    const text = 'ж'.repeat(10_000);
    const notes = Array.from({ length: 120 }, (_, index): ItemChange => {
      const item = { v: 1, id: `long-note-${index}`, kind: 'note', text, colour: 'amber', ...place(index) } as const;
      return { type: 'put', item };
    });
    commit(notes);
    await vi.waitFor(() => expect(server.sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(2_400_000));
    expect(Math.max(...server.sizes)).toBeLessThan(SocketLimits.maxMessageBytes);
    expect(canvasState().items.size).toBe(121);
  });
});
