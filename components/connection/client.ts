import { io, type Socket } from 'socket.io-client';
import { KEY_STORAGE } from '../../schemas/auth';
import {
  type CallArgs,
  type CallName,
  type CallResults,
  type NoticeArgs,
  type NoticeName,
  type ServerEvents,
  SocketLimits,
} from '../../schemas/realtime';
import { FailureError, type Result } from '../../schemas/result';

let socket: Socket | undefined;

/** The one socket of this tab; made at first use, so that the module can be loaded where there is no window. */
export function getSocket(): Socket {
  socket ??= io({
    path: SocketLimits.path,
    transports: ['websocket'],
    autoConnect: false,
    reconnectionDelay: 250,
    reconnectionDelayMax: 2_000,
    auth: (give) => give({ key: localStorage.getItem(KEY_STORAGE) ?? '' }),
  });
  return socket;
}

/**
 * Asks the server. Rejects with a FailureError: the server's own, `timeout` when nothing came within
 * SocketLimits.callTimeoutMs, `disconnected` at once when there is no connection, or when it was lost meanwhile (then
 * the call may have been done). Nothing is kept to be sent later: an old wish must not overtake a new one.
 */
export async function call<N extends CallName>(name: N, args: CallArgs<N>): Promise<CallResults[N]> {
  const to = getSocket();
  if (!to.connected) throw new FailureError('disconnected', `There is no connection over which to ask "${name}".`);
  let result: Result<CallResults[N]>;
  try {
    result = await to.timeout(SocketLimits.callTimeoutMs).emitWithAck(name, args);
  } catch {
    if (to.connected) throw new FailureError('timeout', `The server did not answer "${name}" in time.`);
    throw new FailureError('disconnected', `The connection was lost before "${name}" was answered.`);
  }
  if (result.ok) return result.value;
  throw new FailureError(result.error.code, result.error.message, result.error.params);
}

/** Tells the server something that needs no answer. Dropped while there is no connection. */
export function notify<N extends NoticeName>(name: N, args: NoticeArgs<N>): void {
  const to = getSocket();
  if (to.connected) to.emit(name, args);
}

/** Listens to what the server tells. Returns what ends it. */
export function onServer<E extends keyof ServerEvents>(event: E, listener: ServerEvents[E]): () => void {
  const from = getSocket();
  // socket.io types listeners of a plain Socket as any.
  from.on(event as string, listener as (...args: unknown[]) => void);
  return () => from.off(event as string, listener as (...args: unknown[]) => void);
}
