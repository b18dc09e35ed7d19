/**
 * Bytes at the end that begin a UTF-8 character whose rest has not come yet: 0 to 3. A terminal is never given half a
 * character: xterm.js 6.0.0 loses one that is split after a byte 0x80.
 */
export function incompleteTail(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 && byte < 0xf5 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
    return byte < 0xf5 && length > back ? back : 0;
  }
  return 0;
}

/** Cuts into parts of at most `size` bytes, never inside a character. */
export function* parts(bytes: Buffer, size: number): Generator<Buffer, void, void> {
  for (let at = 0; at < bytes.length; ) {
    let end = Math.min(bytes.length, at + size);
    if (end < bytes.length) end -= incompleteTail(bytes.subarray(at, end));
    yield bytes.subarray(at, end);
    at = end;
  }
}
