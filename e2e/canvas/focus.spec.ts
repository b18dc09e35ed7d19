import {
  card,
  expect,
  firstTerminal,
  focusTerminal,
  openTerminal,
  run,
  TesseraClient,
  test,
  typeInto,
  until,
  untilText,
} from '../support';
import {
  boundsOf,
  boxOf,
  drag,
  focusedCard,
  leaveCards,
  placeCards,
  placeOf,
  restingPlace,
  untilFocused,
} from './support';

test('the keyboard goes from card to card by direction, and keys of programs reach them', async ({
  canvas: page,
  server,
}) => {
  const left = await firstTerminal(page);
  const right = await openTerminal(page);
  const below = await openTerminal(page);
  const client = await TesseraClient.connect(server);
  try {
    const size = { width: 400, height: 240 };
    await placeCards(page, client, {
      [left]: { x: 0, y: 0, ...size },
      [right]: { x: 420, y: 0, ...size },
      [below]: { x: 0, y: 260, ...size },
    });
    await focusTerminal(page, left);
    await page.keyboard.press('Control+Shift+ArrowRight');
    await untilFocused(page, right);
    await page.keyboard.press('Control+Shift+ArrowLeft');
    await untilFocused(page, left);
    await page.keyboard.press('Control+Shift+ArrowDown');
    await untilFocused(page, below);
    await page.keyboard.press('Control+Shift+ArrowDown');
    expect(await focusedCard(page)).toBe(below);
    await expect(card(page, below)).toHaveAttribute('data-focused', 'true');

    // What shells and agents use goes to the program, not to us.
    await typeInto(page, below, 'stty raw -echo; cat -v; stty sane\n');
    for (const key of [
      'Control+k',
      'Control+b',
      'Control+j',
      'Control+r',
      'Home',
      'Alt+ArrowLeft',
      'Control+a',
      'F2',
      'Delete',
      'n',
      '1',
    ])
      await page.keyboard.press(key);
    await untilText(page, below, /\^K\^B\n? *\^R\^\[(\[H|OH)\^\[\[1;3D\^A\^\[OQ\^\[\[3~n1/);
    expect(await focusedCard(page)).toBe(below);
    await expect(page.locator('[data-card-kind="note"]')).toHaveCount(0);

    await page.keyboard.press('Control+Shift+L');
    await until('the canvas to have the keyboard', () =>
      page.evaluate(() => document.activeElement?.matches('[data-card-kind]') ?? false),
    );
    await page.keyboard.press('Enter');
    await untilFocused(page, below);
  } finally {
    client.close();
  }
});

test('a card fills the window with a grid of that size, and goes back to its place', async ({ canvas: page }) => {
  const id = await firstTerminal(page);
  const cols = () => page.evaluate((cardId) => window.tesseraTerminals?.get(cardId)?.cols ?? 0, id);
  const before = { bounds: await boundsOf(page, id), place: await restingPlace(page), cols: await cols() };
  await focusTerminal(page, id);
  await page.keyboard.press('Control+Shift+M');
  await until('the card to fill the window', async () => (await boxOf(page, id)).width > 1500);
  await until('a wider grid', async () => (await cols()) > before.cols + 40);
  await untilFocused(page, id);
  await run(page, id, 'echo "columns: $(tput cols)"');
  await untilText(page, id, `columns: ${await cols()}`);
  const filled = await boxOf(page, id);
  expect([filled.x >= 0, filled.y >= 50, filled.x + filled.width <= 1600, filled.y + filled.height <= 900]).toEqual([
    true,
    true,
    true,
    true,
  ]);

  // Escape in the terminal is the program's; outside it is ours.
  await page.keyboard.press('Escape');
  await expect(card(page, id)).toHaveAttribute('data-maximised', 'true');
  await page.keyboard.press('Control+Shift+L');
  await page.keyboard.press('Escape');
  await expect(card(page, id)).toHaveAttribute('data-maximised', 'false');
  expect(await restingPlace(page)).toEqual(before.place);
  expect(await boundsOf(page, id)).toEqual(before.bounds);
  await until('the grid of before', async () => (await cols()) === before.cols);
});

test('the minimap leads there by click, drag and keys, and shows who needs you in amber', async ({
  canvas: page,
  server,
}) => {
  const near = await firstTerminal(page);
  const far = await openTerminal(page);
  const client = await TesseraClient.connect(server);
  try {
    await placeCards(page, client, {
      [near]: { x: 0, y: 0, width: 700, height: 430 },
      [far]: { x: 4000, y: 2500, width: 700, height: 430 },
    });
    await typeInto(page, far, "sleep 1; printf '\\e]777;notify;Build;all is done\\a'\n");
    await leaveCards(page);
    await page.keyboard.press('Digit0');
    await restingPlace(page);
    const map = page.getByRole('application', { name: /^Minimap/ });
    const mark = map.locator(`[data-map-item="${far}"]`);
    await expect(mark).toHaveAttribute('data-state', 'need');
    await expect(card(page, far)).toHaveAttribute('data-state', 'need');
    await expect(page.getByRole('button', { name: 'One terminal needs you' })).toBeVisible();

    // A click goes there.
    const box = (await mark.boundingBox())!;
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await until('the far card to be in the middle', async () => {
      const place = await restingPlace(page);
      return Math.abs(4350 * place.zoom + place.x - 800) < 120 && Math.abs(2715 * place.zoom + place.y - 450) < 120;
    });

    // A drag of the frame does not jump.
    const frame = (await map.locator('[data-map-view]').boundingBox())!;
    const start = await restingPlace(page);
    await drag(page, { x: frame.x + frame.width / 2, y: frame.y + frame.height / 2 }, { x: -10, y: -8 });
    const moved = await restingPlace(page);
    expect(moved.x).toBeGreaterThan(start.x);
    expect(moved.y).toBeGreaterThan(start.y);

    await map.focus();
    await page.keyboard.press('ArrowLeft');
    await until('the arrow to move the view', async () => (await placeOf(page)).x > moved.x + 100);

    // The list leads to the card, and then nobody needs the person any more.
    await page.getByRole('button', { name: 'One terminal needs you' }).click();
    await page.getByRole('button', { name: /all is done/ }).click();
    await untilFocused(page, far);
    await expect(page.getByRole('button', { name: 'Nobody needs you' })).toBeVisible();
    await expect(card(page, far)).not.toHaveAttribute('data-state', 'need');
  } finally {
    client.close();
  }
});

test('closing asks when something runs and names it; a session that ended badly is shown', async ({ canvas: page }) => {
  const id = await firstTerminal(page);
  const other = await openTerminal(page);
  await typeInto(page, other, 'sleep 777\n');
  await until('the command to run', async () => (await card(page, other).getAttribute('data-state')) === 'busy');
  await card(page, other).getByRole('button', { name: 'Close terminal' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('sleep 777');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(card(page, other)).toHaveCount(1);
  await card(page, other).getByRole('button', { name: 'Close terminal' }).click();
  await question.getByRole('button', { name: 'Close and end it' }).click();
  await expect(card(page, other)).toHaveCount(0);

  await typeInto(page, id, 'exit 7\n');
  await expect(card(page, id)).toHaveAttribute('data-state', 'failed');
  await expect(card(page, id).locator('.card-head .pill')).toHaveText('exit 7');
});
