import type { Broadcast, RealtimeRoom } from '../realtime';
import type { Storage } from '../storage';
import { Canvases } from './canvases';

export type { Canvases, CanvasListener } from './canvases';

export interface CanvasRoom {
  room: RealtimeRoom;
  canvases: Canvases;
}

/** Canvases and what lies on them: the layout that every tab shares. */
export function createCanvases({ storage, broadcast }: { storage: Storage; broadcast: Broadcast }): CanvasRoom {
  const canvases = new Canvases(storage, broadcast);
  return {
    canvases,
    room: {
      calls: {
        'canvas:create': ({ opId, projectId, name }) => canvases.create(opId, projectId, name),
        'canvas:rename': ({ canvasId, name }) => canvases.rename(canvasId, name),
        'canvas:delete': async ({ canvasId }) => {
          await canvases.delete(canvasId);
          return null;
        },
        'canvas:open': ({ canvasId }) => canvases.open(canvasId),
        'canvas:apply': ({ canvasId, opId, changes }) => ({ revision: canvases.apply(canvasId, opId, changes) }),
        'canvas:discard-corrupt': ({ canvasId, itemId }) => {
          canvases.discardCorrupt(canvasId, itemId);
          return null;
        },
      },
    },
  };
}
