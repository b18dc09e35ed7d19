/** Up to this many bytes travel as text. */
const SHORT_BYTES = 1024;

/**
 * Bytes on the socket of a tab. Few of them, such as a key and its echo, travel as text of one character a byte
 * (U+0000 to U+00FF): the socket sends that in one frame, but bytes in two.
 */
export type WireBytes = Uint8Array | string;

export function toWire(bytes: Uint8Array): WireBytes {
  return bytes.length <= SHORT_BYTES ? String.fromCharCode(...bytes) : bytes;
}

/** What `toWire` was given. Undefined: it is neither bytes nor such a text. */
export function fromWire(wire: unknown): Uint8Array | undefined {
  if (wire instanceof Uint8Array) return wire;
  // In a browser binary messages arrive so.
  if (wire instanceof ArrayBuffer) return new Uint8Array(wire);
  if (typeof wire !== 'string' || wire.length > SHORT_BYTES) return undefined;
  const bytes = new Uint8Array(wire.length);
  for (let at = 0; at < wire.length; at++) {
    const code = wire.charCodeAt(at);
    if (code > 0xff) return undefined;
    bytes[at] = code;
  }
  return bytes;
}
