import {
  card,
  expect,
  firstTerminal,
  focusTerminal,
  openTerminal,
  PROMPT,
  run,
  shownRows,
  signIn,
  terminalLines,
  test,
  typeInto,
  until,
  untilText,
} from '../support';
import { choose } from './support';

test('pain 3: two dozen terminals at once all show their text', async ({ canvas: page }) => {
  test.setTimeout(120_000);
  const warnings: string[] = [];
  page.on('console', (message) => {
    if (/webgl/i.test(message.text())) warnings.push(message.text());
  });
  const ids = [await firstTerminal(page)];
  while (ids.length < 24) ids.push(await openTerminal(page));
  for (const [index, id] of ids.entries()) await run(page, id, `echo "num""ber-${index}"`);
  await choose(page, 'Tidy');
  await choose(page, 'Show everything');
  for (const [index, id] of ids.entries()) {
    const text = card(page, id);
    await expect(text).toContainText(`number-${index}`);
  }
  expect(warnings).toEqual([]);
});

test('pain 20: a reload inside vim brings back the screen below it, exactly', async ({ canvas: page }) => {
  const id = await firstTerminal(page);
  await run(page, id, 'clear; for i in $(seq 1 50); do echo below-$i; done');
  const before = await terminalLines(page, id);
  await typeInto(page, id, 'vim -u NONE -c "set nomore"\n');
  await until('vim', async () => (await shownRows(page, id)).filter((row) => row === '~').length > 5);
  await page.reload();
  await until('vim again', async () => (await shownRows(page, id)).filter((row) => row === '~').length > 5);
  await focusTerminal(page, id);
  await page.keyboard.type(':q\n');
  await until('the shell', async () => (await terminalLines(page, id)).at(-1) === PROMPT);
  const after = await terminalLines(page, id);
  expect(after.slice(0, before.length)).toEqual([...before.slice(0, -1), `${PROMPT} vim -u NONE -c "set nomore"`]);
  expect(after.slice(before.length)).toEqual([PROMPT]);
});

test('pain 21: twenty thousand lines through ten broken connections are there once, in order', async ({
  canvas: page,
  context,
}) => {
  test.setTimeout(120_000);
  const id = await firstTerminal(page);
  const client = await context.newCDPSession(page);
  await client.send('Network.enable');
  await typeInto(page, id, 'clear; for i in $(seq 1 20000); do echo L$i; done; echo all""-done\n');
  for (let i = 0; i < 10; i++) {
    const last = (await terminalLines(page, id)).length;
    await breakConnection(page);
    await until('more lines or the end', async () => {
      const lines = await terminalLines(page, id);
      return lines.length !== last || lines.includes('all-done');
    });
  }
  await untilText(page, id, /^all-done$/m, 60_000);
  await focusTerminal(page, id);
  const shown = await until('the history to be whole', async () => {
    const lines = (await terminalLines(page, id)).filter((line) => /^L\d+$/.test(line));
    return lines.length >= 4_000 && lines;
  });
  const last = shown.map((line) => Number(line.slice(1)));
  expect(last).toEqual(last.map((_, i) => 20_000 - last.length + 1 + i));
});

/** Ends the page's socket as a lost network does; the page connects again by itself. */
async function breakConnection(page: import('@playwright/test').Page): Promise<void> {
  const context = page.context();
  await context.setOffline(true);
  await page.evaluate(() => window.tesseraBreakConnection?.());
  await context.setOffline(false);
}

declare global {
  interface Window {
    tesseraBreakConnection?: () => void;
  }
}

test('pain 22: queries are answered once; reloads and a second viewer add nothing', async ({
  canvas: page,
  server,
  browser,
}) => {
  const id = await firstTerminal(page);
  await typeInto(page, id, "clear; printf '\\e[c\\e[6n\\e]11;?\\a'; cat -v\n");
  await untilText(page, id, /\^\[\[\?[\d;]+c/);
  await untilText(page, id, /rgb:/);
  const answers = async () => {
    const text = (await terminalLines(page, id)).join('');
    return [/\^\[\[\?[\d;]+c/g, /\^\[\[\d+;\d+R/g, /\^\[\]11;rgb:/g].map((answer) => text.match(answer)?.length ?? 0);
  };
  expect(await answers()).toEqual([1, 1, 1]);
  for (let i = 0; i < 3; i++) {
    await page.reload();
    await untilText(page, id, /rgb:/);
  }
  const other = await signIn(server, await (await browser.newContext()).newPage());
  await untilText(other, id, /rgb:/);
  await typeInto(page, id, 'end\n');
  await untilText(page, id, /^end$/m);
  expect(await answers()).toEqual([1, 1, 1]);
  await focusTerminal(page, id);
  await page.keyboard.press('Control+C');
  // Two viewers, one answer still.
  await typeInto(page, id, "clear; printf '\\e[c\\e[6n\\e]11;?\\a'; cat -v\n");
  await untilText(page, id, /rgb:/);
  await typeInto(page, id, 'end\n');
  await untilText(page, id, /^end$/m);
  expect(await answers()).toEqual([1, 1, 1]);
  await other.context().close();
});

test('pain 24: Ctrl+C ends an endless flood at once while another card stays smooth', async ({
  canvas: page,
  server,
}) => {
  test.setTimeout(90_000);
  const id = await firstTerminal(page);
  const other = await openTerminal(page);
  await choose(page, 'Show everything');
  await typeInto(page, id, 'yes\n');
  await until('the flood', async () => (await shownRows(page, id)).filter((row) => row === 'y').length > 5);
  const memory = server.residentBytes();
  const heap = await heapOf(page);
  await typeInto(page, other, 'for i in $(seq 1 40); do echo tick-$i; done\n');
  await untilText(page, other, /^tick-40$/m);
  const frames = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let count = 0;
        const start = performance.now();
        const look = () => {
          count++;
          if (performance.now() - start > 3_000) resolve(count / 3);
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }),
  );
  expect(frames).toBeGreaterThanOrEqual(30);
  const later = server.residentBytes();
  expect(later.server - memory.server).toBeLessThan(100 * 1024 * 1024);
  expect(later.ptyHost - memory.ptyHost).toBeLessThan(150 * 1024 * 1024);
  expect((await heapOf(page)) - heap).toBeLessThan(60 * 1024 * 1024);
  await focusTerminal(page, id);
  const pressed = Date.now();
  await page.keyboard.press('Control+C');
  await until('the prompt', async () => (await shownRows(page, id)).some((row) => row.startsWith(PROMPT)));
  expect(Date.now() - pressed).toBeLessThan(1_000);
  await run(page, id, 'echo well');
});

async function heapOf(page: import('@playwright/test').Page): Promise<number> {
  const client = await page.context().newCDPSession(page);
  await client.send('HeapProfiler.collectGarbage');
  const { usedSize } = await client.send('Runtime.getHeapUsage');
  await client.detach();
  return usedSize;
}

test('who reads further up keeps the place while output comes and when the screen is replaced', async ({
  canvas: page,
}) => {
  const id = await firstTerminal(page);
  await run(page, id, 'clear; for i in $(seq 1 3000); do echo row-$i; done');
  await typeInto(
    page,
    id,
    'sleep 0.4; seq 1 200000 | tail -n 3; for i in $(seq 1 30); do echo more-$i; sleep 0.02; done; echo fini""shed\n',
  );
  await focusTerminal(page, id);
  for (let i = 0; i < 10; i++) await page.keyboard.press('Shift+PageUp');
  const reading = await until('rows of the past', async () => {
    const rows = await shownRows(page, id);
    return rows.every((row) => row.startsWith('row-')) && rows;
  });
  await untilText(page, id, /^finished$/m);
  expect(await shownRows(page, id)).toEqual(reading);
  await page.context().setOffline(true);
  await page.context().setOffline(false);
  expect(await shownRows(page, id)).toEqual(reading);
});
