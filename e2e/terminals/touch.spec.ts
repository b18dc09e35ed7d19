import { card, expect, firstTerminal, focusTerminal, run, shownRows, test, until } from '../support';

test.use({ hasTouch: true });

test('a finger scrolls the terminal that has the focus, and the canvas stays', async ({ canvas: page }) => {
  const id = await firstTerminal(page);
  await run(page, id, 'clear; seq 1 500');
  await focusTerminal(page, id);
  const before = await shownRows(page, id);
  const box = await card(page, id).locator('.xterm-screen').boundingBox();
  if (!box) throw new Error('no screen');
  const camera = await page.locator('.react-flow__viewport').getAttribute('style');
  const client = await page.context().newCDPSession(page);
  const at = (y: number) => [{ x: box.x + 100, y }];
  await client.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(box.y + 60) });
  for (let y = 70; y <= 260; y += 10) {
    await client.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(box.y + y) });
  }
  await client.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await until('older rows', async () => {
    const rows = await shownRows(page, id);
    return rows[0] !== before[0] && /^\d+$/.test(rows[0] ?? '') && Number(rows[0]) < Number(before[0]);
  });
  expect(await page.locator('.react-flow__viewport').getAttribute('style')).toBe(camera);
});
