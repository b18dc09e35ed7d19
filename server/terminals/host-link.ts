import type { PtyHostClient } from '../../schemas/pty-host';
import type { PtyHostState } from '../../schemas/realtime';
import { type Failure, FailureError } from '../../schemas/result';
import { Heartbeat } from './heartbeat';
import type { Log } from './log';

/** Pauses before the second, third… attempt to reach or start a pty host; the last one is repeated. */
const BACK_OFF_MS = [250, 500, 1000, 2000, 5000, 10_000];
/** One that is there and does not answer: asking takes long enough by itself. */
const SILENT_PAUSE_MS = 250;
/** A call that comes while the pty host starts, or does not answer yet, waits this long for it. */
const PATIENCE_MS = 8_000;

/** What happens to the link, told in order. */
export interface LinkListener {
  changed(state: PtyHostState): void;
  /** A host is there. Calls of tabs wait until this is through; if it throws, the link is dropped and tried anew. */
  connected(client: PtyHostClient): Promise<void>;
  /** No host is there, and the first attempt to get another failed too. Not told of one that only does not answer. */
  lost(reason: Failure): void;
}

/** Keeps the server connected to a pty host: adopts a running one or starts one, again after every loss. */
export class HostLink {
  private client: PtyHostClient | undefined;
  private state: PtyHostState = { state: 'starting' };
  private attempts = 0;
  private timer: NodeJS.Timeout | undefined;
  private heartbeat: Heartbeat | undefined;
  private stopped = false;
  private waiting: { resolve(client: PtyHostClient): void; reject(error: Error): void; timer: NodeJS.Timeout }[] = [];

  constructor(
    private readonly connect: () => Promise<PtyHostClient>,
    private readonly listener: LinkListener,
    private readonly log: Log,
  ) {}

  get current(): PtyHostState {
    return this.state;
  }

  /** Resolves when the first attempt has ended, well or not. */
  async start(): Promise<void> {
    await this.attempt();
  }

  /** Lets go of the host, for good. What runs in it goes on, unless `farewell` ends it. */
  async stop(farewell?: (client: PtyHostClient) => Promise<unknown>): Promise<void> {
    // First of all: a host that ends because we asked it to must not be followed by another.
    this.stopped = true;
    clearTimeout(this.timer);
    this.heartbeat?.stop();
    const { client } = this;
    this.client = undefined;
    this.settle(stopping());
    try {
      if (client && farewell) await farewell(client);
    } finally {
      client?.close();
    }
  }

  /** The connected client, at once if there is one. Notices use it: without a host there is nobody to tell. */
  get now(): PtyHostClient | undefined {
    return this.client;
  }

  /** The client, once it is connected. Fails with the reason when there is none, or none in time. */
  async ready(): Promise<PtyHostClient> {
    if (this.client) return this.client;
    if (this.stopped) throw stopping();
    if (this.state.state !== 'starting' && this.state.state !== 'silent') throw failureError(this.state.reason);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting = this.waiting.filter((entry) => entry.timer !== timer);
        reject(
          this.state.state === 'silent'
            ? new FailureError('pty-host-silent', 'The process that holds the terminals does not answer at the moment.')
            : new FailureError('pty-host-starting', 'The terminals are not ready yet. Try again in a moment.'),
        );
      }, PATIENCE_MS);
      this.waiting.push({ resolve, reject, timer });
    });
  }

  private async attempt(): Promise<void> {
    let client: PtyHostClient;
    try {
      client = await this.connect();
    } catch (error) {
      this.failed(toFailure(error));
      return;
    }
    if (this.stopped) {
      client.close();
      return;
    }
    let gone: string | undefined;
    client.on('gone', (reason) => {
      gone = reason;
      if (this.client === client && !this.stopped) this.dropped(reason);
    });
    try {
      await this.listener.connected(client);
    } catch (error) {
      client.close();
      if (!this.stopped) this.failed(toFailure(error));
      return;
    }
    if (this.stopped) {
      client.close();
      return;
    }
    if (gone !== undefined) {
      this.failed({ code: 'pty-host-gone', message: goneMessage(gone), params: { reason: gone } });
      return;
    }
    this.client = client;
    this.attempts = 0;
    this.become({ state: 'connected' });
    this.heartbeat = this.listenTo(client);
    for (const { resolve, timer } of this.waiting.splice(0)) {
      clearTimeout(timer);
      resolve(client);
    }
  }

  /** A host that is stuck is told of and kept: what runs in it goes on when it does. */
  private listenTo(client: PtyHostClient): Heartbeat {
    return new Heartbeat(client, {
      silent: () => {
        this.log.warn({}, 'the pty host does not answer');
        this.become({ state: 'silent' });
      },
      answered: () => {
        this.log.info({}, 'the pty host answers again');
        this.become({ state: 'connected' });
      },
    });
  }

  private dropped(reason: string): void {
    this.client = undefined;
    this.heartbeat?.stop();
    this.log.warn({ reason }, 'the pty host is gone');
    this.become({ state: 'starting' });
    // At once: it may only be the connection that broke.
    void this.attempt();
  }

  private failed(reason: Failure): void {
    if (this.stopped) return;
    if (isSilence(reason)) {
      // Its terminals are as they were, and nothing may be started in their place.
      this.log.warn({ code: reason.code, reason: reason.message }, 'the pty host does not answer');
      if (this.state.state !== 'silent') this.become({ state: 'silent' });
      this.again(SILENT_PAUSE_MS);
      return;
    }
    this.log.error({ code: reason.code, reason: reason.message }, 'no pty host');
    this.become({ state: reason.code === 'pty-host-mismatch' ? 'mismatch' : 'gone', reason });
    this.settle(failureError(reason));
    this.listener.lost(reason);
    this.again(BACK_OFF_MS[Math.min(this.attempts, BACK_OFF_MS.length - 1)]!);
    this.attempts += 1;
  }

  private again(pause: number): void {
    this.timer = setTimeout(() => void this.attempt(), pause);
    this.timer.unref();
  }

  private become(state: PtyHostState): void {
    this.state = state;
    this.listener.changed(state);
  }

  private settle(error: Error): void {
    for (const { reject, timer } of this.waiting.splice(0)) {
      clearTimeout(timer);
      reject(error);
    }
  }
}

function stopping(): FailureError {
  return new FailureError('server-stopping', 'The server is stopping.');
}

/** It is there and took longer than a question may take. */
function isSilence({ code }: Failure): boolean {
  return code === 'pty-host-silent' || code === 'pty-host-timeout';
}

export function toFailure(error: unknown): Failure {
  if (error instanceof FailureError) return error.toFailure();
  return { code: 'pty-host-failed', message: error instanceof Error ? error.message : String(error) };
}

function failureError(reason: Failure | undefined): FailureError {
  const { code, message, params } = reason ?? { code: 'pty-host-gone', message: goneMessage('unknown') };
  return new FailureError(code, message, params);
}

function goneMessage(reason: string): string {
  return `The process that holds the terminals ended (${reason}).`;
}
