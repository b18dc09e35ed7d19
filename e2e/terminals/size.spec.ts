import { card, expect, firstTerminal, run, signIn, terminalLines, test, typeInto, until, untilText } from '../support';
import { zoomTo } from './support';

test('pain 25: dragging an edge resizes a program at most three times, and zooming never', async ({ canvas: page }) => {
  const id = await firstTerminal(page);
  await run(page, id, "clear; trap 'echo W' WINCH");
  const resizes = async () => (await terminalLines(page, id)).filter((line) => line.endsWith('W')).length;
  const before = await run(page, id, 'stty size');
  const box = await card(page, id).boundingBox();
  if (!box) throw new Error('no card');
  const edge = { x: box.x + box.width, y: box.y + box.height / 2 };
  await page.mouse.move(edge.x - 1, edge.y);
  await page.mouse.down();
  for (let step = 1; step <= 60; step++) await page.mouse.move(edge.x - step * 4, edge.y);
  await page.mouse.up();
  const after = await until('a new size', async () => {
    const lines = await run(page, id, 'stty size');
    return lines.filter((line) => /^\d+ \d+$/.test(line)).at(-1) !== before.at(-2) && lines;
  });
  expect(after.length).toBeGreaterThan(0);
  const told = await resizes();
  expect(told).toBeGreaterThanOrEqual(1);
  expect(told).toBeLessThanOrEqual(3);
  for (const zoom of [0.6, 1.5, 1]) await zoomTo(page, id, zoom);
  await run(page, id, 'echo still');
  expect(await resizes()).toBe(told);
});

test('stream:one-size: two tabs on one terminal are both live, and the one that typed last decides its size', async ({
  canvas: page,
  server,
  browser,
}) => {
  const id = await firstTerminal(page);
  const context = await browser.newContext({ viewport: { width: 1200, height: 700 } });
  const other = await signIn(server, await context.newPage());
  await untilText(other, id, '❯');
  await typeInto(page, id, 'echo from-""one\n');
  await untilText(other, id, /^from-one$/m);
  await typeInto(other, id, 'echo from-""two\n');
  await untilText(page, id, /^from-two$/m);
  const grid = (tab: typeof page) =>
    tab.evaluate((card) => {
      const terminal = window.tesseraTerminals?.get(card);
      return `${terminal?.rows} ${terminal?.cols}`;
    }, id);
  const size = (await run(other, id, 'stty size')).filter((line) => /^\d+ \d+$/.test(line)).at(-1);
  expect(await grid(page)).toBe(size);
  expect(await grid(other)).toBe(size);
  await context.close();
});
