import type { Readable } from 'node:stream';
import type { Need } from '../../schemas/attention';
import type { PtyHostState } from '../../schemas/realtime';
import { FailureError } from '../../schemas/result';
import type { SessionView } from '../../schemas/terminals';
import type { RealtimeRoom } from '../realtime';
import { Closings } from './closings';
import { terminalsRoom } from './room';
import { Terminals, type TerminalsSurroundings } from './terminals';

export type { Log } from './log';
export { connectPtyHost } from './pty-host';
export type { TerminalsSurroundings } from './terminals';

export interface TerminalsRoom {
  room: RealtimeRoom;
  /** Adopts the running pty host or starts one, in the background; open the first project before. */
  start(): void;
  /** Lets go of the pty host and what runs in it, or ends both. */
  stop(options?: { endSessions?: boolean }): Promise<void>;
  /** Resolves when the first attempt to reach a pty host has ended, well or not. */
  readonly started: Promise<void>;
  sessions(): SessionView[];
  /** Who needs the person, the oldest first. */
  needs(): Need[];
  ptyHost(): PtyHostState;
  /** Stored sessions that cannot be read. */
  corrupt(): { table: string; id: string; reason: string }[];
  /** Saves a file that was dropped onto a terminal into the session's private folder; all of it or nothing. */
  saveUpload(sessionId: string, name: string, stream: Readable): Promise<{ path: string }>;
}

/** Terminals: sessions with their cards, and the connection to the process in which they run. */
export function createTerminals(surroundings: TerminalsSurroundings): TerminalsRoom {
  const terminals = new Terminals(surroundings);
  const closings = new Closings(terminals, surroundings.log);
  let begun: () => void;
  const started = new Promise<void>((done) => {
    begun = done;
  });
  return {
    room: terminalsRoom(terminals, closings),
    start: () => {
      void terminals.start().finally(begun);
      closings.resume();
    },
    started,
    stop: async (options) => {
      await closings.finish();
      await terminals.stop(options);
    },
    sessions: () => terminals.views(),
    needs: () => terminals.attention.list(),
    ptyHost: () => terminals.ptyHost,
    corrupt: () => terminals.corrupt(),
    saveUpload: async (sessionId, name, stream) => {
      try {
        terminals.require(sessionId);
      } catch (error) {
        stream.destroy();
        throw error instanceof FailureError ? error : new Error('upload', { cause: error });
      }
      return terminals.uploads.save(sessionId, name, stream);
    },
  };
}
