import { card, expect, firstTerminal, openTerminal, TesseraClient, test, until } from '../support';
import { boundsOf, boxOf, drag, emptyPoint, headOf, leaveCards, placeCards, restingPlace } from './support';

test('canvas:undo: a card moves by its header with snapping and guides; undo and redo take it back', async ({
  canvas: page,
  server,
}) => {
  const first = await firstTerminal(page);
  const second = await openTerminal(page);
  const client = await TesseraClient.connect(server);
  try {
    await placeCards(page, client, {
      [first]: { x: 0, y: 0, width: 400, height: 240 },
      [second]: { x: 520, y: 330, width: 400, height: 240 },
    });
    await leaveCards(page);
    await page.keyboard.press('Digit1');
    const { zoom } = await restingPlace(page);

    // To x = 426: six units beside the place that keeps the gap of 20.
    await drag(
      page,
      await headOf(page, second),
      { x: -94 * zoom, y: -323 * zoom },
      { before: async () => expect(page.locator('.guide').first()).toBeVisible() },
    );
    expect(await boundsOf(page, second)).toEqual({ x: 420, y: 0, width: 400, height: 240 });
    await expect(page.locator('.guide')).toHaveCount(0);

    // Alt moves freely.
    await drag(page, await headOf(page, second), { x: 7 * zoom, y: 63 * zoom }, { hold: 'Control', steps: 5 });
    const selectedOnly = await boundsOf(page, second);
    expect(selectedOnly).toEqual({ x: 420, y: 0, width: 400, height: 240 });
    await page.mouse.move(5, 5);

    // A whole drag is one step.
    await leaveCards(page);
    await page.keyboard.press('Control+z');
    await until('the drag to be undone', async () => (await boundsOf(page, second)).x === 520);
    expect((await boundsOf(page, second)).y).toBe(330);
    await page.keyboard.press('Control+Shift+z');
    await until('the drag to be done again', async () => (await boundsOf(page, second)).x === 420);

    // Escape takes a drag back while it goes on.
    await drag(page, await headOf(page, second), { x: 80, y: 90 }, { before: () => page.keyboard.press('Escape') });
    expect(await boundsOf(page, second)).toEqual({ x: 420, y: 0, width: 400, height: 240 });
    const stored = await client.openCanvas();
    expect(stored.items.find((item) => item.id === second)).toMatchObject({ x: 420, y: 0 });
  } finally {
    client.close();
  }
});

test('each of the eight handles resizes and keeps the opposite side, down to the smallest size', async ({
  canvas: page,
  server,
}) => {
  const id = await firstTerminal(page);
  const client = await TesseraClient.connect(server);
  try {
    const start = { x: 0, y: 0, width: 500, height: 300 };
    await placeCards(page, client, { [id]: start });
    await leaveCards(page);
    await page.keyboard.press('Digit1');
    const { zoom } = await restingPlace(page);
    expect(zoom).toBe(1);
    const wanted = {
      n: { x: 0, y: 40, width: 500, height: 260 },
      s: { x: 0, y: 0, width: 500, height: 340 },
      e: { x: 0, y: 0, width: 540, height: 300 },
      w: { x: 40, y: 0, width: 460, height: 300 },
      ne: { x: 0, y: 40, width: 540, height: 260 },
      nw: { x: 40, y: 40, width: 460, height: 260 },
      se: { x: 0, y: 0, width: 540, height: 340 },
      sw: { x: 40, y: 0, width: 460, height: 340 },
    };
    for (const [edge, bounds] of Object.entries(wanted)) {
      const handle = await card(page, id).locator(`.handle[data-edge="${edge}"]`).boundingBox();
      await drag(page, { x: handle!.x + handle!.width / 2, y: handle!.y + handle!.height / 2 }, { x: 40, y: 40 });
      expect(await boundsOf(page, id), edge).toEqual(bounds);
      await leaveCards(page);
      await page.keyboard.press('Control+z');
      await until(
        `${edge} to be undone`,
        async () => (await boundsOf(page, id)).width === 500 && (await boundsOf(page, id)).height === 300,
      );
    }
    const corner = await card(page, id).locator('.handle[data-edge="se"]').boundingBox();
    await drag(page, { x: corner!.x + 9, y: corner!.y + 9 }, { x: -900, y: -700 });
    expect(await boundsOf(page, id)).toEqual({ x: 0, y: 0, width: 280, height: 160 });
  } finally {
    client.close();
  }
});

test('a marquee selects, a drag moves all of it, they align and tidy up, a region takes its contents along and leaves them when deleted', async ({
  canvas: page,
  server,
}) => {
  const ids = [await firstTerminal(page), await openTerminal(page), await openTerminal(page)];
  const [a, b, c] = ids as [string, string, string];
  const client = await TesseraClient.connect(server);
  try {
    await placeCards(page, client, {
      [a]: { x: 0, y: 0, width: 300, height: 200 },
      [b]: { x: 350, y: 40, width: 300, height: 200 },
      [c]: { x: 900, y: 300, width: 300, height: 200 },
    });
    await leaveCards(page);
    await page.keyboard.press('Digit1');
    const { zoom } = await restingPlace(page);
    const boxA = await boxOf(page, a);
    const boxB = await boxOf(page, b);

    await drag(
      page,
      { x: boxA.x - 10, y: boxB.y + boxB.height + 30 },
      { x: boxB.x + boxB.width / 2 - boxA.x, y: -(boxB.height + 20) },
      { hold: 'Shift' },
    );
    await expect(page.locator('[data-card-kind][data-selected="true"]')).toHaveCount(2);
    await expect(page.getByRole('toolbar', { name: '2 selected' })).toBeVisible();

    await page.getByRole('button', { name: 'Align top edges' }).click();
    await until('both at the top', async () => (await boundsOf(page, b)).y === 0);

    // Escape lets go of them, although the button has the keyboard now.
    await page.keyboard.press('Escape');
    await expect(page.locator('[data-card-kind][data-selected="true"]')).toHaveCount(0);
    await drag(
      page,
      { x: boxA.x - 10, y: boxB.y + boxB.height + 30 },
      { x: boxB.x + boxB.width / 2 - boxA.x, y: -(boxB.height + 20) },
      { hold: 'Shift' },
    );
    await expect(page.locator('[data-card-kind][data-selected="true"]')).toHaveCount(2);

    await drag(page, await headOf(page, a), { x: 100 * zoom, y: 400 * zoom });
    const movedA = await boundsOf(page, a);
    const movedB = await boundsOf(page, b);
    expect([movedB.x - movedA.x, movedB.y - movedA.y]).toEqual([350, 0]);
    expect(movedA.y).toBeGreaterThan(300);
    expect(await boundsOf(page, c)).toEqual({ x: 900, y: 300, width: 300, height: 200 });

    // A region round the two; its label moves it with them.
    await page.keyboard.press('KeyR');
    await page.keyboard.type('backend');
    await page.keyboard.press('Enter');
    const region = page.locator('[data-card-kind="region"]');
    await expect(region).toHaveAccessibleName('Region backend');
    const regionId = (await region.getAttribute('data-card-id'))!;
    const regionBefore = await boundsOf(page, regionId);
    await leaveCards(page);
    const label = (await region.locator('.region-name').boundingBox())!;
    await drag(page, { x: label.x + 8, y: label.y + 6 }, { x: 0, y: -60 });
    const regionAfter = await boundsOf(page, regionId);
    expect(regionAfter.y).toBeLessThan(regionBefore.y);
    const carried = await boundsOf(page, a);
    expect(carried.y - movedA.y).toBeCloseTo(regionAfter.y - regionBefore.y, 0);
    expect(await boundsOf(page, c)).toEqual({ x: 900, y: 300, width: 300, height: 200 });

    await page.keyboard.press('Delete');
    await expect(region).toHaveCount(0);
    for (const id of ids) await expect(card(page, id)).toHaveCount(1);
    await page.keyboard.press('Control+z');
    await expect(region).toHaveCount(1);

    // Tidy: nothing overlaps.
    await leaveCards(page);
    await placeCards(page, client, {
      [a]: { x: 0, y: 0, width: 300, height: 200 },
      [b]: { x: 20, y: 30, width: 300, height: 200 },
      [c]: { x: 40, y: 60, width: 300, height: 200 },
    });
    await page.keyboard.press('KeyT');
    await until('no two cards to overlap', async () => {
      const boxes = await Promise.all(ids.map((id) => boundsOf(page, id)));
      return boxes.every((one, i) =>
        boxes
          .slice(i + 1)
          .every(
            (other) =>
              one.x + one.width <= other.x ||
              other.x + other.width <= one.x ||
              one.y + one.height <= other.y ||
              other.y + other.height <= one.y,
          ),
      );
    });
  } finally {
    client.close();
  }
});

test('notes are written in place, coloured, undone as one step and kept by the server', async ({
  canvas: page,
  server,
}) => {
  await firstTerminal(page);
  const at = await emptyPoint(page);
  await page.mouse.dblclick(at.x, at.y);
  await page.getByRole('menuitem', { name: 'Note' }).click();
  await page.keyboard.type('Before Friday\nCheck the till');
  await page.keyboard.press('Escape');
  const note = page.locator('[data-card-kind="note"]');
  await expect(note).toHaveAccessibleName('Note: Before Friday');
  await expect(note.locator('b')).toHaveText('Before Friday');
  const id = (await note.getAttribute('data-card-id'))!;
  await note.click({ button: 'right' });
  await page.getByRole('menuitemcheckbox', { name: 'Rose' }).click();
  await expect(note).toHaveAttribute('data-colour', 'rose');

  const client = await TesseraClient.connect(server);
  try {
    await until('the server to have the note', async () => {
      const item = (await client.openCanvas()).items.find((one) => one.id === id);
      return item?.kind === 'note' && item.text === 'Before Friday\nCheck the till' && item.colour === 'rose';
    });
    await leaveCards(page);
    await page.keyboard.press('Control+z');
    await expect(note).toHaveAttribute('data-colour', 'amber');
    await page.keyboard.press('Control+z');
    await expect(note.locator('.note-hint')).toBeVisible();
    await page.keyboard.press('Control+y');
    await expect(note.locator('b')).toHaveText('Before Friday');
  } finally {
    client.close();
  }
});
