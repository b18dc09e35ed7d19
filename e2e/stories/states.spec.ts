import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { leaveCards } from '../canvas/support';
import {
  card,
  expect,
  firstTerminal,
  openTerminal,
  run,
  signal,
  signIn,
  TesseraClient,
  TesseraServer,
  test,
  typeInto,
  until,
  untilText,
} from '../support';

/** A pty host of another version: it understands the greeting and no more. */
async function otherVersion(socketPath: string) {
  const frame = (message: object) => {
    const json = Buffer.from(JSON.stringify(message));
    const head = Buffer.alloc(5);
    head.writeUInt32BE(1 + json.length, 0);
    return Buffer.concat([head, json]);
  };
  const host = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      const { id } = JSON.parse(chunk.subarray(5).toString()) as { id: number };
      const result = { major: 99, minor: 0, pid: process.pid, version: '99.0.0' };
      socket.write(frame({ type: 'reply', id, ok: true, result }));
    });
  });
  await new Promise<void>((done) => host.listen(socketPath, done));
  return host;
}

test('terminals of another version are told of and left alone', async ({ page }) => {
  const server = new TesseraServer();
  const runDir = path.join(server.dataDir, 'run');
  mkdirSync(runDir, { recursive: true, mode: 0o700 });
  const host = await otherVersion(path.join(runDir, 'pty-host.sock'));
  try {
    await server.start();
    await signIn(server, page);
    const banner = page.getByRole('alert').filter({ hasText: 'another version of Tessera' });
    await expect(banner).toContainText('Nothing was ended');
    await expect(banner).toContainText('tessera stop --end-sessions');
    expect(host.listening).toBe(true);
  } finally {
    host.close();
    await server.dispose();
  }
});

test('a terminal service that does not answer is told of until it does, and what was typed arrives then', async ({
  canvas: page,
  server,
}) => {
  const id = await firstTerminal(page);
  const pid = server.ptyHostPid()!;
  const banner = page.getByRole('alert').filter({ hasText: 'does not answer at the moment' });
  signal(pid, 'SIGSTOP');
  try {
    await expect(banner).toContainText('What you type is kept', { timeout: 20_000 });
    await typeInto(page, id, 'echo was-kept\n');
  } finally {
    signal(pid, 'SIGCONT');
  }
  await expect(banner).toBeHidden({ timeout: 20_000 });
  await untilText(page, id, /^was-kept$/m);
});

test('the shape of a canvas that is coming shows only after 300 ms', async ({ page, server }) => {
  let answer: (() => void) | undefined;
  await page.routeWebSocket(/\/socket\//, (socket) => {
    const behind = socket.connectToServer();
    socket.onMessage((message) => {
      if (String(message).includes('"app:hello"') && !answer) answer = () => behind.send(message);
      else behind.send(message);
    });
  });
  await page.addInitScript(() => {
    const times = { came: 0, shown: 0 };
    Object.assign(window, { loadingTimes: times });
    const look = () => {
      const loading = document.querySelector('.loading');
      if (loading) {
        times.came ||= performance.now();
        if (Number(getComputedStyle(loading).opacity) > 0) times.shown ||= performance.now();
      }
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.goto(await server.loginUrl());
  const loading = page.getByRole('status', { name: 'Opening your canvas' });
  await loading.waitFor();
  const times = () =>
    page.evaluate(() => (window as unknown as { loadingTimes: { came: number; shown: number } }).loadingTimes);
  await until('the shape to show', async () => (await times()).shown > 0);
  const { came, shown } = await times();
  // A frame or so: the style is looked at once a frame.
  expect(shown - came).toBeGreaterThan(270);
  await expect(loading.locator('.skeleton')).toHaveCount(6);
  await until('the greeting', () => answer);
  answer?.();
  await firstTerminal(page);
  await expect(loading).toHaveCount(0);
});

test('a card whose output cannot be kept on disk says so, and its terminal goes on', async ({ page }) => {
  const server = new TesseraServer();
  mkdirSync(server.dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(path.join(server.dataDir, 'scrollback'), 'in the way');
  try {
    await server.start();
    await signIn(server, page);
    const id = await firstTerminal(page);
    await expect(card(page, id)).toContainText('Output is no longer kept on disk');
    await run(page, id, 'echo goes-on');
    await untilText(page, id, /^goes-on$/m);
  } finally {
    await server.dispose();
  }
});

const paletteOf = (page: Page) =>
  page.evaluate(() => [
    document.documentElement.dataset.palette,
    getComputedStyle(document.body).getPropertyValue('--bg').trim(),
  ]);

test('a change of the colours shows at once in every tab', async ({ canvas: page }) => {
  await firstTerminal(page);
  const other = await page.context().newPage();
  await other.goto(page.url());
  const id = await firstTerminal(other);
  await page.bringToFront();
  await page.getByRole('button', { name: 'Settings' }).click();
  const backgrounds = new Set<unknown>();
  for (const [label, palette] of [
    ['Lilac', 'lilac'],
    ['Night', 'night'],
    ['Sage', 'sage'],
  ] as const) {
    await page.getByRole('radio', { name: label, exact: true }).check({ force: true });
    for (const tab of [page, other]) await expect.poll(async () => (await paletteOf(tab))[0]).toBe(palette);
    const term = await other.evaluate((cardId) => window.tesseraTerminals?.get(cardId)?.options.theme, id);
    backgrounds.add(term?.background);
  }
  // Terminals take the colours too.
  expect(backgrounds.size).toBe(3);
});

test('the text size of a card stays with it over a reload, and other cards keep theirs', async ({ canvas: page }) => {
  const id = await firstTerminal(page);
  const other = await openTerminal(page);
  const size = (cardId: string) =>
    page.evaluate((wanted) => window.tesseraTerminals?.get(wanted)?.options.fontSize ?? 0, cardId);
  const usual = await size(id);
  for (let step = 1; step <= 2; step++) {
    await card(page, id).getByRole('button', { name: 'More for this terminal' }).click();
    await page.getByRole('menuitem', { name: 'Bigger text' }).click();
    await expect.poll(() => size(id)).toBe(usual + step);
  }
  await page.reload();
  await expect.poll(() => size(id)).toBe(usual + 2);
  await expect.poll(() => size(other)).toBe(usual);
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('a swipe over the head of a card goes to the next one and back, and a slow finger up does not', async ({
    page,
    server,
  }) => {
    const client = await TesseraClient.connect(server);
    await client.createTerminal({ x: 900, y: 100 });
    client.close();
    await signIn(server, page);
    const shown = page.locator('[data-card-kind="terminal"][data-maximised="true"]');
    await expect(shown).toHaveCount(1);
    const at = () => shown.getAttribute('data-card-id');
    const begun = await at();
    const session = await page.context().newCDPSession(page);
    const swipe = async (dx: number, dy: number) => {
      const head = (await shown.locator('.card-head').boundingBox())!;
      const x = head.x + head.width / 2;
      const y = head.y + head.height / 2;
      const points = (part: number) => [{ x: x + dx * part, y: y + dy * part }];
      await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: points(0) });
      for (const part of [0.25, 0.5, 0.75, 1])
        await session.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: points(part) });
      await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    };
    const dots = page.getByRole('navigation', { name: 'Cards' }).getByRole('button');
    await expect(dots).toHaveCount(2);
    await expect(dots.nth(0)).toHaveAttribute('aria-current', 'true');
    await swipe(-150, 0);
    await expect(dots.nth(1)).toHaveAttribute('aria-current', 'true');
    await expect.poll(at).not.toBe(begun);
    await swipe(-150, 0);
    await swipe(20, 100);
    await expect(dots.nth(1)).toHaveAttribute('aria-current', 'true');
    await swipe(150, 0);
    await expect(dots.nth(0)).toHaveAttribute('aria-current', 'true');
    await expect.poll(at).toBe(begun);
  });
});

test('canvas:accessible: axe finds nothing in the settings, the commands and the folder field in any palette', async ({
  canvas: page,
}) => {
  test.setTimeout(240_000);
  await firstTerminal(page);
  const found: Record<string, string[]> = {};
  const look = async (name: string) => {
    await page.evaluate(() =>
      Promise.all(
        document
          .getAnimations()
          .filter((one) => one.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY)
          .map((one) => one.finished.catch(() => {})),
      ),
    );
    const { violations } = await new AxeBuilder({ page }).analyze();
    const faults = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
    if (faults.length > 0) found[name] = faults;
  };
  for (const palette of ['sage', 'lilac', 'night']) {
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('tab', { name: 'General' }).click();
    await page.getByRole('radio', { name: new RegExp(`^${palette}$`, 'i') }).check({ force: true });
    await expect.poll(async () => (await paletteOf(page))[0]).toBe(palette);
    for (const name of ['General', 'Terminal', 'Canvas', 'Shortcuts', 'Signed-in browsers', 'About']) {
      await page.getByRole('tab', { name }).click();
      await look(`${palette}, settings ${name}`);
    }
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+Shift+P');
    await page.getByRole('dialog').getByRole('combobox').waitFor();
    await look(`${palette}, commands`);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await leaveCards(page);
    await page.keyboard.press('Control+o');
    await page.getByRole('combobox', { name: 'Folder' }).waitFor();
    await look(`${palette}, open folder`);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  expect(found).toEqual({});
});
