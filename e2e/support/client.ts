import { randomUUID } from 'node:crypto';
import { io, type Socket } from 'socket.io-client';
import { KEY_HEADER } from '../../schemas/auth';
import type { CanvasState, Project, TerminalCard } from '../../schemas/canvas';
import {
  type CallArgs,
  type CallName,
  type CallResults,
  type Hello,
  type NoticeArgs,
  type NoticeName,
  type ServerEvents,
  SocketLimits,
} from '../../schemas/realtime';
import type { Result } from '../../schemas/result';
import type { SessionView } from '../../schemas/terminals';
import type { TesseraServer } from './server';

/** What a signed-in browser holds. */
export interface Credentials {
  cookie: string;
  key: string;
}

/** The headers with which a browser's own page asks. */
export const browserHeaders = (origin: string): Record<string, string> => ({
  origin: new URL(origin).origin,
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'cors',
  'sec-fetch-dest': 'empty',
});

/** Takes a login link as a page does and gives what it got for it. */
export async function takeLink(server: TesseraServer): Promise<Credentials> {
  const link = new URL(await server.loginUrl());
  const token = new URLSearchParams(link.hash.slice(1)).get('t');
  const reply = await fetch(new URL('/api/login', link), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...browserHeaders(link.origin) },
    body: JSON.stringify({ token }),
  });
  if (!reply.ok) throw new Error(`The login answered ${reply.status}: ${await reply.text()}`);
  const { key } = (await reply.json()) as { key: string };
  const cookie = reply.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  return { cookie, key };
}

/** An id of our own making, as a tab makes them. */
export const newId = (): string => randomUUID();

/** A tab without a page: for what a test arranges beside the story, and for frames that no page would send. */
export class TesseraClient {
  private constructor(
    readonly socket: Socket,
    readonly credentials: Credentials,
    readonly hello: Hello,
  ) {}

  static async connect(server: TesseraServer, credentials?: Credentials): Promise<TesseraClient> {
    const held = credentials ?? (await takeLink(server));
    const origin = new URL(server.url).origin;
    const socket = io(origin, {
      path: SocketLimits.path,
      transports: ['websocket'],
      reconnectionDelay: 100,
      reconnectionDelayMax: 500,
      extraHeaders: { cookie: held.cookie, [KEY_HEADER]: held.key, ...browserHeaders(origin) },
      auth: { key: held.key },
    });
    try {
      await new Promise<void>((resolve, reject) => {
        socket.once('connect', resolve);
        socket.once('connect_error', reject);
      });
      const answer: Result<Hello> = await socket.timeout(SocketLimits.callTimeoutMs).emitWithAck('app:hello', {});
      if (!answer.ok) throw new Error(`${answer.error.code}: ${answer.error.message}`);
      return new TesseraClient(socket, held, answer.value);
    } catch (error) {
      socket.close();
      throw error;
    }
  }

  async call<N extends CallName>(name: N, args: CallArgs<N>): Promise<CallResults[N]> {
    const answer: Result<CallResults[N]> = await this.socket
      .timeout(SocketLimits.callTimeoutMs)
      .emitWithAck(name, args);
    if (!answer.ok) throw new Error(`${name}: ${answer.error.code}: ${answer.error.message}`);
    return answer.value;
  }

  notify<N extends NoticeName>(name: N, args: NoticeArgs<N>): void {
    this.socket.emit(name, args);
  }

  on<E extends keyof ServerEvents>(event: E, listener: ServerEvents[E]): void {
    this.socket.on(event as string, listener as (...args: unknown[]) => void);
  }

  project(): Project {
    const project = this.hello.projects[0];
    if (!project) throw new Error('The server has no project');
    return project;
  }

  async openCanvas(): Promise<CanvasState> {
    const canvas = this.hello.canvases[0];
    if (!canvas) throw new Error('The server has no canvas');
    return this.call('canvas:open', { canvasId: canvas.id });
  }

  /** A terminal with its card, where a test wants it. */
  async createTerminal(at: {
    x: number;
    y: number;
    width?: number;
    height?: number;
    cols?: number;
    rows?: number;
  }): Promise<{ item: TerminalCard; session: SessionView }> {
    const canvas = this.hello.canvases[0];
    if (!canvas) throw new Error('The server has no canvas');
    const made = await this.call('terminal:create', {
      opId: newId(),
      canvasId: canvas.id,
      width: 700,
      height: 430,
      cols: 80,
      rows: 24,
      ...at,
    });
    if (made.item.kind !== 'terminal') throw new Error('The server made another kind of card');
    return { item: made.item, session: made.session };
  }

  close(): void {
    this.socket.close();
  }
}
