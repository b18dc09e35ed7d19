import { EventEmitter } from 'node:events';
import type { LaunchSpec, PtyHostArgs, PtyHostClient, PtyHostMethod, PtyHostResults } from '../../schemas/pty-host';
import { FailureError } from '../../schemas/result';
import type { SessionInfo } from '../../schemas/terminals';

type Call = { method: PtyHostMethod; params: Record<string, unknown>; bytes?: Uint8Array | undefined };

/** For unit tests: what a pty host keeps, without processes. Journals outlive it, as on a disk. */
export class FakePtyHost {
  readonly sessions = new Map<string, SessionInfo>();
  readonly specs = new Map<string, LaunchSpec>();
  readonly calls: Call[] = [];
  readonly events = new EventEmitter();
  readonly failing = new Map<PtyHostMethod, Error>();
  /** Waited for before a call is answered. */
  readonly slow = new Map<PtyHostMethod, Promise<unknown>>();
  closed = false;
  alive = true;
  onShutdown: () => void = () => undefined;

  constructor(readonly journals: Map<string, SessionInfo>) {}

  connect(): PtyHostClient {
    if (!this.alive) throw new FailureError('pty-host-failed', 'it is dead');
    return {
      call: async <M extends PtyHostMethod>(method: M, params: PtyHostArgs<M>, bytes?: Uint8Array) => {
        this.calls.push({ method, params, bytes });
        if (!this.alive) throw new FailureError('pty-host-gone', 'it is dead');
        await this.slow.get(method);
        const error = this.failing.get(method);
        if (error) throw error;
        return this.answer(method, params as never) as PtyHostResults[M];
      },
      notice: () => undefined,
      on: (event: string, listener: (...args: never[]) => void) => {
        this.events.on(event, listener as (...args: unknown[]) => void);
      },
      close: () => {
        this.closed = true;
        this.events.removeAllListeners();
      },
    };
  }

  /** As `kill -9`: journals stay. */
  die(reason = 'killed'): void {
    this.alive = false;
    this.events.emit('gone', reason);
  }

  change(sessionId: string, change: Partial<SessionInfo>): SessionInfo {
    const before = this.sessions.get(sessionId)!;
    const info = { ...before, ...change, revision: before.revision + 1 };
    this.sessions.set(sessionId, info);
    if (info.journal.state === 'on') this.journals.set(sessionId, info);
    else this.journals.delete(sessionId);
    this.events.emit('session', info);
    return info;
  }

  called(method: PtyHostMethod): Record<string, unknown>[] {
    return this.calls.filter((call) => call.method === method).map((call) => call.params);
  }

  private answer(method: PtyHostMethod, params: { sessionId: string; spec: LaunchSpec; on: boolean }): unknown {
    const { sessionId } = params;
    switch (method) {
      case 'list':
        return { sessions: [...this.sessions.values()] };
      case 'start':
        if (this.sessions.has(sessionId)) throw new FailureError('session-exists', 'there is one with this id');
        return { info: this.run(sessionId, params.spec) };
      case 'restart':
        if (this.sessions.get(sessionId)?.state === 'running') {
          throw new FailureError('session-running', 'it runs already');
        }
        return { info: this.run(sessionId, params.spec) };
      case 'restore': {
        const kept = this.journals.get(sessionId);
        if (!kept) throw new FailureError('no-journal', 'nothing kept');
        const { pid: _pid, ...rest } = kept;
        this.sessions.set(sessionId, { ...rest, state: 'ended', exit: {} });
        return { info: this.sessions.get(sessionId) };
      }
      case 'forget':
        if (this.sessions.get(sessionId)?.state === 'running') {
          throw new FailureError('session-running', 'it still runs');
        }
        this.sessions.delete(sessionId);
        this.journals.delete(sessionId);
        return null;
      case 'end':
        this.known(sessionId);
        this.change(sessionId, { state: 'ended', exit: { signal: 'SIGHUP' } });
        return { survivors: [] };
      case 'journal':
        return { info: this.change(sessionId, { journal: { state: params.on ? 'on' : 'off' } }) };
      case 'attach':
        return { info: this.known(sessionId) };
      case 'processes':
        return { processes: [] };
      case 'shutdown':
        this.onShutdown();
        return null;
      default:
        return null;
    }
  }

  private known(sessionId: string): SessionInfo {
    const info = this.sessions.get(sessionId);
    if (!info) throw new FailureError('session-unknown', 'no such session');
    return info;
  }

  private run(sessionId: string, spec: LaunchSpec): SessionInfo {
    const before = this.sessions.get(sessionId);
    this.specs.set(sessionId, spec);
    this.sessions.set(sessionId, {
      sessionId,
      revision: before?.revision ?? 0,
      state: 'running',
      cols: spec.cols,
      rows: spec.rows,
      produced: before?.produced ?? 0,
      keptFrom: 0,
      title: '',
      cwd: spec.cwd,
      lastLine: '',
      altScreen: false,
      journal: { state: spec.journal ? 'on' : 'off' },
      startedAt: Date.now(),
      ...(spec.notice ? { notice: spec.notice } : {}),
    });
    return this.change(sessionId, { pid: 1000 + this.sessions.size });
  }
}
