import type { StreamHeader } from '../../schemas/terminals';
import { fromWire } from '../../schemas/wire-bytes';
import { onServer } from '../connection';

type Receiver = (header: StreamHeader, bytes: Uint8Array | undefined) => void;

const receivers = new Map<string, Receiver>();
let stop: (() => void) | undefined;

/** Gives what the server streams to one viewer to `receiver`, until the returned function is called. */
export function receiveStream(viewerId: string, receiver: Receiver): () => void {
  receivers.set(viewerId, receiver);
  stop ??= onServer('terminal:data', (id, header, bytes) => receivers.get(id)?.(header, fromWire(bytes)));
  return () => {
    receivers.delete(viewerId);
    if (receivers.size > 0) return;
    stop?.();
    stop = undefined;
  };
}
