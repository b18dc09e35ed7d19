import type { Socket } from 'node:net';
import { type TSchema, Type } from '@sinclair/typebox';
import { type PtyHostMessage, type PtyHostMethod, ptyHostMethods, ptyHostNotices } from '../../schemas/pty-host';
import { type Failure, FailureError } from '../../schemas/result';
import type { SessionInfo } from '../../schemas/terminals';
import { Validators } from '../../schemas/validators';
import { encodeMessage, FramingError, MessageDecoder } from './framing';
import { describeError, type Log } from './log';

/** More than this waits for a server that does not read: news of sessions is held back and only the latest sent. */
const BUSY_BYTES = 1024 * 1024;

// Keys that a newer server adds are ignored.
const validators = new Validators({ removeAdditional: true });
const Params = Type.Record(Type.String(), Type.Unknown());
const Request = Type.Object({
  type: Type.Literal('request'),
  id: Type.Integer({ minimum: 0 }),
  method: Type.String({ maxLength: 64 }),
  params: Params,
});
const Cancel = Type.Object({ type: Type.Literal('cancel'), id: Type.Integer({ minimum: 0 }) });
const Notice = Type.Object({ type: Type.Literal('notice'), notice: Type.String({ maxLength: 64 }), params: Params });
const methods: Readonly<Record<string, TSchema>> = ptyHostMethods;
const notices: Readonly<Record<string, TSchema>> = ptyHostNotices;

export interface ConnectionHandlers {
  call(method: PtyHostMethod, params: never, body: Buffer | undefined, connection: Connection): Promise<unknown>;
  notice(name: keyof typeof ptyHostNotices, params: never): void;
  closed(connection: Connection): void;
}

/** One server on the socket. A message that is not one of the protocol's ends the connection, and nothing else. */
export class Connection {
  /** Set by `hello`; before it nothing else is answered. */
  greeted = false;
  private readonly decoder = new MessageDecoder();
  private readonly cancelled = new Set<number>();
  private readonly running = new Set<number>();
  private readonly infos = new Map<string, SessionInfo>();

  constructor(
    private readonly socket: Socket,
    private readonly handlers: ConnectionHandlers,
    private readonly log: Log,
  ) {
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('drain', () => this.sendInfos());
    socket.on('error', (error) => log.info('connection failed', { reason: error.message }));
    socket.on('close', () => handlers.closed(this));
  }

  send(message: PtyHostMessage, body?: Uint8Array): void {
    if (this.socket.destroyed) return;
    const pieces = encodeMessage(message, body);
    if (pieces.length > 1) this.socket.cork();
    for (const piece of pieces) this.socket.write(piece);
    if (pieces.length > 1) this.socket.uncork();
  }

  /** News of a session; of several that wait only the last is sent. */
  sendInfo(info: SessionInfo): void {
    if (this.socket.writableLength > BUSY_BYTES) this.infos.set(info.sessionId, info);
    else this.send({ type: 'session', info });
  }

  /** Something for now only: dropped when the server does not read. */
  sendPassing(message: PtyHostMessage): void {
    if (this.socket.writableLength <= BUSY_BYTES) this.send(message);
  }

  private sendInfos(): void {
    for (const info of this.infos.values()) this.send({ type: 'session', info });
    this.infos.clear();
  }

  private receive(chunk: Buffer): void {
    try {
      for (const { message, body } of this.decoder.push(chunk)) {
        if (this.socket.destroyed) return;
        this.dispatch(message, body);
      }
    } catch (error) {
      const reason = error instanceof FramingError ? error.message : describeError(error);
      this.log.error('connection closed: malformed message', { reason });
      this.socket.destroy();
    }
  }

  private dispatch(message: unknown, body: Buffer | undefined): void {
    if (validators.of(Request)(message)) void this.answer(message.id, message.method, message.params, body);
    else if (validators.of(Notice)(message)) {
      const schema = Object.hasOwn(notices, message.notice) ? notices[message.notice] : undefined;
      // A notice that is not known comes from a newer server.
      if (!schema) return;
      if (!validators.of(schema)(message.params))
        throw new FramingError(`Notice ${message.notice} with wrong parameters`);
      if (this.greeted) this.handlers.notice(message.notice as keyof typeof ptyHostNotices, message.params as never);
    } else if (validators.of(Cancel)(message)) {
      if (this.running.has(message.id)) this.cancelled.add(message.id);
    } else throw new FramingError('A message that is neither request, cancel nor notice');
  }

  private async answer(
    id: number,
    method: string,
    params: Record<string, unknown>,
    body: Buffer | undefined,
  ): Promise<void> {
    this.running.add(id);
    let reply: PtyHostMessage;
    try {
      reply = { type: 'reply', id, ok: true, result: await this.call(method, params, body) };
    } catch (error) {
      reply = { type: 'reply', id, ok: false, error: this.failureOf(method, error) };
    }
    this.running.delete(id);
    if (!this.cancelled.delete(id)) this.send(reply);
  }

  private call(method: string, params: Record<string, unknown>, body: Buffer | undefined): Promise<unknown> {
    const schema = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (!schema) throw new FailureError('unknown-method', `This pty host does not know "${method}"`, { method });
    const valid = validators.of(schema);
    if (!valid(params)) {
      throw new FailureError('invalid-params', `${method}: ${validators.ajv.errorsText(valid.errors)}`.slice(0, 500));
    }
    if (!this.greeted && method !== 'hello') throw new FailureError('no-hello', 'The first message has to be hello');
    return this.handlers.call(method as PtyHostMethod, params as never, body, this);
  }

  private failureOf(method: string, error: unknown): Failure {
    if (error instanceof FailureError) return error.toFailure();
    this.log.error('request failed', { method, error: describeError(error) });
    return {
      code: 'internal',
      message: `The pty host failed at ${method}: ${error instanceof Error ? error.message : error}`.slice(0, 2000),
    };
  }
}
