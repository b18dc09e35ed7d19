import type { LaunchSpec } from '../../schemas/pty-host';
import type { Exit, SessionInfo } from '../../schemas/terminals';
import { Input, type InputPiece } from './input';
import type { Pty, PtyEvents, StartPty } from './pty';

export interface ProgramHooks {
  now(): number;
  later(ms: number, run: () => void): () => void;
  startPty: StartPty;
  folderOf(pid: number): string | undefined;
}

/** The program of a session: the one that runs, or how the last one ended. */
export class Program {
  state: 'running' | 'ended' = 'ended';
  exit: Exit | undefined;
  startedAt: number;
  endedAt: number | undefined;
  /** Shown until the next start. */
  notice: SessionInfo['notice'];
  /** As far as it is known without the program's own word. */
  folder: string | undefined;
  private pty: Pty | undefined;
  private input: Input;
  private endings: (() => void)[] = [];

  constructor(
    private readonly hooks: ProgramHooks,
    startedAt: number | undefined,
  ) {
    this.startedAt = startedAt ?? Date.now();
    this.input = this.newInput();
  }

  get running(): boolean {
    return this.state === 'running';
  }

  get pid(): number | undefined {
    return this.pty?.pid;
  }

  get terminal(): string | undefined {
    return this.pty?.terminal;
  }

  start(spec: LaunchSpec, size: { cols: number; rows: number }, events: PtyEvents): void {
    this.pty = this.hooks.startPty(spec, size, events);
    this.state = 'running';
    this.exit = undefined;
    this.endedAt = undefined;
    this.startedAt = Date.now();
    this.notice = spec.notice;
    this.folder = spec.cwd;
    this.input = this.newInput();
  }

  ended(exit: Exit): void {
    this.state = 'ended';
    this.exit = exit;
    this.endedAt = Date.now();
    this.input.close();
    this.pty = undefined;
  }

  /** To be called when all is told of its end. */
  tellEnded(): void {
    for (const done of this.endings.splice(0)) done();
  }

  /** Resolves when the program's end is known and all its output has come. */
  whenEnded(): Promise<void> {
    return this.running ? new Promise((done) => this.endings.push(done)) : Promise.resolve();
  }

  write(piece: InputPiece, bytes: Buffer): Promise<void> {
    return this.input.accept(piece, bytes);
  }

  /** The terminal answers a query. */
  reply(text: string): void {
    if (this.running) this.input.reply(Buffer.from(text, 'latin1'));
  }

  resize(cols: number, rows: number): void {
    this.pty?.resize(cols, rows);
  }

  pause(): void {
    this.pty?.pause();
  }

  resume(): void {
    this.pty?.resume();
  }

  askFolder(): void {
    if (this.pty) this.folder = this.hooks.folderOf(this.pty.pid) ?? this.folder;
  }

  /** Lets go of it: the kernel tells it so. What it has printed is read before this returns. */
  dispose(): void {
    this.pty?.close();
    this.pty = undefined;
    this.input.close();
  }

  private newInput(): Input {
    return new Input({
      write: (bytes, done) => (this.pty ? this.pty.write(bytes, done) : done()),
      makeWay: (key, written) => this.pty?.makeWay(key, written) ?? Promise.resolve(),
      now: this.hooks.now,
      later: this.hooks.later,
    });
  }
}
