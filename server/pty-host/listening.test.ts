import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Listening } from './listening';
import { until } from './testing';

let base: string;
let path: string;
let accepted: Socket[];
let ours: boolean;
let listening: Listening;
let said: string[];
const say = (message: string) => void said.push(message);
beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'tess-socket-'));
  path = join(base, 'runtime', 'tessera-1', 'pty-host.sock');
  accepted = [];
  ours = true;
  said = [];
  listening = new Listening({
    path,
    everyMs: 10,
    connection: (socket) => accepted.push(socket),
    ours: () => ours,
    log: { info: say, error: say },
  });
  await listening.start();
});
afterEach(() => {
  listening.stop();
  for (const socket of accepted) socket.destroy();
  rmSync(base, { recursive: true, force: true });
});

function dial(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => undefined);
  });
}

describe('a socket', () => {
  it('is its owner’s only, and gone with the host', async () => {
    expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(await dial()).toBe(true);
    listening.stop();
    expect(existsSync(path)).toBe(false);
  });

  it('whose folder is removed can be reached again, and those who are connected stay', async () => {
    await dial();
    await until('it is accepted', () => accepted.length === 1);
    rmSync(join(base, 'runtime'), { recursive: true });
    await until('it is there again', () => said.includes('listening anew'));
    expect(await dial()).toBe(true);
    expect(accepted[0]!.destroyed).toBe(false);
  });

  it('waits for a folder that cannot be made yet, and says so once', async () => {
    rmSync(join(base, 'runtime'), { recursive: true });
    writeFileSync(join(base, 'runtime'), '');
    await until('it has noticed', () => said.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    rmSync(join(base, 'runtime'));
    await until('it is there again', () => said.length > 1);
    expect(said).toEqual(['the socket is gone', 'listening anew']);
    expect(await dial()).toBe(true);
  });

  it('takes its path back from another, unless it is not ours any more', async () => {
    rmSync(path);
    writeFileSync(path, 'in the way');
    await until('it is there again', () => said.includes('listening anew'));
    expect(await dial()).toBe(true);
    ours = false;
    rmSync(path);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'of another host');
    listening.stop();
    expect(statSync(path).isFile()).toBe(true);
  });
});
