import { chmodSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { describeError, type Log } from './log';

export interface ListeningOptions {
  /** At most 107 bytes. */
  path: string;
  /** How often it is looked whether the socket is still there. */
  everyMs: number;
  connection(socket: Socket): void;
  /** Whether the path is ours to take, also from another socket that is there. */
  ours(): boolean;
  log: Log;
}

/**
 * A socket that stays reachable: its folder may be removed under it, as $XDG_RUNTIME_DIR is when a person logs out, and
 * come back later. Then it listens anew; those who are connected notice nothing.
 */
export class Listening {
  private server: Server | undefined;
  private bound: { ino: number; dev: number } | undefined;
  private timer: NodeJS.Timeout | undefined;
  private missing = false;

  constructor(private readonly options: ListeningOptions) {}

  /** Rejects when it is not possible now. */
  async start(): Promise<void> {
    await this.bind();
    const look = async (): Promise<void> => {
      await this.look();
      if (this.timer) this.timer = setTimeout(look, this.options.everyMs);
    };
    this.timer = setTimeout(look, this.options.everyMs);
  }

  /** Nobody gets in any more; those who are in stay. */
  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.unbind();
  }

  private get isBound(): boolean {
    const found = statSync(this.options.path, { throwIfNoEntry: false });
    return this.bound !== undefined && found?.ino === this.bound.ino && found.dev === this.bound.dev;
  }

  private async look(): Promise<void> {
    const { log, path, ours } = this.options;
    try {
      if (this.isBound || !ours()) return;
      this.unbind();
      await this.bind();
      this.missing = false;
      log.info('listening anew', { socket: path });
    } catch (error) {
      if (!this.missing) log.error('the socket is gone', { socket: path, error: describeError(error) });
      this.missing = true;
    }
  }

  private async bind(): Promise<void> {
    const { path, connection } = this.options;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    rmSync(path, { force: true });
    const server = createServer({ noDelay: true });
    server.on('connection', connection);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
    });
    server.on('error', (error) => this.options.log.error('the socket failed', { error: describeError(error) }));
    chmodSync(path, 0o600);
    const { ino, dev } = statSync(path);
    this.bound = { ino, dev };
    this.server = server;
  }

  /** Closing a server removes what is at its path, so it is closed only with its own socket there, or none. */
  private unbind(): void {
    const { path } = this.options;
    const other = !this.isBound && statSync(path, { throwIfNoEntry: false }) !== undefined;
    if (other && this.options.ours()) rmSync(path, { force: true });
    if (other && !this.options.ours()) this.server?.unref();
    else this.server?.close();
    this.server = undefined;
    this.bound = undefined;
  }
}
