import { constants } from 'node:fs';
import { type FileHandle, link, lstat, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { nanoid } from 'nanoid';
import { FailureError } from '../../schemas/result';
import { TerminalLimits } from '../../schemas/terminals';

/** File systems allow 255 bytes; room for a number. */
const MAX_NAME_BYTES = 200;
/** Copies of one name before it is an error rather than a habit. */
const MAX_COPIES = 1000;
/** How the name of a file ends that is still being written; no name that we give begins with a dot, these do. */
const PART = '.part';

/**
 * Files that were dropped onto terminals: `<dataDir>/uploads/<sessionId>/<name>`, for the owner only. A file has its
 * name once it is whole; until then it is a hidden `.part` file beside it.
 */
export class Uploads {
  private readonly root: string;
  /** Files that are being written; what else is called so was left by a server that was killed. */
  private readonly parts = new Set<string>();

  constructor(
    dataDir: string,
    private readonly maxBytes: number = TerminalLimits.maxUploadBytes,
  ) {
    this.root = join(dataDir, 'uploads');
  }

  /** Writes the whole stream under a name that is free, or nothing at all. Gives the absolute path. */
  async save(sessionId: string, name: string, stream: Readable): Promise<{ path: string }> {
    const folder = join(this.root, sessionId);
    await privateFolder(this.root);
    await privateFolder(folder);
    const part = join(folder, `.${nanoid()}${PART}`);
    this.parts.add(part);
    try {
      await this.write(part, name, stream);
      return { path: await publish(part, folder, safeName(name)) };
    } catch (error) {
      throw uploadFailure(error, name);
    } finally {
      stream.destroy();
      await rm(part, { force: true }).finally(() => this.parts.delete(part));
    }
  }

  async removeSession(sessionId: string): Promise<void> {
    await rm(join(this.root, sessionId), { recursive: true, force: true });
  }

  /** Removes the folders of sessions that are not there any more, and what was never written to its end. */
  async sweep(isThere: (sessionId: string) => boolean): Promise<void> {
    const folders = await readdir(this.root, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    for (const folder of folders) {
      if (!folder.isDirectory()) continue;
      if (isThere(folder.name)) await this.removeParts(join(this.root, folder.name));
      else await this.removeSession(folder.name);
    }
  }

  private async removeParts(folder: string): Promise<void> {
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      if (name.startsWith('.') && name.endsWith(PART) && !this.parts.has(path)) await rm(path, { force: true });
    }
  }

  /** O_EXCL neither overwrites a file nor follows a link that somebody put there. */
  private async write(path: string, name: string, stream: Readable): Promise<void> {
    const file = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      await this.fill(file, name, stream);
    } finally {
      await file.close();
    }
  }

  private async fill(file: FileHandle, name: string, stream: Readable): Promise<void> {
    let bytes = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > this.maxBytes) {
        const megabytes = Math.floor(this.maxBytes / 1024 / 1024);
        throw new FailureError('upload-too-large', `${name} is larger than ${megabytes} MB.`, { name, megabytes });
      }
      await file.writeFile(chunk);
    }
  }
}

/** A name that means nothing to a shell's user but a file: no folders, no control characters, no option, not hidden. */
export function safeName(name: string): string {
  const last = name.normalize('NFC').split(/[/\\]/).at(-1) ?? '';
  const clean = last
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '_')
    .trim()
    .replace(/^[.-]+/, '');
  if (!clean) return 'file';
  const dot = clean.lastIndexOf('.');
  const extension = dot > 0 && Buffer.byteLength(clean.slice(dot)) <= 20 ? clean.slice(dot) : '';
  return (
    cut(clean.slice(0, clean.length - extension.length), MAX_NAME_BYTES - Buffer.byteLength(extension)) + extension
  );
}

function cut(text: string, maxBytes: number): string {
  let result = '';
  let bytes = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    result += character;
  }
  return result;
}

async function privateFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if ((await lstat(folder)).isDirectory()) return;
  } catch (error) {
    throw uploadFailure(error, folder);
  }
  throw new FailureError('upload-failed', `${folder} is not a folder of ours; nothing was saved in it.`, {
    name: folder,
    reason: 'not a folder',
  });
}

/** Gives the written file a name that is free: a link neither overwrites a file nor follows a link that is there. */
async function publish(part: string, folder: string, name: string): Promise<string> {
  const dot = name.lastIndexOf('.');
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  for (let copy = 1; copy <= MAX_COPIES; copy += 1) {
    const path = join(folder, copy === 1 ? name : `${stem}-${copy}${extension}`);
    try {
      await link(part, path);
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw uploadFailure(error, name);
    }
  }
  throw new FailureError('upload-failed', `There are ${MAX_COPIES} files named ${name} already.`, {
    name,
    reason: 'too many copies',
  });
}

function uploadFailure(error: unknown, name: string): FailureError {
  if (error instanceof FailureError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new FailureError('disk-full', `The disk is full: ${name} was not saved. Free some space first.`, {
      file: name,
    });
  }
  return new FailureError('upload-failed', `${name} could not be saved (${code ?? message}).`, {
    name,
    reason: code ?? message,
  });
}
