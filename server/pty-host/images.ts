import type { Mirror } from './mirror';
import { cellWidth as columnsOf } from './row-serialiser';

/** The limits of the page's terminal: what is larger is not drawn there and moves no cursor. */
const MAX_PIXELS = 4_194_304;
const MAX_IMAGE_BYTES = 8_000_000;
/** Base64 that is decoded to find the size in a picture's header; JPEG keeps it behind its metadata. */
const HEADER_BASE64 = 512 * 1024;

export interface PixelSize {
  width: number;
  height: number;
}

/**
 * Moves the cursor past inline images as the browser does, and writes "[image W×H]" where they start, so that lines
 * agree and a reloaded page says what was there.
 */
export function followImages(mirror: Mirror): void {
  const { parser } = mirror.terminal;
  let scrolling = true;
  parser.registerCsiHandler({ prefix: '?', final: 'h' }, (params) => {
    if (params.includes(80)) scrolling = false;
    return false;
  });
  parser.registerCsiHandler({ prefix: '?', final: 'l' }, (params) => {
    if (params.includes(80)) scrolling = true;
    return false;
  });
  mirror.core._inputHandler.onRequestReset(() => {
    scrolling = true;
  });
  parser.registerDcsHandler({ final: 'q' }, (data) => {
    const size = data.length > MAX_IMAGE_BYTES ? { width: 0, height: 0 } : sixelSize(data);
    if (size.height && size.width * size.height < MAX_PIXELS) place(mirror, size, size, scrolling);
    return true;
  });
  parser.registerOscHandler(1337, (data) => {
    const image = inlineImage(data, mirror);
    if (image) place(mirror, image.shown, image.natural, scrolling);
    return true;
  });
}

function place(mirror: Mirror, shown: PixelSize, natural: PixelSize, scrolling: boolean): void {
  const { core, terminal } = mirror;
  const { cellWidth, cellHeight } = mirror.colours.theme;
  const buffer = core._bufferService.buffers.active;
  const columns = Math.ceil(shown.width / cellWidth);
  const rows = Math.min(Math.ceil(shown.height / cellHeight), terminal.rows * 50);
  const start = { x: buffer.x, y: buffer.y };
  if (!scrolling) {
    buffer.x = 0;
    buffer.y = 0;
  }
  const left = buffer.x;
  const right = Math.min(left + columns, terminal.cols);
  const label = `[image ${natural.width}×${natural.height}]`;
  const pen = core._inputHandler._curAttrData;
  for (let row = 0; row < rows; row++) {
    const line = buffer.lines.get(buffer.ybase + buffer.y)!;
    // Wide characters that the edges cut in two are gone.
    if (left > 0 && columnsOf(line, left) === 0) line.setCellFromCodepoint(left - 1, 0x20, 1, pen);
    if (right < terminal.cols && columnsOf(line, right) === 0) line.setCellFromCodepoint(right, 0x20, 1, pen);
    for (let x = left; x < right; x++) {
      const code = row === 0 ? label.charCodeAt(x - left) || 0x20 : 0x20;
      line.setCellFromCodepoint(x, code, 1, pen);
    }
    if (scrolling) {
      if (row < rows - 1) core._inputHandler.lineFeed();
    } else if (++buffer.y >= terminal.rows) break;
    buffer.x = left;
  }
  if (!scrolling) {
    buffer.x = start.x;
    buffer.y = start.y;
  }
}

/** Pixels of a sixel picture: its raster attributes, or what its data paints. */
export function sixelSize(data: string): PixelSize {
  const raster = /^\s*"\d+;\d+;(\d+);(\d+)/.exec(data);
  if (raster) return { width: Number(raster[1]), height: Number(raster[2]) };
  let width = 0;
  let column = 0;
  let bands = 0;
  let lowest = 0;
  let painted = false;
  for (let at = 0; at < data.length; at++) {
    const code = data.charCodeAt(at);
    if (code === 0x21) {
      // "!": a count and the sixel that is repeated.
      let count = 0;
      while (at + 1 < data.length && data.charCodeAt(at + 1) >= 0x30 && data.charCodeAt(at + 1) <= 0x39) {
        count = count * 10 + data.charCodeAt(++at) - 0x30;
      }
      const sixel = data.charCodeAt(at + 1);
      if (sixel >= 0x3f && sixel <= 0x7e) {
        at++;
        column += count || 1;
        if (sixel > 0x3f) lowest |= sixel - 0x3f;
        painted = true;
      }
    } else if (code >= 0x3f && code <= 0x7e) {
      column++;
      if (code > 0x3f) lowest |= code - 0x3f;
      painted = true;
    } else if (code === 0x24 || code === 0x2d) {
      width = Math.max(width, column);
      column = 0;
      if (code === 0x2d) {
        bands++;
        lowest = 0;
        painted = false;
      }
    }
  }
  width = Math.max(width, column);
  const last = painted && lowest ? 32 - Math.clz32(lowest) : 0;
  return { width, height: bands * 6 + last };
}

/** The size of an iTerm inline image (OSC 1337;File=…): as it is and as it is to be shown. */
function inlineImage(data: string, mirror: Mirror): { natural: PixelSize; shown: PixelSize } | undefined {
  const colon = data.indexOf(':');
  if (!data.startsWith('File=') || colon < 0 || colon > 8192) return undefined;
  const args = new Map(
    data
      .slice(5, colon)
      .split(';')
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] as const),
  );
  const bytes = Number(args.get('size') ?? 0);
  if (args.get('inline') !== '1' || !bytes || bytes > MAX_IMAGE_BYTES) return undefined;
  const natural = pictureSize(Buffer.from(data.slice(colon + 1, colon + 1 + HEADER_BASE64), 'base64'));
  if (!natural || natural.width * natural.height >= MAX_PIXELS) return undefined;
  const shown = shownSize(natural, args, mirror);
  if (!shown.width || !shown.height || shown.width * shown.height >= MAX_PIXELS) return undefined;
  return { natural, shown };
}

function shownSize(natural: PixelSize, args: Map<string, string>, mirror: Mirror): PixelSize {
  const { cellWidth, cellHeight } = mirror.colours.theme;
  const total = { width: mirror.terminal.cols * cellWidth, height: mirror.terminal.rows * cellHeight };
  const side = (text: string | undefined, whole: number, cell: number): number => {
    if (!text || text === 'auto') return 0;
    const value = Number.parseInt(text, 10) || 0;
    if (text.endsWith('%')) return (value * whole) / 100;
    return text.endsWith('px') ? value : value * cell;
  };
  const width = side(args.get('width'), total.width, cellWidth);
  const height = side(args.get('height'), total.height, cellHeight);
  let shown = { width, height };
  if (!width && !height) {
    const factor = Math.min(1, total.width / natural.width, (total.height - cellHeight) / natural.height);
    shown = { width: natural.width * factor, height: natural.height * factor };
  } else if (!width) shown = { width: (natural.width * height) / natural.height, height };
  else if (args.get('preserveAspectRatio') !== '0' || !height) {
    shown = { width, height: (natural.height * width) / natural.width };
  }
  return { width: Math.floor(shown.width), height: Math.floor(shown.height) };
}

/** Width and height out of the header of a PNG, JPEG or GIF. */
export function pictureSize(bytes: Buffer): PixelSize | undefined {
  if (bytes.length < 24) return undefined;
  if (bytes.readUInt32BE(0) === 0x89504e47 && bytes.toString('latin1', 12, 16) === 'IHDR') {
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (bytes.toString('latin1', 0, 4) === 'GIF8') return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return jpegSize(bytes);
  return undefined;
}

function jpegSize(bytes: Buffer): PixelSize | undefined {
  for (let at = 2; at + 9 < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1];
    if (marker === 0xc0 || marker === 0xc2)
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
  }
  return undefined;
}
