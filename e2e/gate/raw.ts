import { readFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import type { Instance } from '../../schemas/auth';
import type { TesseraServer } from '../support';

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Ask {
  method?: string;
  path?: string;
  /** Exactly these; Host is the server's own unless it is here. */
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
}

/** One request on a connection of its own, with exactly the headers that are given. */
export function ask(
  server: TesseraServer,
  { method = 'GET', path: target = '/', headers = {}, body }: Ask,
): Promise<Reply> {
  const { host } = new URL(server.url);
  return new Promise((done, failed) => {
    const sent = request({
      host: '127.0.0.1',
      port: server.port,
      method,
      path: target,
      setHost: false,
      agent: false,
      headers: { Host: host, ...headers },
    });
    sent.on('error', failed);
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('error', failed);
      response.on('end', () => done({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    sent.end(body);
  });
}

/** Bytes as they are; resolves with everything that came back until the other end closed, or to '' when it only closed. */
export function sendBytes(port: number, bytes: string | Buffer): Promise<string> {
  return exchange(port, (socket) => socket.write(bytes));
}

/** The same, and says at once that nothing more will come. */
export function sendLast(port: number, bytes: string | Buffer): Promise<string> {
  return exchange(port, (socket) => socket.end(bytes));
}

function exchange(port: number, speak: (socket: Socket) => void): Promise<string> {
  return new Promise((done) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => speak(socket));
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    socket.on('error', () => {});
    socket.on('close', () => done(text));
  });
}

export const instanceFile = (server: TesseraServer): string => path.join(server.dataDir, 'run/instance.json');
export const instanceOf = (server: TesseraServer): Instance =>
  JSON.parse(readFileSync(instanceFile(server), 'utf8')) as Instance;

export interface RouteInfo {
  method: string;
  path: string;
  access: 'public' | 'cookie' | 'signed-in' | 'control';
  kind: 'read' | 'json' | 'bytes' | 'page' | 'files';
}

/** The router's own table. */
export async function routesOf(server: TesseraServer): Promise<RouteInfo[]> {
  const reply = await ask(server, {
    method: 'POST',
    path: '/api/control/status',
    headers: { authorization: `Bearer ${instanceOf(server).control}`, 'content-type': 'application/json' },
    body: '{}',
  });
  return (JSON.parse(reply.body) as { routes: RouteInfo[] }).routes;
}

/** A request that a route would take from one who may: right method, right type, some body. */
export function politeAsk({ method, path: pattern, kind }: RouteInfo): Ask {
  const target = kind === 'files' ? `${pattern}nothing.js` : pattern.replaceAll(/:\w+/g, 'abcdefgh');
  if (kind === 'json') return { method, path: target, headers: { 'content-type': 'application/json' }, body: '{}' };
  if (kind === 'bytes') {
    return {
      method,
      path: target,
      headers: { 'content-type': 'application/octet-stream', 'x-tessera-upload': '1' },
      body: 'x',
    };
  }
  return { method, path: target };
}

export const withHeaders = (asked: Ask, headers: Record<string, string | string[]>): Ask => ({
  ...asked,
  headers: { ...asked.headers, ...headers },
});

/** The handshake of a socket as a browser sends it. */
export function upgrade(
  server: TesseraServer,
  headers: Record<string, string>,
  target = '/socket/?EIO=4&transport=websocket',
): string {
  const all: Record<string, string> = {
    Host: new URL(server.url).host,
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  };
  return `GET ${target} HTTP/1.1\r\n${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;
}
