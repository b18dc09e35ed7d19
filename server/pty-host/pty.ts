import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { constants as os } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import * as nodePty from 'node-pty';
import type { LaunchSpec } from '../../schemas/pty-host';
import { FailureError } from '../../schemas/result';
import type { Exit } from '../../schemas/terminals';
import { discardUnread, signalKeys } from './line-discipline';
import { PtyWriter } from './pty-writer';

const READ_BYTES = 64 * 1024;
/**
 * What the kernel may hold of a program's output when it ends is less than this. More comes only from programs that it
 * left behind, and those would never let us go on.
 */
const REST_BYTES = 1024 * 1024;
/** How often room is made for a key on its way, and for how long. */
const ROOM_MS = 2;
const MAX_ROOM_MS = 2000;

/** A program in its own PTY. */
export interface Pty {
  readonly pid: number;
  /** The device that its programs have as their terminal. */
  readonly terminal: string;
  write(bytes: Buffer, done: () => void): void;
  /**
   * Sees to it that the terminal gets a key that interrupts, such as Ctrl+C. A terminal looks at no key while it holds
   * as much as it can (4095 bytes on Linux) that its programs have not read. Where it would drop all that at this key,
   * it is dropped already, until the key is `written` and has come to it; the signal is the terminal's own. A program
   * that takes the key for itself (raw mode) loses nothing and gets no signal. Resolves when that is done, or cannot
   * be; a fault is told as an event. Known to work on Linux; on macOS nothing is different but it has not been seen.
   */
  makeWay(key: number, written: () => boolean): Promise<void>;
  resize(cols: number, rows: number): void;
  pause(): void;
  resume(): void;
  /** Lets go of the PTY; the kernel tells the program (SIGHUP). */
  close(): void;
}

export interface PtyEvents {
  data(bytes: Buffer): void;
  /** After the last byte of output. */
  exit(exit: Exit): void;
  failed(error: unknown): void;
}

export type StartPty = (spec: LaunchSpec, size: { cols: number; rows: number }, events: PtyEvents) => Pty;

/** The parts of node-pty 1.1.0 that it keeps to itself; pty.test.ts pins them. */
interface Inside {
  _socket: Socket & { _readableState: { decoder: unknown; encoding: unknown } };
  _pty: string;
  _fd: number;
}

const signalNames = new Map(Object.entries(os.signals).map(([name, number]) => [number, name]));

/** Starts the program. Throws a FailureError that says what is missing: node-pty itself would only print it. */
export const startPty: StartPty = (spec, size, events) => {
  checkFolder(spec.cwd);
  checkProgram(spec.program);
  let child: nodePty.IPty;
  try {
    child = nodePty.spawn(spec.program, spec.args, {
      name: spec.env.TERM || 'xterm-256color',
      cols: size.cols,
      rows: size.rows,
      cwd: spec.cwd,
      env: spec.env,
      // 'utf8' sets IUTF8 on the terminal, without which Backspace in `cat` takes one byte of a letter. The bytes
      // themselves are wanted as they are: see below.
      encoding: 'utf8',
    });
  } catch (error) {
    throw new FailureError('start-failed', `The program could not be started: ${messageOf(error)}`);
  }
  const inside = child as unknown as Inside;
  const socket = inside._socket;
  socket._readableState.decoder = null;
  socket._readableState.encoding = null;

  // While we hold the other end open the kernel reports no hang-up, at which the last output would be lost.
  let slave: number | undefined;
  try {
    slave = openSync(inside._pty, constants.O_RDWR | constants.O_NOCTTY);
  } catch (error) {
    // It would run on with nobody who knows it.
    socket.on('error', () => {});
    child.kill('SIGKILL');
    socket.destroy();
    throw new FailureError('start-failed', `The terminal of the program could not be opened: ${messageOf(error)}`);
  }
  const writer = new PtyWriter(inside._fd, (error) => events.failed(error));
  let gone = false;
  const closeSlave = (): void => {
    if (slave === undefined) return;
    closeSync(slave);
    slave = undefined;
  };

  // node-pty destroys the socket some time after the program's end: what has not been read by then is read here.
  const destroy = socket.destroy.bind(socket);
  socket.destroy = (error?: Error) => {
    if (!gone) {
      gone = true;
      writer.close();
      readRest(inside._fd, socket, events);
      closeSlave();
    }
    return destroy(error);
  };
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EIO' && error.code !== 'EAGAIN') events.failed(error);
  });
  child.onData((data) => events.data(data as unknown as Buffer));
  child.onExit(({ exitCode, signal }) => {
    gone = true;
    writer.close();
    closeSlave();
    events.exit(signal ? { signal: signalNames.get(signal) ?? `SIG${signal}` } : { code: exitCode });
  });

  return {
    pid: child.pid,
    terminal: inside._pty,
    write(bytes, done) {
      writer.write(bytes, done);
    },
    async makeWay(key, written) {
      try {
        if (gone || !(await signalKeys(inside._pty)).has(key)) return;
        // Our own hold on the device keeps its name from going to another terminal.
        for (const end = performance.now() + MAX_ROOM_MS; slave !== undefined && performance.now() < end; ) {
          const last = written();
          discardUnread(inside._pty);
          if (last) return;
          writer.flush();
          await delay(ROOM_MS);
        }
      } catch (error) {
        if (!gone) events.failed(error);
      }
    },
    resize(cols, rows) {
      // After the end the descriptor may belong to another terminal.
      if (gone) return;
      try {
        child.resize(cols, rows);
      } catch (error) {
        events.failed(error);
      }
    },
    pause() {
      if (!gone) child.pause();
    },
    resume() {
      if (!gone) child.resume();
    },
    close() {
      if (!gone) socket.destroy();
    },
  };
};

/** Reads what has come of an ended program and was not read yet. For tests exported. */
export function readRest(fd: number, socket: Pick<Socket, 'read'>, events: PtyEvents): void {
  // What Node has already read arrives as data events.
  while (socket.read() !== null);
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  try {
    for (let rest = 0; rest < REST_BYTES; ) {
      const count = readSync(fd, buffer, 0, READ_BYTES, null);
      if (count <= 0) return;
      rest += count;
      events.data(Buffer.from(buffer.subarray(0, count)));
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EAGAIN' && code !== 'EIO') events.failed(error);
  }
}

function checkFolder(folder: string): void {
  const missing = (why: string): never => {
    throw new FailureError('folder-missing', `The folder ${folder} ${why}`, { folder });
  };
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (!stat) missing('does not exist');
  else if (!stat.isDirectory()) missing('is not a folder');
  try {
    accessSync(folder, constants.X_OK);
  } catch {
    missing('may not be entered');
  }
}

function checkProgram(program: string): void {
  const stat = statSync(program, { throwIfNoEntry: false });
  let why = stat ? (stat.isFile() ? undefined : 'is not a file') : 'does not exist';
  if (!why) {
    try {
      accessSync(program, constants.X_OK);
    } catch {
      why = 'may not be run';
    }
  }
  if (why) throw new FailureError('program-missing', `The program ${program} ${why}`, { program });
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
