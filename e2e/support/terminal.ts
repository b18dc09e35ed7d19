import type { Locator, Page } from '@playwright/test';
import { PROMPT } from './server';
import { until } from './until';

export const terminalCards = (page: Page): Locator => page.locator('[data-card-kind="terminal"]');
export const card = (page: Page, cardId: string): Locator => page.locator(`[data-card-id="${cardId}"]`);

/** Ids of the terminal cards on the canvas that is open. */
export async function terminalIds(page: Page): Promise<string[]> {
  return terminalCards(page).evaluateAll((cards) => cards.map((element) => element.getAttribute('data-card-id') ?? ''));
}

/** Opens the palette, chooses "New terminal" and waits for its prompt. Gives the card's id. */
export async function openTerminal(page: Page): Promise<string> {
  const before = new Set(await terminalIds(page));
  await page.keyboard.press('ControlOrMeta+Shift+P');
  await page.getByRole('dialog').getByRole('combobox').fill('New terminal');
  await page.keyboard.press('Enter');
  const id = await until('the card of a new terminal', async () =>
    (await terminalIds(page)).find((one) => !before.has(one)),
  );
  await untilText(page, id, PROMPT);
  return id;
}

/** The id of the terminal that the canvas opened with, once its prompt is there. */
export async function firstTerminal(page: Page): Promise<string> {
  const id = await until('the first terminal', async () => (await terminalIds(page))[0], { timeoutMs: 20_000 });
  await untilText(page, id, PROMPT);
  return id;
}

/** Puts the keyboard into a terminal and brings it into sight, as a person without a mouse does: to its card, Enter. */
export async function focusTerminal(page: Page, cardId: string): Promise<void> {
  const input = card(page, cardId).locator('.xterm-helper-textarea');
  if ((await input.count()) > 0 && (await input.evaluate((element) => element === document.activeElement))) return;
  await card(page, cardId).focus();
  await page.keyboard.press('Enter');
  await until(
    'the keyboard in the terminal',
    async () => (await input.count()) > 0 && input.evaluate((element) => element === document.activeElement),
    {
      last: () => page.evaluate(() => document.activeElement?.outerHTML.slice(0, 300)),
    },
  );
}

/** Types with real key events; `\n` is Enter. */
export async function typeInto(page: Page, cardId: string, text: string): Promise<void> {
  await focusTerminal(page, cardId);
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    if (line) await page.keyboard.type(line);
    if (index < lines.length - 1) await page.keyboard.press('Enter');
  }
}

/** Every line that the viewer holds, scrollback first, soft-wrapped lines joined, blank ends cut. */
export async function terminalLines(page: Page, cardId: string): Promise<string[]> {
  return page.evaluate((id) => {
    const terminal = window.tesseraTerminals?.get(id);
    if (!terminal) return [];
    const buffer = terminal.buffer.active;
    const lines: string[] = [];
    for (let y = 0; y < buffer.length; y++) {
      const line = buffer.getLine(y);
      if (!line) continue;
      const text = line.translateToString(!buffer.getLine(y + 1)?.isWrapped);
      if (line.isWrapped && lines.length > 0) lines[lines.length - 1] += text;
      else lines.push(text);
    }
    while (lines.at(-1) === '') lines.pop();
    return lines;
  }, cardId);
}

export async function terminalText(page: Page, cardId: string): Promise<string> {
  return (await terminalLines(page, cardId)).join('\n');
}

/** The rows that are drawn now, as a person sees them. */
export async function shownRows(page: Page, cardId: string): Promise<string[]> {
  return card(page, cardId)
    .locator('.xterm-rows > div')
    .evaluateAll((rows) => rows.map((row) => row.textContent?.replaceAll('\u00a0', ' ').trimEnd() ?? ''));
}

/** Waits until the terminal holds a text or matches a pattern. */
export async function untilText(
  page: Page,
  cardId: string,
  wanted: string | RegExp,
  timeoutMs = 15_000,
): Promise<string> {
  return until(
    `${wanted} in terminal ${cardId}`,
    async () => {
      const text = await terminalText(page, cardId);
      return (typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text)) ? text : '';
    },
    { timeoutMs, last: async () => (await terminalLines(page, cardId)).slice(-20).join('\n') },
  );
}

/** Runs a command line and waits until it printed `done` text and the prompt is back; gives what the terminal holds. */
export async function run(page: Page, cardId: string, command: string, timeoutMs = 15_000): Promise<string[]> {
  const mark = `done-${Math.random().toString(36).slice(2, 8)}`;
  // The mark is put together by the shell, so that the echo of the line is not taken for it.
  await typeInto(page, cardId, `${command}; echo "${mark.slice(0, 6)}""${mark.slice(6)}"\n`);
  await untilText(page, cardId, new RegExp(`^${mark}$`, 'm'), timeoutMs);
  // After a flood the screen is replaced by the whole of it: not in the middle of that.
  return until('the whole of it', async () => {
    const lines = await terminalLines(page, cardId);
    return lines.includes(mark) ? lines : undefined;
  });
}
