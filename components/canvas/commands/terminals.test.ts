// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { TerminalCard } from '../../../schemas/canvas';

const server = vi.hoisted(() => ({ refusing: new Set<string>() }));
vi.mock('../../connection', () => ({
  call: async (name: string, { sessionId }: { sessionId: string }) => {
    if (name !== 'terminal:close-later') throw new Error(name);
    if (server.refusing.has(sessionId)) throw new Error('busy');
    return { undoable: true };
  },
  onServer: () => () => {},
  onGreeting: () => () => {},
  onReconnected: () => () => {},
  useSessions: { getState: () => ({ sessions: {} }) },
}));
vi.mock('../../i18n', () => ({ failureText: String, text: String }));
vi.mock('../../terminals', () => ({}));
vi.mock('../../ui', () => ({ isPhone: () => false, toastFailure: () => {}, toastInfo: () => {}, toastUndo: () => {} }));

const { camera } = await import('../camera/camera');
const { canvasState, setCanvas } = await import('../store/state');
const { maximise } = await import('./focus');
const { closeTerminals } = await import('./terminals');

const box = { x: 0, y: 0, width: 700, height: 430, z: 1 };
const card = (id: string): TerminalCard => ({ v: 1, kind: 'terminal', id, sessionId: `session-${id}`, ...box });

beforeEach(() => {
  vi.stubGlobal('matchMedia', () => ({ matches: true }));
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => void run());
  server.refusing.clear();
  camera.locked = false;
  setCanvas({
    items: new Map(['card-a', 'card-b'].map((id) => [id, card(id)])),
    maximised: null,
    status: 'ready',
    canvasId: 'canvas-1',
  });
  maximise('card-a');
});

describe('closing the card that fills the window', () => {
  it('gives the canvas back: it can be panned and zoomed', async () => {
    expect(camera.locked).toBe(true);
    expect(await closeTerminals(['card-a'])).toBe(true);
    expect([canvasState().maximised, camera.locked]).toEqual([null, false]);
  });

  it('leaves it where it is when it could not be closed, or another was closed', async () => {
    server.refusing.add('session-card-a');
    expect(await closeTerminals(['card-a'])).toBe(false);
    expect(await closeTerminals(['card-b'])).toBe(true);
    expect([canvasState().maximised?.id, camera.locked]).toEqual(['card-a', true]);
  });
});
