import { expect, firstTerminal, test } from '../support';
import { killUnderFlood } from './kill-server';

test('pain 21, host:adopt, journal:exact: five kills of the server under a flood lose no byte, no line and no session', async ({
  server,
  canvas,
}) => {
  test.setTimeout(120_000);
  const found = await killUnderFlood({
    server,
    page: canvas,
    terminal: await firstTerminal(canvas),
    times: 5,
    say: () => undefined,
  });
  expect(found.kills).toBe(5);
  expect(found.viewerLines).toBeGreaterThan(1000);
  expect(found.journalBytes).toBeGreaterThan(1_000_000);
});
