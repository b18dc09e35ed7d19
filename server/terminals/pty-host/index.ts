import { spawn } from 'node:child_process';
import { chmodSync, closeSync, constants, mkdirSync, openSync, renameSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type PtyHostClient, PtyHostProtocol } from '../../../schemas/pty-host';
import { FailureError } from '../../../schemas/result';
import { readLock } from '../../pty-host';
import { Client } from './client';
import { removeOldCopies, versionedCopy } from './versioned-copy';

export type { PtyHostClient } from '../../../schemas/pty-host';

/** The kernel cuts a longer one without a word. */
const MAX_SOCKET_PATH = 107;
const SOCKET_NAME = 'pty-host.sock';
/** From nothing to a host that answers. */
const START_MS = 10_000;
/** A host that lives and does not answer for this long is told of, never killed. */
const SILENT_MS = 5000;
const POLL_MS = 20;
/** A log that is larger is put aside at the next start. */
const MAX_LOG_BYTES = 5 * 1024 * 1024;
/** What the host inherits. Sessions get their own environment from the server. */
const HOST_ENV = ['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TESSERA_PTY_HOST_LONELY_MS'];

export interface ConnectOptions {
  dataDir: string;
  /** Folder of sockets, 0700. */
  runDir: string;
  /** Holds main.js, the bundle of server/pty-host; node-pty must resolve from there. */
  bundleDir: string;
  log: { info(details: object, message: string): void; error(details: object, message: string): void };
}

/**
 * Finds the pty host of this data folder and adopts it, or starts one. Throws FailureError `pty-host-mismatch` when the
 * one that runs speaks another version (it is left alone), `pty-host-silent` when the one that runs does not answer
 * (stopped, or too busy; it is left alone too), `pty-host-failed` when none can be had.
 */
export async function connectPtyHost(options: ConnectOptions): Promise<PtyHostClient> {
  const lockPath = join(options.dataDir, 'pty-host', 'host.json');
  const end = Date.now() + START_MS;
  let started: Started | undefined;
  let silentSince: number | undefined;
  for (;;) {
    const held = await readLock(lockPath);
    if (held?.alive) {
      const socket = await tryConnect(held.lock.socket);
      const client = socket && (await greet(socket, options, `process ${held.lock.pid}`));
      if (client) return client;
      silentSince ??= Date.now();
      if (Date.now() - silentSince > SILENT_MS)
        throw silent(`The pty host (process ${held.lock.pid}) does not answer on its socket`);
    } else {
      silentSince = undefined;
      if (started?.taken) started = undefined;
      const unlisted = started ? undefined : await findUnlisted(options);
      if (unlisted) return unlisted;
      if (started?.ended !== undefined)
        throw failed(`The pty host could not be started: ${started.ended}. Its log is ${started.logPath}`);
      started ??= start(options);
    }
    if (Date.now() > end) throw failed('The pty host did not start in time');
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

const failed = (message: string): FailureError => new FailureError('pty-host-failed', message, { reason: message });
/** It lives, so what runs in it goes on. */
const silent = (message: string): FailureError => new FailureError('pty-host-silent', message, { reason: message });

function tryConnect(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
    socket.once('error', () => resolve(undefined));
  });
}

/** A host that lives although its lock file is gone: a second one beside it would hide what runs in the first. */
async function findUnlisted(options: ConnectOptions): Promise<PtyHostClient | undefined> {
  for (const folder of new Set([options.runDir, join(options.dataDir, 'run')])) {
    const path = join(folder, SOCKET_NAME);
    if (Buffer.byteLength(path) > MAX_SOCKET_PATH) continue;
    const socket = await tryConnect(path);
    const client = socket && (await greet(socket, options, path));
    if (client) return client;
  }
  return undefined;
}

/** Undefined: it hung up, as one does that is ending. `where` names the host in an error. */
async function greet(socket: Socket, options: ConnectOptions, where: string): Promise<PtyHostClient | undefined> {
  const client = new Client(socket, options.log);
  const { major, minor } = PtyHostProtocol;
  try {
    const hello = await client.call('hello', { major, minor, dataDir: options.dataDir });
    if (hello.major !== major) {
      throw new FailureError('pty-host-mismatch', `The pty host speaks version ${hello.major}, this server ${major}`, {
        host: hello.major,
        server: major,
      });
    }
    options.log.info({ pid: hello.pid, version: hello.version }, 'pty host connected');
    return client;
  } catch (error) {
    client.close();
    if (error instanceof FailureError && error.code === 'pty-host-mismatch') throw error;
    if (error instanceof FailureError && error.code === 'pty-host-gone') return undefined;
    if (error instanceof FailureError && error.code === 'pty-host-timeout') {
      throw silent(`The pty host (${where}) does not answer`);
    }
    throw failed(`The pty host (${where}) did not answer: ${error instanceof Error ? error.message : error}`);
  }
}

interface Started {
  logPath: string;
  /** Why it ended, if it has. */
  ended: string | undefined;
  /** It lost the race to another host, which is no failure. */
  taken: boolean;
}

/** Exit code of a host that found another one in place. */
const EXIT_TAKEN = 3;

function start(options: ConnectOptions): Started {
  const { dataDir, runDir, bundleDir } = options;
  const socket = join(runDir, SOCKET_NAME);
  if (Buffer.byteLength(socket) > MAX_SOCKET_PATH) {
    throw failed(
      `The socket path ${socket} is longer than ${MAX_SOCKET_PATH} bytes; use a data folder with a shorter path`,
    );
  }
  mkdirSync(runDir, { recursive: true, mode: 0o700 });
  chmodSync(runDir, 0o700);
  const copy = versionedCopy(bundleDir, dataDir);
  removeOldCopies(dataDir, [copy.directory]);
  const { fd, path } = openLog(dataDir);
  const result: Started = { logPath: path, ended: undefined, taken: false };
  const env: Record<string, string | undefined> = {};
  for (const name of HOST_ENV) if (process.env[name] !== undefined) env[name] = process.env[name];
  try {
    const child = spawn(
      process.execPath,
      [copy.script, '--data-dir', dataDir, '--socket', socket, '--version', copy.version],
      {
        // A session of its own: neither a closed terminal nor the server's end reaches it.
        detached: true,
        stdio: ['ignore', fd, fd],
        cwd: '/',
        env: env as NodeJS.ProcessEnv,
      },
    );
    child.on('error', (error) => {
      result.ended = error.message;
    });
    child.on('exit', (code, signal) => {
      if (code === EXIT_TAKEN) result.taken = true;
      else result.ended = signal ?? `it ended with code ${code}`;
    });
    child.unref();
    options.log.info({ pid: child.pid, version: copy.version }, 'pty host started');
  } finally {
    closeSync(fd);
  }
  return result;
}

function openLog(dataDir: string): { fd: number; path: string } {
  const folder = join(dataDir, 'logs');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'pty-host.log');
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_LOG_BYTES) renameSync(path, `${path}.1`);
  return { fd: openSync(path, constants.O_CREAT | constants.O_APPEND | constants.O_WRONLY, 0o600), path };
}
