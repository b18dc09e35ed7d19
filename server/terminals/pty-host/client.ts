import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type {
  PtyHostArgs,
  PtyHostClient,
  PtyHostMessage,
  PtyHostMethod,
  PtyHostResults,
} from '../../../schemas/pty-host';
import { PtyHostProtocol } from '../../../schemas/pty-host';
import { FailureError } from '../../../schemas/result';
import { encodeMessage, MessageDecoder } from '../../pty-host';

interface Pending {
  method: string;
  resolve(result: never): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

/** More than this waiting in the socket: calls wait until the host has read it. */
const HIGH_WATER_BYTES = 4 * 1024 * 1024;

/** The server's end of one connection to the pty host. */
export class Client implements PtyHostClient {
  private readonly events = new EventEmitter();
  private readonly pending = new Map<number, Pending>();
  private readonly decoder = new MessageDecoder();
  private nextId = 1;
  private closed = false;
  private drained: Promise<void> | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly log: { error(details: object, message: string): void },
  ) {
    // Tests and rooms listen for as many sessions as there are.
    this.events.setMaxListeners(0);
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('error', (error) => this.lost(error.message));
    socket.on('close', () => this.lost('the connection was closed'));
  }

  async call<M extends PtyHostMethod>(
    method: M,
    params: PtyHostArgs<M>,
    bytes?: Uint8Array,
  ): Promise<PtyHostResults[M]> {
    if (this.closed) throw gone();
    if (this.socket.writableLength > HIGH_WATER_BYTES) await this.untilDrained();
    if (this.closed) throw gone();
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => {
          this.pending.delete(id);
          this.write({ type: 'cancel', id });
          reject(new FailureError('pty-host-timeout', `The pty host did not answer ${method} in time`, { method }));
        },
        timeoutOf(method, params),
      );
      this.pending.set(id, { method, resolve, reject, timer });
      this.write({ type: 'request', id, method, params }, bytes);
    });
  }

  notice(notice: string, params: unknown): void {
    if (!this.closed) this.write({ type: 'notice', notice, params });
  }

  on(event: 'data' | 'session' | 'removed' | 'signal' | 'gone', listener: (...args: never[]) => void): void {
    this.events.on(event, listener as (...args: unknown[]) => void);
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.failAll();
    this.socket.destroy();
  }

  private write(message: PtyHostMessage, bytes?: Uint8Array): void {
    const pieces = encodeMessage(message, bytes);
    if (pieces.length > 1) this.socket.cork();
    for (const piece of pieces) this.socket.write(piece);
    if (pieces.length > 1) this.socket.uncork();
  }

  private untilDrained(): Promise<void> {
    this.drained ??= new Promise<void>((resolve) => {
      const done = (): void => {
        this.drained = undefined;
        this.socket.off('drain', done);
        this.socket.off('close', done);
        resolve();
      };
      this.socket.once('drain', done);
      this.socket.once('close', done);
    });
    return this.drained;
  }

  private receive(chunk: Buffer): void {
    try {
      for (const { message, body } of this.decoder.push(chunk)) this.dispatch(message as PtyHostMessage, body);
    } catch (error) {
      this.log.error({ err: error }, 'the pty host sent something that is not a message');
      this.socket.destroy();
    }
  }

  private dispatch(message: PtyHostMessage, body: Buffer | undefined): void {
    switch (message.type) {
      case 'reply': {
        const pending = this.pending.get(message.id);
        if (!pending) return;
        this.pending.delete(message.id);
        clearTimeout(pending.timer);
        if (message.ok) pending.resolve(message.result as never);
        else pending.reject(new FailureError(message.error.code, message.error.message, message.error.params));
        return;
      }
      case 'data':
        this.emit('data', message.viewerId, message.header, body);
        return;
      case 'session':
        this.emit('session', message.info);
        return;
      case 'removed':
        this.emit('removed', message.sessionId);
        return;
      case 'signal':
        this.emit('signal', message.signal);
        return;
      default:
        // A newer host may say more than we know.
        return;
    }
  }

  /** A listener that throws is a fault of ours, not of the connection. */
  private emit(event: string, ...args: unknown[]): void {
    try {
      this.events.emit(event, ...args);
    } catch (error) {
      this.log.error({ err: error, event }, 'a listener of the pty host failed');
    }
  }

  private lost(reason: string): void {
    if (this.closed) return;
    this.closed = true;
    this.failAll();
    this.socket.destroy();
    this.emit('gone', reason);
  }

  private failAll(): void {
    for (const pending of this.pending.values()) {
      clearTimeout(pending.timer);
      pending.reject(gone());
    }
    this.pending.clear();
  }
}

const gone = (): FailureError => new FailureError('pty-host-gone', 'The connection to the pty host is lost');

/** `end` waits for the programs' grace time, on purpose. */
function timeoutOf(method: string, params: unknown): number {
  const grace = method === 'end' ? (params as PtyHostArgs<'end'>).graceMs : 0;
  return PtyHostProtocol.requestTimeoutMs + grace;
}
