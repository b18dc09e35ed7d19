import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PtyHostState } from '../../schemas/realtime';
import { HostLink } from './host-link';
import { connectPtyHost } from './pty-host';
import { bundleHost, dataFolder, isAlive, until } from './pty-host/testing-host';

const quiet = { info() {}, warn() {}, error() {} };
let bundle: Awaited<ReturnType<typeof bundleHost>>;

beforeAll(async () => {
  bundle = await bundleHost();
});
afterAll(() => bundle.remove());

it('a real pty host that is stopped is told of as silent, lives on, and is told of as connected when it goes on', async () => {
  const { dataDir, runDir, hostPid, remove } = dataFolder();
  const told: PtyHostState['state'][] = [];
  const link = new HostLink(
    () => connectPtyHost({ dataDir, runDir, bundleDir: bundle.directory, log: quiet }),
    { changed: ({ state }) => told.push(state), connected: async () => undefined, lost: () => undefined },
    quiet,
  );
  try {
    await link.start();
    const pid = hostPid()!;
    await expect(link.now!.call('ping', {})).resolves.toBeNull();
    process.kill(pid, 'SIGSTOP');
    const asked = link.now!.call('list', {});
    await until('the host counts as silent', () => told.includes('silent'));
    process.kill(pid, 'SIGCONT');
    expect(await asked).toEqual({ sessions: [] });
    await until('it counts as connected again', () => told.at(-1) === 'connected');
    expect([told, hostPid(), isAlive(pid)]).toEqual([['connected', 'silent', 'connected'], pid, true]);
  } finally {
    await link.stop();
    await remove();
  }
});

it('a real pty host that is stopped when a server starts is silent to it, and the same host when it goes on', async () => {
  const { dataDir, runDir, hostPid, remove } = dataFolder();
  const newLink = (told: PtyHostState['state'][], lost: string[]) =>
    new HostLink(
      () => connectPtyHost({ dataDir, runDir, bundleDir: bundle.directory, log: quiet }),
      {
        changed: ({ state }) => told.push(state),
        connected: async () => undefined,
        lost: ({ code }) => lost.push(code),
      },
      quiet,
    );
  const first = newLink([], []);
  const told: PtyHostState['state'][] = [];
  const lost: string[] = [];
  const second = newLink(told, lost);
  try {
    await first.start();
    const pid = hostPid()!;
    await first.stop();
    process.kill(pid, 'SIGSTOP');
    await second.start();
    expect([told, second.now]).toEqual([['silent'], undefined]);
    process.kill(pid, 'SIGCONT');
    await until('it is connected', () => told.at(-1) === 'connected');
    expect([told, lost, hostPid(), isAlive(pid)]).toEqual([['silent', 'connected'], [], pid, true]);
  } finally {
    await second.stop();
    await remove();
  }
});
