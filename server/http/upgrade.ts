import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Gatekeeper } from './handler';
import type { OnUpgrade } from './listener';
import type { ListenerPolicy } from './policy';
import type { Caller } from './routes';

/** Takes over a connection that may become a socket of `caller`. */
export type Accept = (request: IncomingMessage, socket: Duplex, head: Buffer, caller: Caller) => void;

/**
 * The one upgrade listener. Everything that the policy and the cookie can refuse is refused before the 101; the key is
 * checked before the first event, as a browser cannot send it in a header of an upgrade.
 */
export function upgradeListener(
  policy: ListenerPolicy,
  gatekeeper: Gatekeeper,
  paths: Readonly<Record<string, Accept>>,
): OnUpgrade {
  return (request, socket, head) => {
    const verdict = policy.judge(request);
    if (!verdict.ok) return refuse(socket, verdict.status);
    if (request.method !== 'GET' || request.headers.upgrade?.toLowerCase() !== 'websocket') return refuse(socket, 400);
    const caller = gatekeeper.byCookie(request.headers.cookie);
    if (!caller) return refuse(socket, 401);
    const accept = Object.hasOwn(paths, verdict.path) ? paths[verdict.path] : undefined;
    if (!accept) return refuse(socket, 404);
    accept(request, socket, head, caller);
  };
}

const reasons: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  431: 'Request Header Fields Too Large',
};

function refuse(socket: Duplex, status: number): void {
  socket.end(
    `HTTP/1.1 ${status} ${reasons[status] ?? 'Bad Request'}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
    () => socket.destroy(),
  );
}
