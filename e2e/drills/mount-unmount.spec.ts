import { expect, firstTerminal, test } from '../support';
import { mountAgainAndAgain } from './mount-unmount';

test('canvas:no-leak: forty terminals that come and go leave nothing behind in the page', async ({
  server,
  canvas,
}) => {
  test.setTimeout(120_000);
  await firstTerminal(canvas);
  const each = await mountAgainAndAgain({ server, page: canvas, times: 40, say: () => undefined });
  expect(each.nodes).toBeLessThan(8);
});
