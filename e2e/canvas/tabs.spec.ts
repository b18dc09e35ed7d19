import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { card, expect, firstTerminal, openTerminal, signIn, TesseraClient, test, until } from '../support';
import { boundsOf, drag, emptyPoint, headOf, leaveCards, placeOf, restingPlace } from './support';

test('canvas:one-layout: two tabs show one canvas: a drag is seen while it goes on, and each keeps its own view', async ({
  canvas: page,
  server,
  context,
}) => {
  const id = await firstTerminal(page);
  await leaveCards(page);
  const other = await context.newPage();
  await other.goto(server.url);
  await card(other, id).waitFor();
  const mine = await restingPlace(other);
  const before = await boundsOf(other, id);

  await drag(
    page,
    await headOf(page, id),
    { x: 130, y: 90 },
    {
      before: async () => {
        await until('the other tab to see the drag', async () => (await boundsOf(other, id)).x > before.x + 50);
      },
    },
  );
  const moved = await boundsOf(page, id);
  await until('both to agree', async () => JSON.stringify(await boundsOf(other, id)) === JSON.stringify(moved));

  const at = await emptyPoint(page);
  await page.mouse.move(at.x, at.y);
  await page.mouse.wheel(200, 100);
  await restingPlace(page);
  expect(await placeOf(other)).toEqual(mine);

  // What one tab adds, the other has; what it removes is gone there too.
  await page.keyboard.press('KeyN');
  await page.keyboard.type('from the first tab');
  await page.keyboard.press('Escape');
  await expect(other.locator('[data-card-kind="note"]')).toContainText('from the first tab');
  await other.locator('[data-card-kind="note"]').focus();
  await other.keyboard.press('Delete');
  await expect(page.locator('[data-card-kind="note"]')).toHaveCount(0);

  // The view survives a reload.
  const place = await restingPlace(page);
  await page.reload();
  await card(page, id).waitFor();
  expect(await restingPlace(page)).toEqual(place);
});

test('what was moved while the server was away is there when it is back', async ({ canvas: page, server }) => {
  const id = await firstTerminal(page);
  await leaveCards(page);
  await server.kill9();
  await expect(page.getByText('The connection is lost.')).toBeVisible();
  await expect(card(page, id)).toBeVisible();
  await drag(page, await headOf(page, id), { x: 200, y: 100 });
  const moved = await boundsOf(page, id);
  await server.start();
  await expect(page.getByText('The connection is lost.')).toBeHidden();
  const client = await TesseraClient.connect(server);
  try {
    await until('the server to have the move', async () => {
      const item = (await client.openCanvas()).items.find((one) => one.id === id);
      return item?.x === moved.x && item.y === moved.y;
    });
  } finally {
    client.close();
  }
  expect(await boundsOf(page, id)).toEqual(moved);
});

test('a record that cannot be read is shown, hides nothing else and goes only when the person says so', async ({
  canvas: page,
  server,
}) => {
  const id = await firstTerminal(page);
  const other = await openTerminal(page);
  await leaveCards(page);
  await page.keyboard.press('KeyN');
  await page.keyboard.type('to be damaged');
  await page.keyboard.press('Escape');
  const note = page.locator('[data-card-kind="note"]');
  await expect(note).toContainText('to be damaged');
  const noteId = (await note.getAttribute('data-card-id'))!;
  const client = await TesseraClient.connect(server);
  await until('the note to be stored', async () =>
    (await client.openCanvas()).items.some((item) => item.id === noteId && item.kind === 'note' && item.text !== ''),
  );
  client.close();
  await server.stop();
  const file = path.join(server.dataDir, 'tessera.db');
  expect(existsSync(file)).toBe(true);
  const db = new Database(file);
  expect(db.prepare('UPDATE canvas_items SET json = \'{"v":1,"kind":"no\' WHERE id = ?').run(noteId).changes).toBe(1);
  db.close();
  await server.start();

  const broken = page.locator('[data-card-kind="corrupt"]');
  await expect(broken).toBeVisible();
  for (const one of [id, other]) await expect(card(page, one)).toHaveCount(1);
  await page.keyboard.press('Digit1');
  await restingPlace(page);
  await broken.getByRole('button', { name: 'Discard…' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
  await expect(broken).toBeVisible();
  await broken.getByRole('button', { name: 'Discard…' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click();
  await expect(broken).toHaveCount(0);
  await page.reload();
  await card(page, id).waitFor();
  await expect(broken).toHaveCount(0);
});

test('a project has several canvases: new, renamed, switched, deleted only when no terminal runs; folders open as projects', async ({
  canvas: page,
  server,
}) => {
  const id = await firstTerminal(page);
  await page.getByRole('button', { name: 'New canvas' }).click();
  await expect(page.getByRole('heading', { name: 'Nothing here yet' })).toBeVisible();
  await expect(card(page, id)).toHaveCount(0);
  // One types its name at once, and is on the canvas then: the key is the canvas’s.
  await expect(page.getByRole('textbox', { name: 'Name of the canvas' })).toBeFocused();
  await page.keyboard.type('Draft');
  await page.keyboard.press('Enter');
  await page.keyboard.press('KeyN');
  await expect(page.locator('[data-card-kind="note"]')).toHaveCount(1);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Delete');
  await expect(page.getByRole('heading', { name: 'Nothing here yet' })).toBeVisible();
  await page.getByRole('button', { name: 'Draft' }).dblclick();
  await page.getByRole('textbox', { name: 'Name of the canvas' }).fill('Review');
  await page.keyboard.press('Enter');
  const review = page.getByRole('button', { name: 'Review' });
  await expect(review).toHaveAttribute('aria-current', 'page');
  const other = await openTerminal(page);

  await page.getByRole('button', { name: 'Main' }).click();
  await card(page, id).waitFor();
  await expect(card(page, other)).toHaveCount(0);
  await page.reload();
  await card(page, id).waitFor();

  // The palette knows the terminal of the other canvas.
  await page.getByRole('button', { name: 'Review' }).click();
  await card(page, other).waitFor();
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('menuitem', { name: 'Delete canvas' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete canvas' }).click();
  await expect(page.locator('[data-sonner-toast]')).toContainText(/terminal/i);
  await expect(review).toBeVisible();
  await card(page, other).getByRole('button', { name: 'Close terminal' }).click();
  await expect(card(page, other)).toHaveCount(0);
  // Nothing is on it: it goes without a question.
  await page.getByRole('button', { name: 'Delete this empty canvas' }).click();
  await expect(review).toHaveCount(0);
  await card(page, id).waitFor();

  // A folder is completed as one types it.
  mkdirSync(path.join(server.home, 'code', 'tower'), { recursive: true });
  await page.getByRole('button', { name: /^Project:/ }).click();
  await page.getByRole('menuitem', { name: 'Open folder…' }).click();
  const field = page.getByRole('combobox', { name: 'Folder' });
  await field.fill(`${server.home}/co`);
  await page.getByRole('option', { name: 'code' }).waitFor();
  await page.keyboard.press('Tab');
  await expect(field).toHaveValue(`${server.home}/code/`);
  await page.getByRole('option', { name: 'tower' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Tab');
  await expect(field).toHaveValue(`${server.home}/code/tower/`);
  await expect(page.getByText('There are no folders in here.')).toBeVisible();
  await field.fill(`${server.home}/nowhere`);
  await expect(page.getByText('No folder in here begins with “nowhere”.')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert').filter({ hasText: 'nowhere' })).toBeVisible();
  await field.fill(`${server.home}/code/tower`);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Project: tower' })).toBeVisible();
  await page.getByRole('button', { name: 'Project: tower' }).click();
  await expect(page.getByRole('menuitem', { name: /tower/ })).toBeVisible();
});

test('a browser that is signed out in another one goes to the login page', async ({
  canvas: page,
  server,
  browser,
}) => {
  await firstTerminal(page);
  const elsewhere = await browser.newContext();
  try {
    const other = await elsewhere.newPage();
    await signIn(server, other);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('tab', { name: 'Signed-in browsers' }).click();
    const rows = page.getByRole('tabpanel').getByRole('listitem');
    await expect(rows).toHaveCount(2);
    await rows.filter({ hasNotText: 'this one' }).getByRole('button').click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out' }).click();
    await expect(rows).toHaveCount(1);
    await other.waitForURL(/\/login/);
  } finally {
    await elsewhere.close();
  }
});
