import type { Page } from '@playwright/test';
import { card, expect, focusTerminal, until } from '../support';

/** The canvas's zoom, from the transform of its viewport. */
export async function zoomOf(page: Page): Promise<number> {
  return page
    .locator('.react-flow__viewport')
    .evaluate((element) => new DOMMatrix(getComputedStyle(element).transform).a);
}

/** Zooms with the wheel about the card's top left corner, as a person pinches there, until the zoom is the wanted one. */
export async function zoomTo(page: Page, cardId: string, wanted: number): Promise<void> {
  const box = await boxOf(page, cardId);
  await page.mouse.move(Math.max(2, box.x + 8), Math.max(2, box.y + 8));
  await until(`zoom ${wanted}`, async () => {
    const zoom = await zoomOf(page);
    const left = Math.log(wanted / zoom);
    if (Math.abs(left) < 0.01) return true;
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -Math.max(-0.4, Math.min(0.4, left)) * 100);
    await page.keyboard.up('Control');
    return false;
  });
  await settled(page);
}

/** The camera has come to rest, and terminals that waited for it have taken in what came. */
async function settled(page: Page): Promise<void> {
  let last = '';
  await until('the camera to rest', async () => {
    const now = await page.locator('.react-flow__viewport').evaluate((element) => getComputedStyle(element).transform);
    const still = now === last;
    last = now;
    return still;
  });
}

async function boxOf(page: Page, cardId: string) {
  const box = await card(page, cardId).boundingBox();
  if (!box) throw new Error(`card ${cardId} is not on the page`);
  return box;
}

/** Where the middle of a cell is on the screen; column and row count from 1. `side` moves within the cell: 0 left, 1 right. */
export async function cellPoint(page: Page, cardId: string, col: number, row: number, side = 0.5) {
  return page.evaluate(
    ({ id, col, row, side }) => {
      const terminal = window.tesseraTerminals?.get(id);
      const screen = document.querySelector(`[data-card-id="${id}"] .xterm-screen`);
      if (!terminal || !screen) throw new Error('no terminal');
      const rect = screen.getBoundingClientRect();
      return {
        x: rect.left + ((col - 1 + side) * rect.width) / terminal.cols,
        y: rect.top + ((row - 0.5) * rect.height) / terminal.rows,
      };
    },
    { id: cardId, col, row, side },
  );
}

interface Selecting {
  getSelection(): string;
}

export async function selectionOf(page: Page, cardId: string): Promise<string> {
  return page.evaluate((id) => {
    const terminal = window.tesseraTerminals?.get(id) as unknown as Selecting | undefined;
    return terminal?.getSelection() ?? '';
  }, cardId);
}

/** Row of the screen (from 1) whose text begins so; as drawn. */
export async function rowOf(page: Page, cardId: string, start: string | RegExp): Promise<number> {
  return until(`a row that begins with ${start}`, async () => {
    const rows = await card(page, cardId)
      .locator('.xterm-rows > div')
      .evaluateAll((all) => all.map((row) => row.textContent?.replaceAll('\u00a0', ' ') ?? ''));
    return rows.findIndex((row) => (typeof start === 'string' ? row.startsWith(start) : start.test(row))) + 1;
  });
}

/** Puts a text on the clipboard and pastes it with the chord. */
export async function pasteInto(page: Page, cardId: string, text: string): Promise<void> {
  await page.evaluate((value) => navigator.clipboard.writeText(value), text);
  await focusTerminal(page, cardId);
  await page.keyboard.press('Control+Shift+V');
}

export async function clipboardText(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText());
}

/** Chooses a command of the palette by its English name. */
export async function choose(page: Page, command: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+Shift+P');
  await page.getByRole('dialog').getByRole('combobox').fill(command);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeHidden();
}
