import { create } from 'zustand';
import type { Canvas, Project } from '../../schemas/canvas';
import type { Hello, PtyHostState } from '../../schemas/realtime';
import { defaultSettings, type Settings } from '../../schemas/settings';
import type { SessionMap } from './sessions';

export type ConnectionStatus = 'connecting' | 'connected' | 'reconnecting' | 'signed-out';

/** The connection of this tab. `hello` is the last one that was answered and stays while the tab reconnects. */
export const useConnection = create<{ status: ConnectionStatus; hello: Hello | null }>(() => ({
  status: 'connecting',
  hello: null,
}));

/** Every session of the server by its id. */
export const useSessions = create<{ sessions: SessionMap }>(() => ({ sessions: {} }));

/** The settings; the defaults until the first hello. */
export const useSettings = create<{ settings: Settings }>(() => ({ settings: defaultSettings }));

export const usePtyHost = create<{ ptyHost: PtyHostState }>(() => ({ ptyHost: { state: 'starting' } }));

/** Projects, newest first as the server gives them, and all canvases. */
export const useCanvases = create<{ projects: Project[]; canvases: Canvas[] }>(() => ({ projects: [], canvases: [] }));
