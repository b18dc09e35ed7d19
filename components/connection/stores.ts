import { create } from 'zustand';
import type { Canvas, Project } from '../../schemas/canvas';
import type { Hello, PtyHostState } from '../../schemas/realtime';
import type { Failure } from '../../schemas/result';
import { defaultSettings, type Settings } from '../../schemas/settings';
import type { SessionMap } from './sessions';

/** `refused`: the server is there, but answers with the failure; it is asked again by itself, less and less often. */
export type ConnectionStatus = 'connecting' | 'connected' | 'reconnecting' | 'refused' | 'signed-out';

interface Connection {
  status: ConnectionStatus;
  /** The last one that was answered; it stays while the tab reconnects. */
  hello: Hello | null;
  /** Set while the status is `refused`. */
  failure: Failure | null;
}

/** The connection of this tab. */
export const useConnection = create<Connection>(() => ({ status: 'connecting', hello: null, failure: null }));

/** Every session of the server by its id. */
export const useSessions = create<{ sessions: SessionMap }>(() => ({ sessions: {} }));

/** The settings; the defaults until the first hello. */
export const useSettings = create<{ settings: Settings }>(() => ({ settings: defaultSettings }));

export const usePtyHost = create<{ ptyHost: PtyHostState }>(() => ({ ptyHost: { state: 'starting' } }));

/** Projects, newest first as the server gives them, and all canvases. */
export const useCanvases = create<{ projects: Project[]; canvases: Canvas[] }>(() => ({ projects: [], canvases: [] }));
