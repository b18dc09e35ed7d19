import { type PtyHostMessage, PtyHostProtocol } from '../../schemas/pty-host';

/** Bytes of the length itself. */
const LENGTH_BYTES = 4;
const Type = { json: 0, binary: 1 } as const;

/** The bytes of a message, in one or two pieces so that its body need not be copied. */
export function encodeMessage(message: PtyHostMessage, body?: Uint8Array): Uint8Array[] {
  const json = Buffer.from(JSON.stringify(message));
  if (!body) {
    const head = Buffer.allocUnsafe(LENGTH_BYTES + 1 + json.length);
    head.writeUInt32BE(1 + json.length, 0);
    head.writeUInt8(Type.json, LENGTH_BYTES);
    json.copy(head, LENGTH_BYTES + 1);
    return [head];
  }
  const head = Buffer.allocUnsafe(LENGTH_BYTES + 3 + json.length);
  head.writeUInt32BE(3 + json.length + body.length, 0);
  head.writeUInt8(Type.binary, LENGTH_BYTES);
  head.writeUInt16BE(json.length, LENGTH_BYTES + 1);
  json.copy(head, LENGTH_BYTES + 3);
  return [head, body];
}

/** What was received is not a message of this protocol. */
export class FramingError extends Error {}

export interface Received {
  /** Parsed JSON, not checked yet. */
  message: unknown;
  body?: Buffer;
}

/** Cuts a stream into messages. */
export class MessageDecoder {
  private chunks: Buffer[] = [];
  private size = 0;

  constructor(private readonly maxBytes: number = PtyHostProtocol.maxMessageBytes) {}

  /** Takes bytes in and answers with the messages that are complete. Throws a FramingError on anything else. */
  *push(chunk: Buffer): Generator<Received, void, void> {
    this.chunks.push(chunk);
    this.size += chunk.length;
    for (;;) {
      if (this.size < LENGTH_BYTES) return;
      if (this.chunks[0]!.length < LENGTH_BYTES) this.chunks = [Buffer.concat(this.chunks)];
      const length = this.chunks[0]!.readUInt32BE(0);
      if (length < 1 || length > this.maxBytes) throw new FramingError(`A message of ${length} bytes`);
      if (this.size < LENGTH_BYTES + length) return;
      const all = this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks);
      const rest = all.subarray(LENGTH_BYTES + length);
      this.chunks = rest.length ? [rest] : [];
      this.size = rest.length;
      yield decode(all.subarray(LENGTH_BYTES, LENGTH_BYTES + length));
    }
  }
}

function decode(bytes: Buffer): Received {
  const type = bytes.readUInt8(0);
  if (type === Type.json) return { message: parse(bytes.subarray(1)) };
  if (type !== Type.binary) throw new FramingError(`A message of type ${type}`);
  if (bytes.length < 3) throw new FramingError('A message without a header');
  const header = bytes.readUInt16BE(1);
  if (3 + header > bytes.length) throw new FramingError('A header that is longer than its message');
  return { message: parse(bytes.subarray(3, 3 + header)), body: bytes.subarray(3 + header) };
}

function parse(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString('utf8'));
  } catch {
    throw new FramingError('A message that is not JSON');
  }
}
