import { spawn } from 'node:child_process';
import { closeSync, constants, openSync, readSync } from 'node:fs';

const READ_BYTES = 64 * 1024;
/** An end-of-file mark reads as nothing, and so does an empty terminal that was told never to wait. */
const MAX_EMPTY_READS = 64;
const STTY_PATIENCE_MS = 2000;

/**
 * The keys at which a terminal sends a signal now and drops what was not read: INTR, QUIT and SUSP. None where a
 * program has switched that off (ISIG off, as in raw mode; NOFLSH on).
 *
 * @param terminal its device
 * @throws where stty cannot be run or does not answer
 */
export async function signalKeys(terminal: string): Promise<ReadonlySet<number>> {
  return keysIn(await stty(terminal));
}

/** The same from what `stty -a` says, on Linux and on macOS. For tests exported. */
export function keysIn(settings: string): ReadonlySet<number> {
  const words = new Set(settings.split(/[\s;]+/));
  const keys = new Set<number>();
  if (!words.has('isig') || words.has('noflsh')) return keys;
  for (const [, caret, key] of settings.matchAll(/\b(?:intr|quit|susp) = (\^?)([^\s;]);/g)) {
    const code = key!.charCodeAt(0);
    keys.add(caret ? code ^ 0x40 : code);
  }
  return keys;
}

/**
 * Reads away what programs have not read of a terminal's input. On Linux what waits before the terminal's line
 * discipline has come to it when this returns.
 */
export function discardUnread(terminal: string): void {
  const fd = openSync(terminal, constants.O_RDONLY | constants.O_NOCTTY | constants.O_NONBLOCK);
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  try {
    for (let empty = 0; empty < MAX_EMPTY_READS; ) {
      if (readSync(fd, buffer, 0, READ_BYTES, null) > 0) empty = 0;
      else empty++;
    }
  } catch (error) {
    // Nothing is left, or nobody is at the other end any more.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EAGAIN' && code !== 'EIO') throw error;
  } finally {
    closeSync(fd);
  }
}

function stty(terminal: string): Promise<string> {
  // Its own descriptor: Node makes a child's standard input one that blocks.
  const fd = openSync(terminal, constants.O_RDONLY | constants.O_NOCTTY | constants.O_NONBLOCK);
  return new Promise<string>((resolve, reject) => {
    let said = '';
    const child = spawn('stty', ['-a'], {
      stdio: [fd, 'pipe', 'ignore'],
      env: { ...process.env, LC_ALL: 'C' },
      timeout: STTY_PATIENCE_MS,
    });
    child.stdout?.setEncoding('latin1').on('data', (piece) => {
      said += piece;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve(said);
      else reject(new Error(`stty ended with ${signal ?? code}`));
    });
  }).finally(() => closeSync(fd));
}
