import { expect, test } from '../support';

test('a server that refuses the page says why and is asked again, by itself and by a button', async ({
  server,
  page,
}) => {
  let refusing = true;
  let asked = 0;
  await page.routeWebSocket(/\/socket\//, (socket) => {
    const behind = socket.connectToServer();
    socket.onMessage((message) => {
      const hello = /^42(\d+)\["app:hello"/.exec(String(message));
      if (hello) asked++;
      if (!hello || !refusing) behind.send(message);
      else {
        const error = { code: 'record-unreadable', message: 'The list of projects cannot be read.' };
        socket.send(`43${hello[1]}${JSON.stringify([{ ok: false, error }])}`);
      }
    });
  });
  await page.goto(await server.loginUrl());
  const notice = page.getByRole('alert').filter({ hasText: 'could not connect' });
  await expect(notice).toContainText('The list of projects cannot be read.');
  await expect.poll(() => asked).toBeGreaterThan(1);
  await expect(notice).toBeVisible();

  refusing = false;
  await notice.getByRole('button', { name: 'Try again' }).click();
  await expect(page.locator('[data-card-kind="terminal"]')).toBeVisible();
  await expect(notice).toBeHidden();
});

test('while the server is gone the page says so, then how to start it again, and nothing is left of that when it is back', async ({
  server,
  canvas: page,
}) => {
  await expect(page.locator('[data-card-kind="terminal"]')).toBeVisible();
  await server.kill9();
  const notice = page.getByRole('status').filter({ hasText: 'The connection is lost' });
  await expect(notice).toBeVisible();
  await expect(notice).not.toContainText('npm start');
  await expect(notice).toContainText('“npm start” in its folder, or “npx tessera”', { timeout: 15_000 });
  await server.restart();
  await expect(notice).toBeHidden({ timeout: 15_000 });
});
