import { expect, it } from 'vitest';
import { FakePtyHost } from './fake-pty-host';
import { HostLink } from './host-link';

it('a link that was stopped says that the server is stopping', async () => {
  const host = new FakePtyHost(new Map());
  const link = new HostLink(
    async () => host.connect(),
    { changed: () => undefined, connected: async () => undefined, lost: () => undefined },
    { info: () => undefined, warn: () => undefined, error: () => undefined },
  );
  await link.start();
  await link.ready();
  await link.stop();
  await expect(link.ready()).rejects.toMatchObject({ code: 'server-stopping' });
});

it('a link that is stopped while it meets a host lets go of it', async () => {
  const host = new FakePtyHost(new Map());
  let met = (): void => undefined;
  const meeting = new Promise<void>((done) => {
    met = done;
  });
  const link = new HostLink(
    async () => host.connect(),
    { changed: () => undefined, connected: () => meeting, lost: () => undefined },
    { info: () => undefined, warn: () => undefined, error: () => undefined },
  );
  const started = link.start();
  await link.stop();
  met();
  await started;
  expect([host.closed, link.now]).toEqual([true, undefined]);
});
