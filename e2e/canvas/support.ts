import type { Page } from '@playwright/test';
import { card, until } from '../support';

export interface Place {
  x: number;
  y: number;
  zoom: number;
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Where the camera stands. */
export async function placeOf(page: Page): Promise<Place> {
  return page.locator('.react-flow__viewport').evaluate((element) => {
    const matrix = new DOMMatrix(getComputedStyle(element).transform);
    return { x: matrix.e, y: matrix.f, zoom: matrix.a };
  });
}

/** Waits until the camera no longer moves, and gives its place. */
export async function restingPlace(page: Page): Promise<Place> {
  let last = '';
  let equal = 0;
  return until('the camera to rest', async () => {
    const place = await placeOf(page);
    const now = JSON.stringify(place);
    equal = now === last ? equal + 1 : 0;
    last = now;
    return equal >= 3 ? place : undefined;
  });
}

/** A card on the screen, in pixels of the window. */
export async function boxOf(page: Page, cardId: string): Promise<Box> {
  const box = await card(page, cardId).boundingBox();
  if (!box) throw new Error(`card ${cardId} is not on the page`);
  return box;
}

/** A card on the canvas, in canvas units. */
export async function boundsOf(page: Page, cardId: string): Promise<Box> {
  return page.locator(`.react-flow__node[data-id="${cardId}"]`).evaluate((node) => {
    const element = node as HTMLElement;
    const matrix = new DOMMatrix(element.style.transform);
    return {
      x: matrix.e,
      y: matrix.f,
      width: Number.parseFloat(element.style.width),
      height: Number.parseFloat(element.style.height),
    };
  });
}

/** A point of the header on which a card can be taken. */
export async function headOf(page: Page, cardId: string): Promise<{ x: number; y: number }> {
  const box = await card(page, cardId).locator('.card-title').boundingBox();
  if (!box) throw new Error('the card has no header');
  return { x: box.x + 10, y: box.y + box.height / 2 };
}

/** Drags with the mouse in steps. `hold` keys are down meanwhile; `before` runs before the button is released. */
export async function drag(
  page: Page,
  from: { x: number; y: number },
  by: { x: number; y: number },
  options: { hold?: string; button?: 'left' | 'middle'; before?: () => Promise<void>; steps?: number } = {},
): Promise<void> {
  await page.mouse.move(from.x, from.y);
  if (options.hold) await page.keyboard.down(options.hold);
  await page.mouse.down({ button: options.button ?? 'left' });
  await page.mouse.move(from.x + by.x, from.y + by.y, { steps: options.steps ?? 8 });
  await options.before?.();
  await page.mouse.up({ button: options.button ?? 'left' });
  if (options.hold) await page.keyboard.up(options.hold);
}

/** A point of the window where only the canvas is: no card, no chrome. */
export async function emptyPoint(page: Page): Promise<{ x: number; y: number }> {
  const point = await page.evaluate(() => {
    for (let y = innerHeight - 220; y > 90; y -= 20) {
      for (let x = innerWidth - 40; x > 240; x -= 20) {
        const around = [
          [0, 0],
          [-30, 0],
          [30, 0],
          [0, -30],
          [0, 30],
        ].map(([dx, dy]) => document.elementFromPoint(x + dx!, y + dy!));
        if (around.every((element) => element?.classList.contains('react-flow__pane'))) return { x, y };
      }
    }
    return null;
  });
  if (!point) throw new Error('nowhere is the canvas empty');
  return point;
}

/** The keyboard belongs to no card. The canvas may still be on its way to a new card: what was empty need not stay so. */
export async function leaveCards(page: Page): Promise<void> {
  const left = () => page.evaluate(() => document.querySelector('[data-focused="true"]') === null);
  let clickedAt = Number.NEGATIVE_INFINITY;
  await until('no card to have the keyboard', async () => {
    if (clickedAt > 0 && (await left())) return true;
    // Two clicks in short order would be a double click.
    if (performance.now() - clickedAt < 2_000) return false;
    const { x, y } = await emptyPoint(page);
    await page.mouse.click(x, y);
    clickedAt = performance.now();
    return false;
  });
}

/** The card that has the keyboard. */
export async function focusedCard(page: Page): Promise<string | null> {
  return page.evaluate(() => document.activeElement?.closest('[data-card-id]')?.getAttribute('data-card-id') ?? null);
}

export async function untilFocused(page: Page, cardId: string): Promise<void> {
  await until(`card ${cardId} to have the keyboard`, async () => (await focusedCard(page)) === cardId, {
    last: () => '',
  });
}

/** Puts cards where a test wants them, by the server, and waits until the page shows it. */
export async function placeCards(
  page: Page,
  client: import('../support').TesseraClient,
  places: Record<string, Box>,
): Promise<void> {
  const state = await client.openCanvas();
  const { newId } = await import('../support');
  await client.call('canvas:apply', {
    opId: newId(),
    canvasId: state.canvas.id,
    changes: Object.entries(places).map(([id, box]) => ({
      type: 'place' as const,
      id,
      ...box,
      z: state.items.find((item) => item.id === id)?.z ?? 1,
    })),
  });
  await until('the page to show the places', async () => {
    for (const [id, box] of Object.entries(places)) {
      const now = await boundsOf(page, id);
      if (Math.abs(now.x - box.x) > 0.5 || Math.abs(now.y - box.y) > 0.5 || Math.abs(now.width - box.width) > 0.5)
        return false;
    }
    return true;
  });
}
