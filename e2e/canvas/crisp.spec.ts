import type { Page } from '@playwright/test';
import { card, expect, firstTerminal, run, test, until, untilText } from '../support';
import { leaveCards, restingPlace } from './support';

/** Thin and thick strokes, upright and slanting. */
const PATTERN = 'HHH|||///###EEEiiilllmmmWWW0123456789';

/** Reloads the page with the camera there, and waits until the terminal shows what it showed. */
async function stand(page: Page, cardId: string, zoom: number): Promise<void> {
  await page.evaluate((to) => {
    const id = sessionStorage.getItem('tessera.canvas') ?? localStorage.getItem('tessera.canvas');
    // The first card lies at 80, 100; here its corner is at 60, 90 of the window.
    const place = { x: 60 - 80 * to, y: 90 - 100 * to, zoom: to };
    sessionStorage.setItem(`tessera.view.${id}`, JSON.stringify(place));
  }, zoom);
  await page.reload();
  await untilText(page, cardId, PATTERN);
  await leaveCards(page);
  expect((await restingPlace(page)).zoom).toBe(zoom);
}

/** What between a terminal's rows and the window would make a picture of its text. */
async function pictureMakers(page: Page, cardId: string): Promise<string[]> {
  return card(page, cardId)
    .locator('.xterm-rows')
    .evaluate((rows) => {
      const found: string[] = [];
      if (rows.closest('.xterm')?.querySelector('canvas')) found.push('a terminal drawn on a canvas');
      for (let element: Element | null = rows; element; element = element.parentElement) {
        const style = getComputedStyle(element);
        const name = `${element.tagName.toLowerCase()}.${[...element.classList].join('.')}`;
        if (element instanceof HTMLCanvasElement) found.push(`${name}: a canvas`);
        if (/transform|opacity|filter|scale|contents/.test(style.willChange))
          found.push(`${name}: will-change: ${style.willChange}`);
        if (style.transform.startsWith('matrix3d')) found.push(`${name}: transform: ${style.transform}`);
        if (style.transformStyle !== 'flat' || style.perspective !== 'none' || style.backfaceVisibility !== 'visible')
          found.push(`${name}: a space of three dimensions`);
        if (style.filter !== 'none') found.push(`${name}: filter: ${style.filter}`);
        // One that is paused only tells the browser that the camera will move.
        if (element.getAnimations().some(({ playState }) => playState !== 'paused'))
          found.push(`${name}: an animation at rest`);
      }
      return found;
    });
}

/** The lines of the pattern as they are on the screen, PNG in base64. */
async function picture(page: Page, cardId: string): Promise<string> {
  const boxes = await until('the lines of the pattern', async () => {
    const all = await card(page, cardId)
      .locator('.xterm-rows > div')
      .evaluateAll((rows, pattern) => {
        return rows
          .filter((row) => row.textContent?.trim() === pattern)
          .map((row) => {
            const range = document.createRange();
            range.selectNodeContents(row);
            const { left, top, right, bottom } = range.getBoundingClientRect();
            return { left, top, right, bottom };
          });
      }, PATTERN);
    return all.length === 3 ? all : undefined;
  });
  const left = Math.ceil(Math.min(...boxes.map((box) => box.left)));
  const top = Math.ceil(Math.min(...boxes.map((box) => box.top)));
  const right = Math.floor(Math.max(...boxes.map((box) => box.right)));
  const bottom = Math.floor(Math.max(...boxes.map((box) => box.bottom)));
  const shot = await page.screenshot({ clip: { x: left, y: top, width: right - left, height: bottom - top } });
  return shot.toString('base64');
}

/**
 * How steep the edges in a picture are: the mean square of the step from pixel to pixel, for a spread of brightness of
 * one. `scale` enlarges the picture first, as a browser enlarges a picture.
 */
async function steepness(page: Page, png: string, scale = 1): Promise<number> {
  return page.evaluate(
    async ({ png, scale }) => {
      const bytes = Uint8Array.from(atob(png), (char) => char.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const width = Math.round(bitmap.width * scale);
      const height = Math.round(bitmap.height * scale);
      const context = new OffscreenCanvas(width, height).getContext('2d');
      if (!context) throw new Error('no canvas to measure on');
      context.imageSmoothingQuality = 'high';
      context.drawImage(bitmap, 0, 0, width, height);
      const { data } = context.getImageData(0, 0, width, height);
      const light = (x: number, y: number) => {
        const at = (y * width + x) * 4;
        return 0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0);
      };
      let sum = 0;
      let squares = 0;
      let steps = 0;
      for (let y = 0; y < height - 1; y++) {
        for (let x = 0; x < width - 1; x++) {
          const here = light(x, y);
          sum += here;
          squares += here * here;
          steps += (light(x + 1, y) - here) ** 2 + (light(x, y + 1) - here) ** 2;
        }
      }
      const count = (width - 1) * (height - 1);
      return steps / count / (squares / count - (sum / count) ** 2);
    },
    { png, scale },
  );
}

test('crisp text at rest at every zoom: text is drawn anew for each zoom, never an enlarged picture', async ({
  canvas: page,
}) => {
  const id = await firstTerminal(page);
  await run(page, id, `clear; for i in 1 2 3; do echo '${PATTERN}'; done`);
  const pictures = new Map<number, string>();
  for (const zoom of [0.6, 1, 1.5]) {
    await stand(page, id, zoom);
    expect(await pictureMakers(page, id), `at zoom ${zoom}`).toEqual([]);
    pictures.set(zoom, await picture(page, id));
  }

  const enlarged = await steepness(page, pictures.get(1)!, 1.5);
  expect(await steepness(page, pictures.get(1.5)!)).toBeGreaterThan(enlarged * 1.25);

  // The same when one has zoomed there.
  await stand(page, id, 1);
  await page.mouse.move(64, 94);
  await page.keyboard.down('Control');
  for (let step = 0; step < 4; step++) await page.mouse.wheel(0, -10);
  await page.keyboard.up('Control');
  const { zoom } = await restingPlace(page);
  expect(zoom).toBeCloseTo(Math.exp(0.4), 2);
  expect(await pictureMakers(page, id)).toEqual([]);
  const zoomed = await until('the text to be drawn anew', async () => {
    const steep = await steepness(page, await picture(page, id));
    return steep > enlarged * 1.25 ? steep : undefined;
  });
  expect(zoomed).toBeGreaterThan((await steepness(page, pictures.get(1)!, zoom)) * 1.25);
});
