import { card, expect, firstTerminal, focusTerminal, openTerminal, run, test, until, untilText } from '../support';
import { boxOf, drag, emptyPoint, leaveCards, placeOf, restingPlace } from './support';

test('the canvas pans by wheel, drag, middle button, space and touch of the keys, and zooms about the pointer', async ({
  canvas: page,
}) => {
  const id = await firstTerminal(page);
  await leaveCards(page);
  const start = await restingPlace(page);
  const at = await emptyPoint(page);

  await page.mouse.move(at.x, at.y);
  await page.mouse.wheel(30, 50);
  await until('the wheel to pan', async () => (await placeOf(page)).y === start.y - 50);
  expect(await placeOf(page)).toEqual({ x: start.x - 30, y: start.y - 50, zoom: start.zoom });

  for (const options of [{}, { button: 'middle' as const }, { hold: 'Space' }]) {
    const before = await restingPlace(page);
    await drag(page, await emptyPoint(page), { x: 60, y: 40 }, options);
    const after = await restingPlace(page);
    expect([after.x - before.x, after.y - before.y], JSON.stringify(options)).toEqual([60, 40]);
  }

  // What lies under the pointer stays there.
  const box = await boxOf(page, id);
  const anchor = { x: box.x + 5, y: box.y + 5 };
  const before = await placeOf(page);
  const under = (place: { x: number; y: number; zoom: number }) => ({
    x: (anchor.x - place.x) / place.zoom,
    y: (anchor.y - place.y) / place.zoom,
  });
  await page.mouse.move(anchor.x, anchor.y);
  await page.keyboard.down('Control');
  for (let step = 0; step < 6; step++) await page.mouse.wheel(0, 10);
  await page.keyboard.up('Control');
  const zoomed = await restingPlace(page);
  expect(zoomed.zoom).toBeLessThan(before.zoom);
  expect(Math.abs(under(zoomed).x - under(before).x)).toBeLessThan(0.3);
  expect(Math.abs(under(zoomed).y - under(before).y)).toBeLessThan(0.3);

  // From 0.2 to 2 and no farther.
  await page.keyboard.down('Control');
  for (let step = 0; step < 20; step++) await page.mouse.wheel(0, 100);
  expect((await restingPlace(page)).zoom).toBeCloseTo(0.2, 5);
  for (let step = 0; step < 30; step++) await page.mouse.wheel(0, -100);
  await page.keyboard.up('Control');
  expect((await restingPlace(page)).zoom).toBeCloseTo(2, 5);

  // Keys and buttons.
  await page.keyboard.press('Digit1');
  await restingPlace(page);
  await page.keyboard.press('Digit0');
  await until('100 %', async () => (await placeOf(page)).zoom === 1);
  await page.getByRole('button', { name: 'Zoom out' }).click();
  await until('a smaller zoom', async () => Math.abs((await placeOf(page)).zoom - 1 / 1.22) < 1e-6);
});

test('pain 5, pain 6, pain 7: the wheel and the pinch have one owner, and the page itself never moves', async ({
  canvas: page,
}) => {
  const id = await firstTerminal(page);
  await run(page, id, 'seq 1 500');
  await untilText(page, id, /^500$/m);
  await focusTerminal(page, id);
  await page.evaluate(() => {
    const seen = { prevented: 0, all: 0 };
    Object.assign(window, { seenWheels: seen });
    window.addEventListener(
      'wheel',
      (event) => {
        // After everyone else: whoever prevents it has done so by now.
        setTimeout(() => {
          if (!event.ctrlKey) return;
          seen.all++;
          if (event.defaultPrevented) seen.prevented++;
        });
      },
      { capture: true, passive: true },
    );
  });
  const box = await boxOf(page, id);
  const inside = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const top = () => page.evaluate((cardId) => window.tesseraTerminals?.get(cardId)?.buffer.active.viewportY ?? -1, id);

  // Focused: the terminal scrolls, the camera stands still.
  const start = await restingPlace(page);
  const bottom = await top();
  await page.mouse.move(inside.x, inside.y);
  await page.mouse.wheel(0, -300);
  await until('the terminal to scroll', async () => (await top()) < bottom);
  expect(await placeOf(page)).toEqual(start);

  // A pinch over it zooms the canvas, also while it is focused, and does not scroll it.
  const scrolled = await top();
  await page.keyboard.down('Control');
  for (let step = 0; step < 5; step++) await page.mouse.wheel(0, 8);
  await page.keyboard.up('Control');
  const pinched = await restingPlace(page);
  expect(pinched.zoom).toBeLessThan(start.zoom);
  expect(await top()).toBe(scrolled);

  // Unfocused: the camera pans, the terminal does not scroll.
  await leaveCards(page);
  const before = await restingPlace(page);
  const still = await top();
  await page.mouse.move(inside.x, inside.y);
  await page.mouse.wheel(0, 40);
  await until('the camera to pan', async () => (await placeOf(page)).y === before.y - 40);
  expect(await top()).toBe(still);

  // A gesture that began on the canvas stays with it when a focused card comes under the pointer.
  await page.keyboard.press('Digit1');
  await restingPlace(page);
  await focusTerminal(page, id);
  const resting = await restingPlace(page);
  const held = await top();
  const gesture = await page.evaluate((cardId) => {
    const pane = document.querySelector('.react-flow__pane')!;
    const body = document.querySelector(`[data-card-id="${cardId}"] .xterm-screen`)!;
    const send = (target: Element, at: number) => {
      const event = new WheelEvent('wheel', {
        deltaY: 20,
        bubbles: true,
        cancelable: true,
        clientX: 500,
        clientY: 400,
      });
      Object.defineProperty(event, 'timeStamp', { value: at });
      target.dispatchEvent(event);
      return event.defaultPrevented;
    };
    const began = performance.now() + 10_000;
    return [send(pane, began), send(body, began + 60), send(body, began + 140), send(body, began + 140 + 151)];
  }, id);
  expect(gesture.slice(0, 3)).toEqual([true, true, true]);
  await until('three steps of the camera', async () => Math.abs((await placeOf(page)).y - (resting.y - 60)) < 0.01);
  await until('the fourth to be the terminal’s', async () => (await top()) !== held || true);

  // Alt gives wheel and drag over a focused card to the canvas.
  await focusTerminal(page, id);
  const beforeAlt = await restingPlace(page);
  const fixed = await top();
  await page.mouse.move(inside.x, inside.y);
  await page.keyboard.down('Alt');
  await page.mouse.wheel(0, 50);
  await page.keyboard.up('Alt');
  await until('Alt to give the wheel to the canvas', async () => (await placeOf(page)).y === beforeAlt.y - 50);
  expect(await top()).toBe(fixed);
  await drag(page, inside, { x: 25, y: 15 }, { hold: 'Alt' });
  const dragged = await restingPlace(page);
  expect([dragged.x - beforeAlt.x, dragged.y - beforeAlt.y]).toEqual([25, -35]);

  // Over the chrome and over dialogs too, no pinch reaches the page.
  const dock = await page.getByRole('toolbar', { name: 'Add to the canvas' }).boundingBox();
  await page.mouse.move(dock!.x + 20, dock!.y + 10);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, 30);
  await page.keyboard.up('Control');
  const facts = await until('the last wheel to be seen', async () => {
    const seen = await page.evaluate(
      () => (window as unknown as { seenWheels: { all: number; prevented: number } }).seenWheels,
    );
    return seen.all >= 6 ? seen : undefined;
  });
  expect(facts.prevented).toBe(facts.all);
  expect(
    await page.evaluate(() => [
      visualViewport?.scale,
      window.scrollX,
      window.scrollY,
      document.documentElement.scrollTop,
    ]),
  ).toEqual([1, 0, 0, 0]);
});

test('canvas:summary: below zoom 0.5 a card is a readable summary, and comes back complete', async ({
  canvas: page,
}) => {
  const id = await firstTerminal(page);
  await run(page, id, 'echo before');
  await untilText(page, id, /^before$/m);
  await leaveCards(page);
  for (let step = 0; step < 7; step++) await page.keyboard.press('Minus');
  await until('a small zoom', async () => (await restingPlace(page)).zoom < 0.3);
  const summary = card(page, id).locator('[data-terminal-summary]');
  await expect(summary).toBeVisible();
  await expect(card(page, id).locator('.xterm-screen')).toBeHidden();
  const size = await summary.locator('.tt-summary-title').evaluate((title) => {
    const zoom = new DOMMatrix(getComputedStyle(document.querySelector('.react-flow__viewport')!).transform).a;
    return Number.parseFloat(getComputedStyle(title).fontSize) * zoom;
  });
  expect(size).toBeGreaterThanOrEqual(15.5);
  expect(size).toBeLessThanOrEqual(28.5);

  // It is renamed where its name can be read.
  await card(page, id).focus();
  await page.keyboard.press('F2');
  const field = summary.getByRole('textbox', { name: 'Name of the terminal' });
  await expect(field).toBeFocused();
  await page.keyboard.type('far away');
  const letters = await field.evaluate((input) => {
    const zoom = new DOMMatrix(getComputedStyle(document.querySelector('.react-flow__viewport')!).transform).a;
    const box = input.getBoundingClientRect();
    const seen = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2) === input;
    return seen ? Number.parseFloat(getComputedStyle(input).fontSize) * zoom : 0;
  });
  expect(letters).toBeGreaterThanOrEqual(15.5);
  await page.keyboard.press('Enter');
  await expect(summary.locator('.tt-summary-title')).toHaveText('far away');
  await leaveCards(page);

  // What happens meanwhile shows in the summary, and all of it when the card is one again.
  await page.evaluate((cardId) => window.tesseraTerminals?.get(cardId)?.input('seq 1 300; echo "done"\r'), id);
  await expect(card(page, id)).toHaveAttribute('data-state', 'ready');
  await page.keyboard.press('Digit0');
  await untilText(page, id, /^300\ndone$/m);
  await untilText(page, id, /^before$/m);
  await expect(card(page, id).locator('.xterm-screen')).toBeVisible();
});

test('100 % is about the card with the keyboard, which stays in sight; without one about the middle of the window', async ({
  canvas: page,
}) => {
  await firstTerminal(page);
  const id = await openTerminal(page);
  await leaveCards(page);
  for (let step = 0; step < 4; step++) await page.keyboard.press('Minus');
  const far = await restingPlace(page);
  const size = page.viewportSize()!;
  const middle = (place: { x: number; y: number; zoom: number }) => [
    Math.round((size.width / 2 - place.x) / place.zoom),
    Math.round((size.height / 2 - place.y) / place.zoom),
  ];
  await page.keyboard.press('Control+Shift+Digit0');
  const near = await restingPlace(page);
  expect([near.zoom, ...middle(near)]).toEqual([1, ...middle(far)]);

  for (let step = 0; step < 4; step++) await page.keyboard.press('Minus');
  await restingPlace(page);
  await card(page, id).focus();
  const before = await boxOf(page, id);
  await page.keyboard.press('Control+Shift+Digit0');
  expect((await restingPlace(page)).zoom).toBe(1);
  const box = await boxOf(page, id);
  const inSight = box.x >= 0 && box.y >= 0 && box.x + box.width <= size.width && box.y + box.height <= size.height;
  expect(inSight).toBe(true);
  // Where it was, unless that would have put it below the chrome.
  const moved = Math.hypot(
    box.x + box.width / 2 - (before.x + before.width / 2),
    box.y + box.height / 2 - (before.y + before.height / 2),
  );
  expect(moved).toBeLessThan(before.width);
});

test('back and forward lead through the places of the camera', async ({ canvas: page }) => {
  await firstTerminal(page);
  await leaveCards(page);
  const first = await restingPlace(page);
  const at = await emptyPoint(page);
  await page.mouse.move(at.x, at.y);
  await page.mouse.wheel(900, 700);
  const away = await restingPlace(page);
  await page.keyboard.press('Digit1');
  const fitted = await restingPlace(page);
  expect(fitted).toEqual(first);
  await page.keyboard.press('BracketLeft');
  expect(await restingPlace(page)).toEqual(away);
  await page.keyboard.press('BracketRight');
  expect(await restingPlace(page)).toEqual(fitted);
});

test('moving the camera draws nothing but the camera: no card is touched, whatever their number', async ({
  canvas: page,
}) => {
  await firstTerminal(page);
  await openTerminal(page);
  await openTerminal(page);
  await leaveCards(page);
  await page.keyboard.press('Digit1');
  const { zoom } = await restingPlace(page);
  // At rest everything is drawn once more, for its zoom.
  const frame = page.locator('.card-frame').first();
  await expect(frame).toHaveCSS('--zoom', String(Number(Math.min(1, zoom).toFixed(2))));
  const at = await emptyPoint(page);
  await page.evaluate(() => {
    const touched = new Set<string>();
    const observer = new MutationObserver((changes) => {
      for (const change of changes)
        touched.add(
          `${change.type} ${change.attributeName ?? ''} ${(change.target as Element).className || (change.target as Element).nodeName}`,
        );
    });
    observer.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
    Object.assign(window, { touchedElements: touched, stopTouching: () => observer.disconnect() });
  });
  await page.mouse.move(at.x, at.y);
  const start = await placeOf(page);
  for (let step = 0; step < 20; step++) await page.mouse.wheel(2, 3);
  await until('the camera to have moved', async () => (await placeOf(page)).y === start.y - 60);
  const touched = await page.evaluate(() => {
    (window as unknown as { stopTouching: () => void }).stopTouching();
    return [...(window as unknown as { touchedElements: Set<string> }).touchedElements].sort();
  });
  const allowed = [
    /^attributes style react-flow__viewport/,
    // The minimap: its frame with the camera, its marks when the camera rests.
    /^attributes style [UI]$/,
    /^attributes class react-flow__pane/,
  ];
  expect(touched.filter((one) => !allowed.some((pattern) => pattern.test(one)))).toEqual([]);
  expect(touched.length).toBeGreaterThan(0);
});
