import type { Exit, SessionInfo, SessionSignal } from '../../schemas/terminals';
import type { StartPty } from './pty';

/** A session's output on disk. */
export interface JournalWriter {
  readonly state: SessionInfo['journal'];
  readonly keptFrom: number;
  readonly lag: number;
  append(bytes: Buffer): void;
  size(offset: number, cols: number, rows: number): void;
  update(change: { exit?: Exit; startedAt?: number; endedAt?: number; title?: string; cwd?: string }): void;
}

/** What a session needs of the world. */
export interface SessionHooks {
  now(): number;
  defer(run: () => void): void;
  later(ms: number, run: () => void): () => void;
  startPty: StartPty;
  /** The session has work for the scheduler. */
  work(): void;
  info(info: SessionInfo): void;
  signal(signal: SessionSignal): void;
  failed(error: unknown): void;
  /** Something floods, so that frames of what is not looked at may come slower. */
  underLoad(): boolean;
  /** The folder of the program in the foreground. */
  folderOf(pid: number): string | undefined;
}
