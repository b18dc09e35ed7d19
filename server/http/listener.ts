import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { FailureError } from '../../schemas/result';

/** What a listener bears before it closes; a person's own tabs stay far below. */
const Limits = {
  /** Bytes of all headers of a request. */
  maxHeaderBytes: 16 * 1024,
  /** Whole headers must be there this soon after the connection, milliseconds. */
  headersMs: 10_000,
  /** A whole request, an upload too, milliseconds. */
  requestMs: 5 * 60_000,
  keepAliveMs: 5_000,
  checkEveryMs: 1_000,
  /** Open connections a listener; more are closed at once. */
  maxConnections: 1_024,
  /** Tries to find a port that is free on both addresses. */
  attempts: 20,
} as const;

export type OnRequest = (request: IncomingMessage, response: ServerResponse) => void;
export type OnUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

const notNow: OnRequest = (_request, response) => response.writeHead(503, { 'Retry-After': '1' }).end();
const notNowEither: OnUpgrade = (_request, socket) => void socket.destroy();

/** The app's listeners: 127.0.0.1, and ::1 where there is one, on one port. Nothing is answered until `serve`. */
export class LoopbackListener {
  private servers: Server[] = [];
  private onRequest: OnRequest = notNow;
  private onUpgrade: OnUpgrade = notNowEither;
  port = 0;

  constructor(private readonly log: Logger) {}

  serve(onRequest: OnRequest, onUpgrade: OnUpgrade): void {
    this.onRequest = onRequest;
    this.onUpgrade = onUpgrade;
  }

  /** Answers nothing any more; what is open stays so until `close`. */
  pause(): void {
    this.serve(notNow, notNowEither);
  }

  /** Takes a port on both addresses, or throws `port-taken`. 0 or `pick`: any that is free on both. */
  async listen(wanted: number, pick?: () => number): Promise<void> {
    const any = wanted === 0 || pick !== undefined;
    for (let attempt = 1; ; attempt++) {
      const port = pick ? pick() : wanted;
      try {
        const first = await this.bind('127.0.0.1', port);
        this.port = (first.address() as { port: number }).port;
        await this.bind('::1', this.port).catch((error: NodeJS.ErrnoException) => {
          // A machine without IPv6.
          if (!['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL'].includes(error.code ?? '')) throw error;
        });
        return;
      } catch (error) {
        await this.close();
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'EADDRINUSE' && any && attempt < Limits.attempts) continue;
        throw listenFailure(code ?? String(error), port);
      }
    }
  }

  private async bind(host: string, port: number): Promise<Server> {
    const server = createServer({
      maxHeaderSize: Limits.maxHeaderBytes,
      headersTimeout: Limits.headersMs,
      requestTimeout: Limits.requestMs,
      keepAliveTimeout: Limits.keepAliveMs,
      connectionsCheckingInterval: Limits.checkEveryMs,
      noDelay: true,
    });
    server.maxConnections = Limits.maxConnections;
    // Without a limit none is dropped in silence; the policy counts them.
    server.maxHeadersCount = 0;
    server.on('request', (request, response) => {
      response.on('error', (error) => this.log.debug({ err: error }, 'answer failed'));
      this.onRequest(request, response);
    });
    server.on('upgrade', (request, socket, head) => {
      socket.on('error', (error) => this.log.debug({ err: error }, 'socket failed'));
      this.onUpgrade(request, socket, head);
    });
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      this.log.debug({ code: error.code }, 'malformed request');
      if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
      // Also when the other end never reads: a connection that is refused must not stay.
      else
        socket.end(`HTTP/1.1 ${statusOf(error.code)}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () =>
          socket.destroy(),
        );
    });
    await new Promise<void>((done, failed) => {
      server.once('error', failed);
      server.listen({ host, port, exclusive: true }, () => {
        server.off('error', failed);
        server.on('error', (error) => this.log.error({ err: error }, 'listener failed'));
        done();
      });
    });
    this.servers.push(server);
    return server;
  }

  /** Takes no more and ends what is open. */
  async close(): Promise<void> {
    const servers = this.servers;
    this.servers = [];
    await Promise.all(
      servers.map(
        (server) =>
          new Promise<void>((done) => {
            server.close(() => done());
            server.closeAllConnections();
          }),
      ),
    );
  }
}

function statusOf(code: string | undefined): string {
  if (code === 'HPE_HEADER_OVERFLOW') return '431 Request Header Fields Too Large';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return '408 Request Timeout';
  return '400 Bad Request';
}

function listenFailure(code: string, port: number): FailureError {
  if (code === 'EADDRINUSE') {
    return new FailureError(
      'port-taken',
      `Port ${port} is taken by another program: end that one, or choose another port with --port N.`,
      { port },
    );
  }
  if (code === 'EACCES') {
    return new FailureError(
      'port-forbidden',
      `Port ${port} may not be used by you: choose one above 1023 with --port N.`,
      { port },
    );
  }
  return new FailureError('listen-failed', `Port ${port} cannot be used (${code}): choose another with --port N.`, {
    port,
  });
}
