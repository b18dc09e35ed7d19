import type { SessionInfo } from '../../schemas/terminals';
import type { Mirror } from './mirror';
import type { ShellState } from './osc';
import type { Program } from './program';
import type { JournalWriter } from './session-hooks';

const MAX_LAST_LINE = 400;

/** What a session is made of, as far as others hear of it. */
export interface SessionParts {
  id: string;
  revision: number;
  size: { cols: number; rows: number };
  produced: number;
  cwd: string | undefined;
  program: Pick<Program, 'state' | 'pid' | 'exit' | 'notice' | 'startedAt' | 'endedAt'>;
  shell: ShellState;
  mirror: Mirror;
  /** Absent: output is not kept on disk. */
  journal: JournalWriter | undefined;
}

/** What the server and its tabs are told of a session. */
export function describeSession(parts: SessionParts): SessionInfo {
  const { id, revision, size, produced, cwd, shell, mirror, journal } = parts;
  const { state, pid, exit, notice, startedAt, endedAt } = parts.program;
  const { active, alt } = mirror.core._bufferService.buffers;
  return {
    sessionId: id,
    revision,
    state,
    ...(pid === undefined ? {} : { pid }),
    ...(exit ? { exit } : {}),
    ...size,
    produced,
    keptFrom: journal?.keptFrom ?? produced,
    title: shell.title,
    ...(cwd ? { cwd } : {}),
    lastLine: mirror.lastLine().slice(0, MAX_LAST_LINE),
    ...(shell.progress ? { progress: shell.progress } : {}),
    ...(shell.busy === undefined ? {} : { busy: shell.busy }),
    ...(shell.lastStatus === undefined ? {} : { lastStatus: shell.lastStatus }),
    altScreen: active === alt,
    journal: journal?.state ?? { state: 'off' },
    ...(notice ? { notice } : {}),
    startedAt,
    ...(endedAt === undefined ? {} : { endedAt }),
  };
}
