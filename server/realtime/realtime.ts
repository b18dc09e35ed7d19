import { createServer, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { Server, type Socket } from 'socket.io';
import { notices, SocketLimits } from '../../schemas/realtime';
import { Dispatcher, strayCalls } from './dispatcher';
import { TokenBucket } from './rate';
import type { Broadcast, RealtimeRoom, Tab } from './types';

/** What a tab may cost. A canvas with hundreds of live cards stays far below. */
const Limits = {
  callBurst: 3_000,
  callsPerSecond: 500,
  noticeBurst: 50_000,
  noticesPerSecond: 20_000,
  /** A dead tab is noticed within the sum of the two, milliseconds. */
  pingEveryMs: 10_000,
  pongWithinMs: 10_000,
  /** A socket that has not shown its key by then is closed, milliseconds. */
  connectWithinMs: 5_000,
  maxSockets: 256,
} as const;

export interface RealtimeParts {
  log: Logger;
  /** Checked before the first event; `browserId` is that of the cookie which opened the socket. */
  keyMatches(browserId: string, key: unknown): boolean;
}

/** The sockets of open tabs: typed calls in, typed events out, nothing decided here. */
export class Realtime {
  private readonly io: Server;
  private readonly dispatcher: Dispatcher;
  private readonly browserOf = new WeakMap<IncomingMessage, string>();

  constructor(private readonly parts: RealtimeParts) {
    this.dispatcher = new Dispatcher(parts.log);
    // It never listens: our own upgrade listener hands over what it let in.
    this.io = new Server(createServer(), {
      path: SocketLimits.path,
      transports: ['websocket'],
      serveClient: false,
      maxHttpBufferSize: SocketLimits.maxMessageBytes,
      perMessageDeflate: false,
      httpCompression: false,
      pingInterval: Limits.pingEveryMs,
      pingTimeout: Limits.pongWithinMs,
      connectTimeout: Limits.connectWithinMs,
      allowUpgrades: false,
      cookie: false,
    });
    this.io.engine.on('connection_error', (error: { code: number }) =>
      parts.log.debug({ code: error.code }, 'socket refused'),
    );
    this.io.use((socket, next) => {
      const browserId = this.browserOf.get(socket.request);
      if (browserId === undefined || !parts.keyMatches(browserId, socket.handshake.auth.key)) {
        next(Object.assign(new Error('unauthorized'), { data: { code: 'unauthorized', message: 'Sign in first.' } }));
      } else if (this.io.sockets.sockets.size >= Limits.maxSockets) {
        next(
          Object.assign(new Error('too many tabs'), {
            data: { code: 'too-many-tabs', message: 'Too many tabs are open.' },
          }),
        );
      } else {
        socket.data.browserId = browserId;
        next();
      }
    });
    this.io.on('connection', (socket) => this.connected(socket));
  }

  /** The rooms that answer; once, before the listener serves. Each call and notice has exactly one. */
  use(rooms: readonly RealtimeRoom[]): void {
    const stray = strayCalls(rooms);
    if (stray.length > 0) throw new Error(`not answered by exactly one room: ${stray.join(', ')}`);
    this.dispatcher.use(rooms);
  }

  /** Makes a socket of a connection that the policy and the cookie let in. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, browserId: string): void {
    this.browserOf.set(request, browserId);
    this.io.engine.handleUpgrade(request, socket, head);
  }

  readonly broadcast: Broadcast = (event, ...args) => {
    this.io.emit(event, ...args);
  };

  /** Tells the tabs of a browser that it was signed out, and ends their sockets. */
  disconnect(browserId: string): void {
    for (const socket of this.io.sockets.sockets.values()) {
      if (socket.data.browserId !== browserId) continue;
      socket.emit('auth:revoked');
      socket.disconnect(true);
    }
  }

  /** Browsers that have a tab open. */
  openBrowsers(): Set<string> {
    return new Set([...this.io.sockets.sockets.values()].map((socket) => socket.data.browserId as string));
  }

  get openTabs(): number {
    return this.io.sockets.sockets.size;
  }

  async close(): Promise<void> {
    this.io.disconnectSockets(true);
    await this.io.close();
  }

  private connected(socket: Socket): void {
    const tab: Tab = {
      id: socket.id,
      browserSessionId: socket.data.browserId as string,
      emit: (event, ...args) => void socket.emit(event, ...args),
    };
    const callRate = new TokenBucket(Limits.callBurst, Limits.callsPerSecond);
    const noticeRate = new TokenBucket(Limits.noticeBurst, Limits.noticesPerSecond);
    socket.onAny((name: string, ...args: unknown[]) => {
      const answer = args.at(-1);
      if (Object.hasOwn(notices, name)) {
        if (noticeRate.take()) this.dispatcher.notice(name, args[0], tab);
        else socket.disconnect(true);
      } else if (typeof answer !== 'function') {
        this.parts.log.debug({ tab: tab.id }, 'a call without a way to answer it');
      } else if (callRate.take()) {
        void this.dispatcher.call(name, args.length > 1 ? args[0] : undefined, tab).then((result) => answer(result));
      } else {
        answer({
          ok: false,
          error: { code: 'too-many-calls', message: 'This tab asks too much at once; wait a moment.' },
        });
      }
    });
    socket.on('error', (error) => this.parts.log.debug({ err: error }, 'socket failed'));
    socket.on('disconnect', () => this.dispatcher.tabGone(tab));
  }
}
