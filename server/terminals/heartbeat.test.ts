import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { PtyHostState } from '../../schemas/realtime';
import { FailureError } from '../../schemas/result';
import { FakePtyHost } from './fake-pty-host';
import { BEAT_MS } from './heartbeat';
import { HostLink } from './host-link';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const beats = (count: number) => vi.advanceTimersByTimeAsync(count * BEAT_MS);

async function linkTo(hosts: FakePtyHost[]) {
  const told: PtyHostState['state'][] = [];
  const link = new HostLink(
    async () => (hosts.length > 1 && !hosts[0]!.alive ? hosts.splice(0, 1) && hosts[0]! : hosts[0]!).connect(),
    { changed: ({ state }) => told.push(state), connected: async () => undefined, lost: () => undefined },
    { info: () => undefined, warn: () => undefined, error: () => undefined },
  );
  await link.start();
  return { link, told };
}

/** Every `ping` waits from now on, until the function that is returned is called. */
function stick(host: FakePtyHost): () => void {
  let goOn = (): void => undefined;
  host.slow.set('ping', new Promise<void>((done) => (goOn = done)));
  return () => {
    host.slow.delete('ping');
    goOn();
  };
}

it('a pty host that answers is asked every two seconds and nothing is told', async () => {
  const host = new FakePtyHost(new Map());
  const { link, told } = await linkTo([host]);
  await beats(5);
  expect([host.called('ping').length, told]).toEqual([5, ['connected']]);
  await link.stop();
});

it('a stuck pty host is told of after four seconds, kept, and told of again when it goes on', async () => {
  const host = new FakePtyHost(new Map());
  const { link, told } = await linkTo([host]);
  const goOn = stick(host);
  await beats(2);
  expect(told).toEqual(['connected']);
  await beats(1);
  expect([told, link.current]).toEqual([['connected', 'silent'], { state: 'silent' }]);
  await beats(20);
  expect([told.length, host.called('ping').length, host.closed, link.now === (await link.ready())]).toEqual([
    ...[2, 1, false],
    true,
  ]);
  goOn();
  await beats(0);
  expect([told, link.current]).toEqual([['connected', 'silent', 'connected'], { state: 'connected' }]);
  stick(host);
  await beats(3);
  expect(told.at(-1)).toBe('silent');
  await link.stop();
});

it('a question that ran out of time is no answer; the next one that is answered ends the silence', async () => {
  const host = new FakePtyHost(new Map());
  const { link, told } = await linkTo([host]);
  host.failing.set('ping', new FailureError('pty-host-timeout', 'no answer in time'));
  await beats(6);
  expect(told).toEqual(['connected', 'silent']);
  host.failing.delete('ping');
  await beats(1);
  expect(told).toEqual(['connected', 'silent', 'connected']);
  await link.stop();
});

it('an older pty host that does not know the question is there', async () => {
  const host = new FakePtyHost(new Map());
  host.failing.set('ping', new FailureError('unknown-method', 'This pty host does not know "ping"'));
  const { link, told } = await linkTo([host]);
  await beats(10);
  expect(told).toEqual(['connected']);
  await link.stop();
});

it('a silent pty host that ends is followed by another, and its late answers change nothing', async () => {
  const [first, second] = [new FakePtyHost(new Map()), new FakePtyHost(new Map())];
  const { link, told } = await linkTo([first, second]);
  const goOn = stick(first);
  await beats(3);
  first.die();
  await beats(0);
  goOn();
  await beats(3);
  expect([told, second.called('ping').length]).toEqual([['connected', 'silent', 'starting', 'connected'], 3]);
  await link.stop();
});

it('a link that is stopped asks no more and leaves no timer', async () => {
  const host = new FakePtyHost(new Map());
  const { link, told } = await linkTo([host]);
  const goOn = stick(host);
  await beats(3);
  await link.stop();
  goOn();
  await beats(3);
  expect([vi.getTimerCount(), host.called('ping').length, told]).toEqual([0, 1, ['connected', 'silent']]);
});
