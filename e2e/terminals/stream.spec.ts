import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page, WebSocketRoute } from '@playwright/test';
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
import { choose, zoomTo } from './support';

test('pain 3: two dozen terminals at once all show their text', async ({ canvas: page }) => {
  test.setTimeout(120_000);
  const warnings: string[] = [];
  page.on('console', (message) => {
    if (/webgl/i.test(message.text())) warnings.push(message.text());
  });
  // Large enough to show all of them above the zoom of summaries.
  await page.setViewportSize({ width: 2800, height: 1600 });
  const ids = [await firstTerminal(page)];
  while (ids.length < 24) ids.push(await openTerminal(page));
  for (const [index, id] of ids.entries()) await run(page, id, `echo "num""ber-${index}"`);
  await choose(page, 'Tidy');
  await choose(page, 'Show everything');
  for (const [index, id] of ids.entries()) {
    await expect(card(page, id).locator('.xterm-rows').first()).toContainText(`number-${index}`);
    await expect(card(page, id).locator('.xterm-rows').first()).toBeVisible();
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
  await until('the shell', async () => (await terminalLines(page, id)).at(-1)?.trim() === PROMPT);
  const after = await terminalLines(page, id);
  expect(after.slice(0, before.length)).toEqual([...before.slice(0, -1), `${PROMPT} vim -u NONE -c "set nomore"`]);
  expect(after.slice(before.length).map((line) => line.trim())).toEqual([PROMPT]);
});

test('pain 21: twenty thousand lines through ten broken connections are there once, in order', async ({
  canvas: page,
}) => {
  test.setTimeout(120_000);
  const id = await firstTerminal(page);
  const connection = await breakable(page);
  await untilText(page, id, PROMPT);
  await typeInto(page, id, 'clear; for i in $(seq 1 20000); do echo L$i; done; echo all""-done\n');
  for (let i = 0; i < 10; i++) {
    await connection.breakOff();
    await until('the page to be connected again', () => connection.count() === i + 2);
    await until('the stream to go on', async () => {
      const lines = await terminalLines(page, id);
      return lines.length > 50 || lines.includes('all-done');
    });
  }
  await untilText(page, id, /^all-done$/m, 60_000);
  const numbers = await until('the history to be whole', async () => {
    const lines = (await terminalLines(page, id)).filter((line) => /^L\d+$/.test(line));
    return lines.length >= 4_000 && lines.map((line) => Number(line.slice(1)));
  });
  expect(numbers).toEqual(numbers.map((_, i) => 20_000 - numbers.length + 1 + i));
});

test('stream:input-once: keys that are typed while the connection breaks arrive once, in order', async ({
  canvas: page,
}) => {
  const id = await firstTerminal(page);
  const connection = await breakable(page);
  await untilText(page, id, PROMPT);
  await typeInto(page, id, 'stty -echo; cat\n');
  let typed = '';
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i < 20; i++) {
      const key = 'abcdefghijklmnopqrst'[i] ?? '';
      typed += key;
      await page.keyboard.press(key);
      if (i === 10) await connection.breakOff();
    }
    await until('the page to be connected again', () => connection.count() === round + 2);
  }
  await page.keyboard.press('Enter');
  await untilText(page, id, new RegExp(`^${typed}$`, 'm'));
});

declare global {
  interface Window {
    tesseraSeen?: { wrong: number; replaced: number; before: string };
  }
}

/** Loads the page anew with a connection that the test can cut, as a lost network does. */
async function breakable(page: Page): Promise<{ breakOff(): Promise<void>; count(): number }> {
  const sockets: { page: WebSocketRoute; server: WebSocketRoute }[] = [];
  await page.routeWebSocket(/\/socket\//, (socket) => {
    sockets.push({ page: socket, server: socket.connectToServer() });
  });
  await page.reload();
  await until('the connection', () => sockets.length === 1);
  return {
    count: () => sockets.length,
    async breakOff() {
      const last = sockets.at(-1);
      await last?.server.close({ code: 3001 });
      await last?.page.close({ code: 3001 });
    },
  };
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
  // What the terminal echoed, and the same line again from cat.
  await untilText(page, id, /end\n.*end$/m);
  expect(await answers()).toEqual([2, 2, 2]);
  await focusTerminal(page, id);
  await page.keyboard.press('Control+C');
  await run(page, id, 'clear');
  // Two viewers, one answer still.
  await typeInto(page, id, "clear; printf '\\e[c\\e[6n\\e]11;?\\a'; cat -v\n");
  await untilText(page, id, /rgb:/);
  await typeInto(page, id, 'end\n');
  // What the terminal echoed, and the same line again from cat.
  await untilText(page, id, /end\n.*end$/m);
  expect(await answers()).toEqual([2, 2, 2]);
  await other.context().close();
});

const floods = [
  { command: 'yes', line: /^y$/ },
  { command: 'cat /dev/urandom | base64', line: /^[\w+/]{76}$/ },
];
for (const { command, line } of floods) {
  test(`pain 24: Ctrl+C ends an endless flood of ${command} at once while another card stays smooth`, async ({
    canvas: page,
    server,
  }) => {
    test.setTimeout(90_000);
    const id = await firstTerminal(page);
    const other = await openTerminal(page);
    await choose(page, 'Show everything');
    await typeInto(page, id, `${command}\n`);
    await until('the flood', async () => (await shownRows(page, id)).filter((row) => line.test(row)).length > 5);
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
}

async function heapOf(page: Page): Promise<number> {
  const client = await page.context().newCDPSession(page);
  await client.send('HeapProfiler.collectGarbage');
  const { usedSize } = await client.send('Runtime.getHeapUsage');
  await client.detach();
  return usedSize;
}

test('who reads further up keeps the place while output comes and when the screen is replaced', async ({
  canvas: page,
  server,
}) => {
  const id = await firstTerminal(page);
  const connection = await breakable(page);
  await untilText(page, id, PROMPT);
  const go = path.join(server.base, 'go');
  await run(page, id, 'clear; for i in $(seq 1 3000); do echo row-$i; done');
  // Frames were shown first; the whole history comes when the flood is over.
  await until('all rows', async () => {
    const lines = await terminalLines(page, id);
    return lines.filter((line) => line.startsWith('row-')).length === 3000;
  });
  const flood = 'seq 1 400000 | sed s/^/flood-/';
  await typeInto(
    page,
    id,
    `until [ -e ${go} ]; do sleep 0.05; done; for i in $(seq 1 30); do echo more-$i; done; echo first""-over; until [ -e ${go}2 ]; do sleep 0.05; done; ${flood} | tail -n 200; echo fini""shed\n`,
  );
  await untilText(page, id, 'fini""shed');
  for (let i = 0; i < 10; i++) await page.keyboard.press('Shift+PageUp');
  const place = () =>
    page.evaluate((card) => {
      const terminal = window.tesseraTerminals?.get(card) as unknown as {
        rows: number;
        buffer: { active: { baseY: number; viewportY: number } };
      };
      return { ...pick(terminal.buffer.active), rows: terminal.rows };
      function pick({ baseY, viewportY }: { baseY: number; viewportY: number }) {
        return { baseY, viewportY };
      }
    }, id);
  await until('the view to be ten pages up', async () => {
    const { baseY, viewportY, rows } = await place();
    return viewportY <= baseY - 10 * (rows - 1);
  });
  const { viewportY } = await place();
  const reading = await until('the rows of that place', async () => {
    const rows = await shownRows(page, id);
    const top = (await terminalLines(page, id))[viewportY];
    return rows[0] === top && rows;
  });
  expect(reading.every((row) => row.startsWith('row-'))).toBe(true);

  writeFileSync(go, '');
  await untilText(page, id, /^first-over$/m);
  expect(await shownRows(page, id)).toEqual(reading);
  writeFileSync(`${go}2`, '');
  await untilText(page, id, /^finished$/m, 30_000);
  expect(await shownRows(page, id)).toEqual(reading);

  // A new connection brings a whole new screen; not one frame shows anything else.
  await page.evaluate((card) => {
    const rows = () =>
      [...document.querySelectorAll(`[data-card-id="${card}"] .xterm-screen > .xterm-rows > div`)]
        .map((row) => row.textContent)
        .join('\n');
    const seen = { wrong: 0, replaced: 0, before: rows() };
    window.tesseraSeen = seen;
    const look = () => {
      const covered = document.querySelector(`[data-card-id="${card}"] .tt-cover`);
      if (covered) seen.replaced++;
      else if (rows() !== seen.before) seen.wrong++;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, id);
  await connection.breakOff();
  await until('the new screen', () => page.evaluate(() => (window.tesseraSeen?.replaced ?? 0) > 0));
  await until('the cover to go', async () => (await page.locator('.tt-cover').count()) === 0);
  expect(await shownRows(page, id)).toEqual(reading);
  expect(await page.evaluate(() => window.tesseraSeen?.wrong)).toBe(0);
});

test('stream:hidden: a card in the far view is sent nothing, and is complete when it is seen again', async ({
  canvas: page,
  server,
}) => {
  const id = await firstTerminal(page);
  const go = path.join(server.base, 'go');
  await typeInto(page, id, `clear; until [ -e ${go} ]; do sleep 0.05; done; seq 1 300000; touch ${go}-done\n`);
  const client = await page.context().newCDPSession(page);
  await client.send('Network.enable');
  let bytes = 0;
  client.on('Network.webSocketFrameReceived', ({ response }) => {
    bytes += response.payloadData.length;
  });
  await zoomTo(page, id, 0.4);
  await expect(card(page, id).locator('[data-terminal-summary]')).toBeVisible();
  bytes = 0;
  writeFileSync(go, '');
  await until('the output', () => existsSync(`${go}-done`), { timeoutMs: 30_000 });
  await expect(card(page, id).locator('[data-terminal-summary]')).toContainText(PROMPT);
  // What the summary says changes a few times; 2 MB were printed.
  expect(bytes).toBeLessThan(60_000);
  await zoomTo(page, id, 1);
  await untilText(page, id, /^300000$/m);
  const numbers = (await terminalLines(page, id)).filter((line) => /^\d+$/.test(line)).map(Number);
  expect(numbers.length).toBeGreaterThan(4_000);
  expect(numbers).toEqual(numbers.map((_, i) => 300_000 - numbers.length + 1 + i));
});
