import { expect, firstTerminal, focusTerminal, terminalLines, test, typeInto, until, untilText } from '../support';
import { cellPoint, clipboardText, rowOf, selectionOf, zoomTo } from './support';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

for (const zoom of [0.6, 1, 1.7]) {
  test(`pain 1: at zoom ${zoom} mouse reports and selections hit the cell under the pointer`, async ({
    canvas: page,
  }) => {
    const id = await firstTerminal(page);
    await zoomTo(page, id, zoom);
    await typeInto(page, id, "clear; printf '\\e[?1003h\\e[?1006h'; echo rea''dy; cat -v\n");
    await untilText(page, id, /^ready/m);
    const cell = await cellPoint(page, id, 60, 12);
    await page.mouse.click(cell.x, cell.y);
    await untilText(page, id, '^[[<0;60;12M');
    await untilText(page, id, '^[[<0;60;12m');

    await focusTerminal(page, id);
    await page.keyboard.press('Control+c');
    await typeInto(page, id, `printf '\\e[?1003l\\e[?1006l\\ec%50sfind''me here\\n'\n`);
    const row = await rowOf(page, id, /^ +findme here/);
    const from = await cellPoint(page, id, 51, row, 0.1);
    const to = await cellPoint(page, id, 56, row, 0.9);
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move((from.x + to.x) / 2, from.y);
    await page.mouse.move(to.x, to.y);
    await page.mouse.up();
    expect(await selectionOf(page, id)).toBe('findme');
    await page.keyboard.press('Control+Shift+C');
    await until('the clipboard', async () => (await clipboardText(page)) === 'findme');
  });
}

for (const zoom of [0.6, 1.2]) {
  test(`pain 2: at zoom ${zoom} a selection that is dragged past the edge is one contiguous run`, async ({
    canvas: page,
  }) => {
    const id = await firstTerminal(page);
    await zoomTo(page, id, zoom);
    await typeInto(page, id, 'clear; seq 1 500\n');
    await untilText(page, id, /^500$/m);
    await focusTerminal(page, id);
    // A page up, so that there is something below to scroll to.
    for (let i = 0; i < 4; i++) await page.keyboard.press('Shift+PageUp');
    const row = await until('a row of three digits', async () => rowOf(page, id, /^[1-4]\d\d$/));
    const anchor = await cellPoint(page, id, 1, row, 0.05);
    const screen = await page.locator(`[data-card-id="${id}"] .xterm-screen`).boundingBox();
    if (!screen) throw new Error('no screen');
    const first = (await drawnRows(page, id))[row - 1] ?? '';
    await page.mouse.move(anchor.x, anchor.y);
    await page.mouse.down();
    await page.mouse.move(anchor.x + 20, anchor.y + 20);
    await page.mouse.move(anchor.x + 40, screen.y + screen.height + 30);
    await until('the view to have scrolled with the pointer', async () => {
      const selected = (await selectionOf(page, id)).split('\n');
      return selected.length > 40;
    });
    await page.mouse.up();
    const numbers = (await selectionOf(page, id)).split('\n').filter((line) => /^\d+$/.test(line.trim()));
    expect(numbers[0]?.trim()).toBe(first.trim());
    const run = numbers.map(Number);
    expect(run).toEqual(run.map((_, i) => Number(first) + i));
    expect((await terminalLines(page, id)).length).toBeGreaterThan(500);
  });
}

async function drawnRows(page: import('@playwright/test').Page, id: string): Promise<string[]> {
  return page
    .locator(`[data-card-id="${id}"] .xterm-rows > div`)
    .evaluateAll((rows) => rows.map((row) => row.textContent?.replaceAll('\u00a0', ' ') ?? ''));
}
