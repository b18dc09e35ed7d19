import type { Internals } from './xterm-internals';

/** xterm.js's own limit of what one OSC or DCS may carry, UTF-16 units; what is longer is dropped whole. */
const MAX_PAYLOAD = 10_000_000;
/** Arguments of one call, which live on the stack. */
const PIECE = 8192;

interface Handler {
  _data: string;
  _hitLimit: boolean;
  put(data: Uint32Array, start: number, end: number): void;
}

interface Parsers {
  _parser: Record<'_oscParser' | '_dcsParser', { _handlers?: Record<number, Handler[]> }>;
}

const patched = new WeakSet<object>();

/**
 * xterm.js collects the text of an OSC or DCS letter by letter, and each letter then takes 32 bytes until the end has
 * come: a sequence that never ends would take 320 MB. Here it takes a byte or two a letter. For all terminals at once,
 * as their handlers share a prototype; to be called when the first of each kind is registered.
 */
export function packPayloads(core: Internals): void {
  const { _parser } = core._inputHandler as unknown as Parsers;
  for (const parser of [_parser._oscParser, _parser._dcsParser]) {
    const handlers = Object.values(parser?._handlers ?? {}).flat();
    const handler = handlers.find((one) => typeof one._data === 'string' && typeof one._hitLimit === 'boolean');
    if (!handler) throw new Error('This version of @xterm/headless is not the one that the mirror was written for');
    const prototype = Object.getPrototypeOf(handler) as Handler;
    if (patched.has(prototype)) continue;
    patched.add(prototype);
    prototype.put = function (data, start, end) {
      if (this._hitLimit) return;
      for (let at = start; at < end; at += PIECE) this._data += textOf(data.subarray(at, Math.min(end, at + PIECE)));
      if (this._data.length <= MAX_PAYLOAD) return;
      this._data = '';
      this._hitLimit = true;
    };
  }
}

function textOf(codes: Uint32Array): string {
  const make = codes.some((code) => code > 0xffff) ? String.fromCodePoint : String.fromCharCode;
  return make.apply(null, codes as unknown as number[]);
}
