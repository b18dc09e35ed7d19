import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { card, expect, firstTerminal, run, terminalIds, test, typeInto, until, untilText } from '../support';
import { boundsOf, boxOf, drag, emptyPoint, leaveCards, placeOf, restingPlace, untilFocused } from './support';

test('a terminal is renamed, duplicated in its folder, split below, and started again under the same id', async ({
  canvas: page,
  server,
}) => {
  const id = await firstTerminal(page);
  mkdirSync(path.join(server.project, 'src'));
  await run(page, id, 'cd src');

  await leaveCards(page);
  await card(page, id).focus();
  await page.keyboard.press('F2');
  await page.getByRole('textbox', { name: 'Name of the terminal' }).fill('backend');
  await page.keyboard.press('Enter');
  await expect(card(page, id).locator('.card-title')).toHaveText('backend');
  await expect(card(page, id).locator('.card-where')).toContainText('/src');

  const newest = async (known: string[]) =>
    until('one more card', async () => (await terminalIds(page)).find((one) => !known.includes(one)));
  await card(page, id).getByRole('button', { name: 'More for this terminal' }).click();
  await page.getByRole('menuitem', { name: 'Another terminal in the same folder' }).click();
  const copy = await newest([id]);
  await untilFocused(page, copy);
  await run(page, copy, 'pwd');
  await untilText(page, copy, /\/project\/src$/m);

  const before = await boundsOf(page, copy);
  await card(page, copy).getByRole('button', { name: 'More for this terminal' }).click();
  await page.getByRole('menuitem', { name: 'Split below' }).click();
  const below = await newest([id, copy]);
  await untilFocused(page, below);
  const upper = await boundsOf(page, copy);
  const lower = await boundsOf(page, below);
  expect([lower.x, lower.width, upper.y]).toEqual([before.x, before.width, before.y]);
  expect(lower.y).toBe(upper.y + upper.height + 20);
  await run(page, below, 'pwd');
  await untilText(page, below, /\/project\/src$/m);

  await typeInto(page, below, 'exit\n');
  await expect(card(page, below)).toHaveAttribute('data-state', 'ended');
  await card(page, below).getByRole('button', { name: 'More for this terminal' }).click();
  await page.getByRole('menuitem', { name: 'Start again' }).click();
  await expect(card(page, below)).toHaveAttribute('data-state', 'ready');
  await run(page, below, 'echo again');
  await untilText(page, below, /^again$/m);
});

test('text of one card grows and shrinks by itself, and the output of one can be kept off the disk', async ({
  canvas: page,
}) => {
  const id = await firstTerminal(page);
  const size = () => page.evaluate((cardId) => window.tesseraTerminals?.get(cardId)?.options.fontSize, id);
  const usual = await size();
  const choose = async (name: string | RegExp, role: 'menuitem' | 'menuitemcheckbox' = 'menuitem') => {
    await card(page, id).getByRole('button', { name: 'More for this terminal' }).click();
    await page.getByRole(role, { name }).click();
  };
  await choose('Bigger text');
  await until('bigger text', async () => (await size()) === (usual ?? 0) + 1);
  await choose(/^Usual text size/);
  await until('the usual text', async () => (await size()) === usual);
  await choose('Keep output on disk', 'menuitemcheckbox');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete and stop' }).click();
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  await until('the switch to be off', async () => {
    await card(page, id).getByRole('button', { name: 'More for this terminal' }).click();
    const on = await page.getByRole('menuitemcheckbox', { name: 'Keep output on disk' }).getAttribute('aria-checked');
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    return on === 'false';
  });
});

test('a region is drawn where one wants it, coloured and renamed; the launcher puts a terminal there', async ({
  canvas: page,
}) => {
  await firstTerminal(page);
  await leaveCards(page);
  const at = await emptyPoint(page);
  await page.getByRole('button', { name: 'Draw a region' }).click();
  await drag(page, at, { x: -260, y: -200 });
  await page.keyboard.type('drafts');
  await page.keyboard.press('Enter');
  const region = page.locator('[data-card-kind="region"]');
  await expect(region).toHaveAccessibleName('Region drafts');
  const { zoom } = await placeOf(page);
  const bounds = await boundsOf(page, (await region.getAttribute('data-card-id'))!);
  expect(Math.abs(bounds.width - 260 / zoom)).toBeLessThan(3);
  await region.locator('.region-label').click({ button: 'right' });
  await page.getByRole('menuitemcheckbox', { name: 'Amber' }).click();
  await expect(region).toHaveAttribute('data-colour', 'amber');

  const before = await terminalIds(page);
  const point = await emptyPoint(page);
  await page.mouse.dblclick(point.x, point.y);
  await page.getByRole('menuitem', { name: 'Terminal' }).click();
  const made = await until('the new terminal', async () =>
    (await terminalIds(page)).find((one) => !before.includes(one)),
  );
  await untilFocused(page, made);
  await untilText(page, made, '❯');
});

test('a plain wheel zooms when the person chose so, and two fingers pinch the canvas about themselves', async ({
  canvas: page,
}) => {
  const id = await firstTerminal(page);
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('tab', { name: 'Canvas' }).click();
  await page.getByRole('radio', { name: 'Zooms' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await leaveCards(page);
  const before = await restingPlace(page);
  const at = await emptyPoint(page);
  await page.mouse.move(at.x, at.y);
  await page.mouse.wheel(0, 100);
  await until('the wheel to zoom', async () => (await placeOf(page)).zoom < before.zoom);

  await page.keyboard.press('Digit1');
  const start = await restingPlace(page);
  const box = await boxOf(page, id);
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const under = (place: { x: number; y: number; zoom: number }) => ({
    x: (middle.x - place.x) / place.zoom,
    y: (middle.y - place.y) / place.zoom,
  });
  const cdp = await page.context().newCDPSession(page);
  const fingers = (apart: number) => [
    { x: middle.x - apart, y: middle.y, id: 0 },
    { x: middle.x + apart, y: middle.y, id: 1 },
  ];
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: fingers(50) });
  for (let apart = 55; apart <= 100; apart += 5)
    await cdp.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: fingers(apart) });
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  const pinched = await restingPlace(page);
  expect(pinched.zoom / start.zoom).toBeCloseTo(2, 1);
  expect(Math.abs(under(pinched).x - under(start).x)).toBeLessThan(1);
  expect(await page.evaluate(() => visualViewport?.scale)).toBe(1);
});

test('the canvas is worked by keyboard alone: cards are reached, moved, resized, selected, closed', async ({
  canvas: page,
}) => {
  const id = await firstTerminal(page);
  await leaveCards(page);
  await page.keyboard.press('KeyN');
  await page.keyboard.press('Escape');
  const note = page.locator('[data-card-kind="note"]');
  const noteId = (await note.getAttribute('data-card-id'))!;
  await expect(note).toBeFocused();
  const start = await boundsOf(page, noteId);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Alt+Shift+ArrowRight');
  await until('the note to be moved and wider', async () => {
    const now = await boundsOf(page, noteId);
    return now.x === start.x + 10 && now.y === start.y + 50 && now.width === start.width + 50;
  });
  for (let step = 0; step < 3; step++) await page.keyboard.press('Control+z');
  await until(
    'all three to be undone',
    async () => JSON.stringify(await boundsOf(page, noteId)) === JSON.stringify(start),
  );
  await page.keyboard.press('Delete');
  await expect(note).toHaveCount(0);
  await card(page, id).focus();
  await page.keyboard.press('Enter');
  await untilFocused(page, id);
});
