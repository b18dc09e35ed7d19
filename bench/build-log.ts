import { once } from 'node:events';
import { createWriteStream, existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';

/** Size of the log that is printed: 50 MB, as a large build makes in a bad hour. */
export const LOG_BYTES = 50_000_000;

const packages = ['canvas', 'cli', 'gateway', 'journal', 'layout', 'net', 'pty', 'render', 'search', 'store'];
const sources = ['diff.ts', 'frame.rs', 'index.tsx', 'keys.c', 'parser.ts', 'queue.go', 'session.ts', 'theme.css'];

/** Mulberry32: small, and the same numbers on every machine. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const colour = (code: string, text: string) => `\x1b[${code}m${text}\x1b[0m`;

/** Lines as compilers, bundlers, test runners and servers print them: most in colour, some long, some not ASCII. */
export function* buildLogLines(seed = 20_260_101): Generator<string> {
  const below = random(seed);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;
  for (let number = 0; ; number++) {
    const name = pick(packages);
    const source = pick(sources);
    switch (below(9)) {
      case 0:
        yield `${colour('1;32', '   Compiling')} ${name} v0.${below(30)}.${below(12)} (/home/dev/project/packages/${name})`;
        break;
      case 1:
        yield `${colour('33', 'warning')}${colour('1', `: value assigned to \`${name}_${below(99)}\` is never read`)}`;
        break;
      case 2:
        yield `  ${colour('1;34', '-->')} packages/${name}/src/${source}:${below(1200)}:${below(90)}`;
        break;
      case 3:
        yield `${colour('2', `[${String(number).padStart(7, '0')}]`)} ${colour('36', 'GET')} /api/${name}/${below(1e6)} ${colour('32', '200')} ${below(4000)} ms ${below(90_000)} B`;
        break;
      case 4:
        yield `${colour('1;31', 'error')} TS2${100 + below(800)}: Argument of type 'string | undefined' is not assignable to '${name}'.`;
        break;
      case 5:
        yield ` ${colour('32', '✓')} ${name} › ${source} › keeps case ${below(700)} ${colour('90', `(${below(900)} ms)`)}`;
        break;
      case 6:
        yield `\x1b[38;5;${below(256)}m${name}\x1b[0m | dist/${source}.js  ${below(900)}.${below(99)} kB ${colour('2', `│ gzip: ${below(200)}.${below(99)} kB`)}`;
        break;
      case 7:
        yield `cc -O2 -g -Wall -Wextra -fPIC -I/usr/include/${name} -DVERSION=\\"1.${below(40)}\\" -c -o build/${name}/${source}.o src/${name}/${source}`;
        break;
      default:
        yield `[${String(below(101)).padStart(3)}%] ${colour('32', `Building object ${name}.dir/src/${source}.o`)}`;
    }
  }
}

/** Writes the log once and gives its path; the same bytes on every machine. */
export async function buildLog(folder: string): Promise<string> {
  const file = path.join(folder, 'build-50mb.log');
  if (existsSync(file) && statSync(file).size === LOG_BYTES) return file;
  mkdirSync(folder, { recursive: true });
  const out = createWriteStream(`${file}.part`);
  let written = 0;
  let batch: string[] = [];
  let batchBytes = 0;
  const flush = async () => {
    if (!out.write(batch.join(''))) await once(out, 'drain');
    batch = [];
    batchBytes = 0;
  };
  for (const line of buildLogLines()) {
    const bytes = Buffer.byteLength(line) + 1;
    if (written + bytes > LOG_BYTES) break;
    batch.push(`${line}\n`);
    written += bytes;
    batchBytes += bytes;
    if (batchBytes > 1 << 20) await flush();
  }
  // Filled up to the exact size, so that throughput is a round figure.
  if (written < LOG_BYTES) batch.push(`${'.'.repeat(LOG_BYTES - written - 1)}\n`);
  await flush();
  out.end();
  await once(out, 'finish');
  renameSync(`${file}.part`, file);
  return file;
}
