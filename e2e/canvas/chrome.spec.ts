import AxeBuilder from '@axe-core/playwright';
import type { Locator, Page } from '@playwright/test';
import {
  card,
  expect,
  firstTerminal,
  focusTerminal,
  newId,
  openTerminal,
  run,
  signIn,
  TesseraClient,
  test,
  typeInto,
  until,
  untilText,
} from '../support';
import { boxOf, emptyPoint, leaveCards, restingPlace, untilFocused } from './support';

/** What axe has to say about the page as it is now, in a line each. */
async function faults(page: Page): Promise<string[]> {
  // Colours are computed in the middle of a transition otherwise.
  await page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((one) => one.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY)
        .map((one) => one.finished.catch(() => {})),
    ),
  );
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.flatMap((violation) =>
    violation.nodes.map(
      (node) => `${violation.id}: ${node.target.join(' ')}: ${node.failureSummary?.split('\n')[1] ?? ''}`,
    ),
  );
}

test('canvas:accessible: axe finds nothing on the canvas, its menus, the palette, the settings, in any palette, on the phone and at the login', async ({
  canvas: page,
  server,
  browser,
}) => {
  test.setTimeout(120_000);
  const id = await firstTerminal(page);
  await run(page, id, 'ls /; false');
  await openTerminal(page);
  await page.keyboard.type('exit 3\n');
  await leaveCards(page);
  await page.keyboard.press('KeyN');
  await page.keyboard.type('Before Friday\nCheck');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+a');
  await page.keyboard.press('KeyR');
  await page.keyboard.press('Enter');
  await leaveCards(page);
  await page.keyboard.press('Digit1');
  await restingPlace(page);

  const found: Record<string, string[]> = {};
  const look = async (name: string) => {
    const now = await faults(page);
    if (now.length > 0) found[name] = now;
  };
  for (const [name, query] of [
    ['sage', 'Colours: sage'],
    ['lilac', 'Colours: lilac'],
    ['night', 'Colours: night'],
  ] as const) {
    await page.keyboard.press('Control+Shift+P');
    await page.getByRole('dialog').getByRole('combobox').fill(query);
    await page.keyboard.press('Enter');
    await until(`the palette ${name}`, () =>
      page.evaluate((wanted) => document.documentElement.dataset.palette === wanted, name),
    );
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await look(`canvas ${name}`);
  }
  await page.keyboard.press('Control+Shift+P');
  await page.getByRole('dialog').getByRole('combobox').waitFor();
  await look('palette');
  await page.keyboard.press('Escape');
  await card(page, id).getByRole('button', { name: 'More for this terminal' }).click();
  await page.getByRole('menu').waitFor();
  await look('card menu');
  await page.keyboard.press('Escape');
  const at = await emptyPoint(page);
  await page.mouse.dblclick(at.x, at.y);
  await page.getByRole('menu').waitFor();
  await look('launcher');
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Settings' }).click();
  for (const name of ['General', 'Terminal', 'Canvas', 'Shortcuts', 'Signed-in browsers', 'About']) {
    await page.getByRole('tab', { name }).click();
    await look(`settings ${name}`);
  }
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+o');
  await page.getByRole('combobox', { name: 'Folder' }).waitFor();
  await look('open folder');
  await page.keyboard.press('Escape');
  await leaveCards(page);
  for (let step = 0; step < 7; step++) await page.keyboard.press('Minus');
  await restingPlace(page);
  await look('summaries');

  const phone = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  try {
    const small = await phone.newPage();
    await small.goto(new URL('/login', server.url).href);
    await small.locator('main').waitFor();
    const login = await faults(small);
    if (login.length > 0) found.login = login;
    await signIn(server, small);
    await small.getByRole('toolbar', { name: 'Keys' }).waitFor();
    const one = await faults(small);
    if (one.length > 0) found['phone, one card'] = one;
    await small.getByRole('button', { name: 'Whole canvas' }).click();
    await small.getByRole('toolbar', { name: 'Add to the canvas' }).waitFor();
    const whole = await faults(small);
    if (whole.length > 0) found['phone, whole canvas'] = whole;
  } finally {
    await phone.close();
  }
  expect(found).toEqual({});
});

test('the palette does everything in every language, leads to terminals, and gives the keyboard back', async ({
  canvas: page,
}) => {
  const id = await firstTerminal(page);
  await typeInto(page, id, "printf '\\e]0;the build\\a'; cat\n");
  await focusTerminal(page, id);
  await page.keyboard.press('Control+Shift+P');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await untilFocused(page, id);
  await page.keyboard.type('still here\n');
  await untilText(page, id, /still here\nstill here/);

  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('radio', { name: 'Русский' }).click();
  await page.getByRole('tab', { name: 'Терминал' }).waitFor();
  await page.keyboard.press('Escape');
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('ru');

  for (const words of ['Новый терминал', 'New terminal', 'new ter']) {
    await page.keyboard.press('Control+Shift+P');
    const field = page.getByRole('dialog').getByRole('combobox');
    await field.fill(words);
    await expect(page.getByRole('option').first()).toContainText('Новый терминал');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  const other = await openTerminal(page);
  await untilFocused(page, other);
  await page.keyboard.press('Control+Shift+P');
  await page.getByRole('dialog').getByRole('combobox').fill('the build');
  await page.keyboard.press('Enter');
  await untilFocused(page, id);
});

test('shortcuts can be changed, conflicts are shown, and they work by the place of the key', async ({
  canvas: page,
}) => {
  const id = await firstTerminal(page);
  await leaveCards(page);
  await page.keyboard.press('Shift+Slash');
  const row = page.locator('[data-key-row="note.new"]');
  await row.getByRole('button', { name: /^Add a chord/ }).click();
  await page.keyboard.press('KeyT');
  await expect(row).toContainText('also does “Tidy up”');
  await page.keyboard.press('Alt+KeyQ');
  await expect(row).not.toContainText('also does');
  await row.getByRole('button', { name: 'Use' }).click();
  await expect(row).toContainText('Alt+Q');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('Alt+KeyQ');
  await expect(page.locator('[data-card-kind="note"]')).toHaveCount(1);
  await page.keyboard.press('Escape');

  // A Cyrillic layout: the key of P types з.
  await focusTerminal(page, id);
  await page.evaluate(() =>
    document.activeElement?.dispatchEvent(
      new KeyboardEvent('keydown', {
        key: 'З',
        code: 'KeyP',
        ctrlKey: true,
        shiftKey: true,
        bubbles: true,
        cancelable: true,
      }),
    ),
  );
  await expect(page.getByRole('dialog')).toBeVisible();
});

test('nothing floats over the card into which one types, and its body stays clear of the page’s edges', async ({
  canvas: page,
}) => {
  await firstTerminal(page);
  for (let count = 0; count < 4; count++) {
    const id = await openTerminal(page);
    await restingPlace(page);
    const covered = await page.evaluate((cardId) => {
      const body = document.querySelector(`[data-card-id="${cardId}"] [data-card-body]`)!.getBoundingClientRect();
      const points = [0.02, 0.25, 0.5, 0.75, 0.98].flatMap((x) =>
        [0.04, 0.5, 0.96].map((y) => [body.left + body.width * x, body.top + body.height * y] as const),
      );
      return points.filter(([x, y]) => !document.elementFromPoint(x, y)?.closest(`[data-card-id="${cardId}"]`)).length;
    }, id);
    expect(covered).toBe(0);
  }
});

test('a new card lies clear of the chrome and of the window’s edge, and those in sight stay whole beside it', async ({
  canvas: page,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  const ids = [await firstTerminal(page)];
  /** How near each of the cards comes to what floats and to the edge, at the least. */
  const room = (cards: string[]) =>
    page.evaluate((wanted) => {
      const floats = [...document.querySelectorAll('.chrome-top > *, .dock, .minimap, .zoom-bar')].map((element) =>
        element.getBoundingClientRect(),
      );
      const gaps = wanted.flatMap((id) => {
        const box = document.querySelector(`[data-card-id="${id}"]`)!.getBoundingClientRect();
        const edges = [box.left, box.top, innerWidth - box.right, innerHeight - box.bottom];
        const between = floats.map((float) =>
          Math.max(float.left - box.right, box.left - float.right, float.top - box.bottom, box.top - float.bottom),
        );
        return [...edges, ...between];
      });
      return Math.round(Math.min(...gaps) * 10) / 10;
    }, cards);
  for (let count = 0; count < 3; count++) {
    ids.push(await openTerminal(page));
    await restingPlace(page);
    expect(await room(ids)).toBeGreaterThanOrEqual(16);
  }
  // More than fit at a readable size: the new one is whole, whatever becomes of the others.
  for (let count = 0; count < 2; count++) {
    const id = await openTerminal(page);
    await restingPlace(page);
    expect(await room([id])).toBeGreaterThanOrEqual(16);
  }
  await page.keyboard.press('Control+Shift+L');
  await page.keyboard.press('KeyN');
  const note = page.locator('[data-card-kind="note"]');
  await expect(note.getByPlaceholder('Write a note…')).toBeFocused();
  await restingPlace(page);
  expect(await room([(await note.getAttribute('data-card-id'))!])).toBeGreaterThanOrEqual(16);
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('one card at a time, with the keys that a phone lacks, and the whole canvas a tap away', async ({
    canvas: page,
  }) => {
    const id = await firstTerminal(page);
    const box = await boxOf(page, id);
    expect([box.x, box.y, Math.round(box.width)]).toEqual([0, 0, 390]);
    const bar = (await page.locator('.phone-bar').boundingBox())!;
    expect(bar.height).toBeGreaterThan(100);
    // What is typed is never behind the keys.
    expect(Math.round(box.y + box.height)).toBe(Math.round(bar.y));
    await page.getByRole('button', { name: 'Keyboard' }).tap();
    await untilFocused(page, id);
    await page.keyboard.type('cat -v');
    await page.getByRole('button', { name: 'Enter' }).tap();
    for (const name of ['Escape', 'Tab', 'Arrow up', '|']) await page.getByRole('button', { name, exact: true }).tap();
    await page.getByRole('button', { name: 'Control', exact: true }).tap();
    await page.keyboard.type('a');
    await page.getByRole('button', { name: 'Enter' }).tap();
    await untilText(page, id, /\^\[\t? *\^\[\[A\|\^A/);
    await page.getByRole('button', { name: 'Control+C' }).tap();
    await untilText(page, id, /\^C\n/);

    const sizes = await page
      .getByRole('toolbar', { name: 'Keys' })
      .getByRole('button')
      .evaluateAll((buttons) => buttons.map((button) => Math.round(button.getBoundingClientRect().height)));
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(44);

    await page.getByRole('button', { name: 'New terminal' }).tap();
    await until(
      'two cards',
      async () => (await page.getByRole('navigation', { name: 'Cards' }).getByRole('button').count()) === 2,
    );
    const current = () => page.locator('[data-card-kind][data-maximised="true"]').getAttribute('data-card-id');
    await until('the new card to fill the page', async () => (await current()) !== id);
    await page.getByRole('navigation', { name: 'Cards' }).getByRole('button').first().tap();
    await until('the first card to fill the page', async () => (await current()) === id);

    await page.getByRole('button', { name: 'Whole canvas' }).tap();
    await expect(page.getByRole('toolbar', { name: 'Add to the canvas' })).toBeVisible();
    await expect(page.locator('[data-card-kind="terminal"][data-maximised="true"]')).toHaveCount(0);
    await page.locator('[data-card-kind="terminal"] .card-head').last().tap();
    await until(
      'a card to fill the page again',
      async () => (await page.locator('[data-maximised="true"][data-card-id]').count()) === 1,
    );
  });

  test('notes are pages to write on, canvases are behind their name, and nothing is cut off', async ({
    canvas: page,
  }) => {
    await firstTerminal(page);
    await page.getByRole('button', { name: 'Whole canvas' }).tap();
    await page.getByRole('toolbar', { name: 'Add to the canvas' }).getByRole('button', { name: 'Note' }).tap();
    const note = page.locator('[data-card-kind="note"][data-maximised="true"]');
    await expect(note).toBeVisible();
    expect(Math.round((await note.boundingBox())!.width)).toBe(390);
    await expect(note.getByRole('textbox')).toBeFocused();
    await page.keyboard.type('Buy');
    await note.getByRole('textbox').press('Escape');
    await expect(note).toHaveText('Buy');
    await note.tap();
    await expect(note.getByRole('textbox')).toBeFocused();
    await page.keyboard.type(' paper');
    // What was typed a moment before the page goes is kept.
    await page.reload();
    const dots = page.getByRole('navigation', { name: 'Cards' }).getByRole('button');
    await expect(dots).toHaveCount(2);
    await dots.last().tap();
    await expect(note).toHaveText('Buy paper');

    // The canvas is behind its name here too.
    await page.getByRole('button', { name: 'Canvas Main' }).tap();
    await page.getByRole('menuitem', { name: 'New canvas' }).tap();
    await expect(page.getByRole('button', { name: 'Canvas Canvas 2' })).toBeVisible();
    await expect(page.getByText('double click')).toBeHidden();
    await expect(page.getByText('a swipe over its name')).toBeVisible();
    await page.getByRole('button', { name: 'Canvas Canvas 2' }).tap();
    await page.getByRole('menuitem', { name: 'Main' }).tap();
    await expect(page.getByRole('button', { name: 'Canvas Main' })).toBeVisible();
    await expect(dots).toHaveCount(2);

    await page.getByRole('button', { name: 'Whole canvas' }).tap();
    await page.getByRole('button', { name: 'Settings' }).tap();
    const heights = new Set<number>();
    for (const name of ['Canvas', 'Shortcuts', 'General']) {
      await page.getByRole('tab', { name }).tap();
      heights.add((await page.getByRole('dialog').boundingBox())!.height);
    }
    // Its tabs stay where they are.
    expect(heights.size).toBe(1);
    const middle = async (part: Locator) => {
      const { y, height } = (await part.boundingBox())!;
      return y + height / 2;
    };
    const title = page.getByRole('dialog').getByRole('heading', { name: 'Settings' });
    expect(await middle(title)).toBeCloseTo(await middle(page.getByRole('button', { name: 'Close' })), 0);
    const sides = await page
      .getByRole('dialog')
      .getByRole('tab')
      .evaluateAll((tabs) => tabs.map((tab) => tab.getBoundingClientRect()).map(({ left, right }) => [left, right]));
    expect(sides).toHaveLength(6);
    for (const [left, right] of sides) expect([left! >= 0, right! <= 390]).toEqual([true, true]);
  });

  test('many cards are a list, a card is renamed and started again by a thumb, and messages lie over its name', async ({
    canvas: page,
    server,
  }) => {
    const id = await firstTerminal(page);
    const client = await TesseraClient.connect(server);
    const { canvas } = await client.openCanvas();
    const note = { v: 1, kind: 'note', colour: 'amber', y: 900, z: 2, width: 220, height: 150 } as const;
    const names = ['one', 'two', 'three', 'four', 'five'];
    await client.call('canvas:apply', {
      opId: newId(),
      canvasId: canvas.id,
      changes: names.map((text, index) => ({ type: 'put', item: { ...note, id: newId(), text, x: index * 300 } })),
    });
    client.close();
    await page.getByRole('button', { name: 'Card 1 of 6' }).tap();
    await page.getByRole('menuitem', { name: 'four' }).tap();
    await expect(page.locator('.note[data-maximised="true"]')).toHaveText('four');
    await page.getByRole('button', { name: 'Card 5 of 6' }).tap();
    await page.getByRole('menuitem').first().tap();

    await page.locator('.phone-row').getByRole('button', { name: 'More for this terminal' }).tap();
    await expect(page.getByRole('menuitem', { name: 'Back to its place' })).toHaveCount(0);
    await page.getByRole('menuitem', { name: 'Rename' }).tap();
    await expect(page.getByRole('textbox', { name: 'Name of the terminal' })).toBeFocused();
    await page.keyboard.type('Build\n');
    await expect(card(page, id).locator('.card-title')).toHaveText('Build');

    await page.getByRole('button', { name: 'Keyboard' }).tap();
    await untilFocused(page, id);
    await page.keyboard.type('exit 3\n');
    const again = card(page, id).getByRole('button', { name: 'Start again' });
    await expect(again).toBeVisible();
    expect((await again.boundingBox())!.height).toBeGreaterThanOrEqual(44);

    // Not over the lines of a terminal.
    const endOf = async (message: Locator) => {
      const { y, height } = (await message.boundingBox())!;
      return y + height;
    };
    await page.getByRole('button', { name: 'New terminal' }).tap();
    await page.getByRole('button', { name: 'Card 7 of 7' }).waitFor();
    await page.locator('.phone-row').getByRole('button', { name: 'More for this terminal' }).tap();
    await page.getByRole('menuitem', { name: 'Close terminal' }).tap();
    const closed = page.locator('[data-sonner-toast]');
    await expect.poll(() => endOf(closed)).toBeLessThanOrEqual(60);
    await page.getByRole('button', { name: 'Close now' }).tap();
    await server.kill9();
    const lost = page.getByRole('status').filter({ hasText: 'The connection is lost' });
    await expect(lost).toBeVisible();
    expect(await endOf(lost)).toBeLessThanOrEqual(60);
  });
});
