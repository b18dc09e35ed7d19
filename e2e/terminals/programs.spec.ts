import { writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  card,
  expect,
  firstTerminal,
  focusTerminal,
  openTerminal,
  run,
  terminalLines,
  test,
  typeInto,
  until,
  untilText,
} from '../support';
import { cellPoint, choose, clipboardText, rowOf } from './support';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

test('pain 27: a program writes the clipboard only with consent and below the cap, and never reads it', async ({
  canvas: page,
}) => {
  const id = await firstTerminal(page);
  const other = await openTerminal(page);
  const panel = card(page, id).locator('.tt-panel');
  await page.evaluate(() => navigator.clipboard.writeText('mine'));

  await run(page, id, `printf '\\e]52;c;%s\\a' "$(printf hi | base64)"`);
  await expect(panel).toContainText('wants to copy 2 characters');
  await expect(panel).toContainText('hi');
  expect(await clipboardText(page)).toBe('mine');
  // Nothing took the keyboard away.
  await run(page, id, 'echo typing goes on');
  await panel.getByRole('button', { name: 'Refuse' }).click();
  await expect(panel).toBeHidden();
  expect(await clipboardText(page)).toBe('mine');

  await run(page, id, `printf '\\e]52;c;%s\\a' "$(printf hi | base64)"`);
  await panel.getByRole('button', { name: 'Copy' }).click();
  await until('the clipboard', async () => (await clipboardText(page)) === 'hi');

  await typeInto(page, id, "clear; printf '\\e]52;c;?\\a'; cat -v\n");
  await typeInto(page, id, 'nothing came\n');
  await untilText(page, id, /^nothing came\nnothing came$/m);
  expect((await terminalLines(page, id)).join('')).not.toContain('^[]52');
  await page.keyboard.press('Control+C');

  await run(page, id, `printf '\\e]52;c;%s\\a' "$(head -c 1500000 /dev/zero | base64 -w0)"`, 30_000);
  await expect(panel).toContainText('nothing was copied');
  await panel.getByRole('button', { name: 'Dismiss' }).click();

  // A card that does not have the focus asks, too.
  await typeInto(page, id, `sleep 1; printf '\\e]52;c;%s\\a' "$(printf sneaky | base64)"\n`);
  await focusTerminal(page, other);
  await expect(panel).toContainText('sneaky');
  expect(await clipboardText(page)).toBe('hi');
});

test('S25: links show where they lead, open with Ctrl and a click only, and hostile ones are plain text', async ({
  canvas: page,
  context,
}) => {
  const id = await firstTerminal(page);
  await context.route('**/*', (route) => {
    const host = new URL(route.request().url()).hostname;
    return host.endsWith('example.org') ? route.fulfill({ body: 'the page' }) : route.fallback();
  });
  const hostile = ['javascript:alert(1)', 'JaVa\\tScript:alert(1)', 'data:text/html,x', 'file:///etc/passwd'];
  const script = [
    "printf '\\ec'",
    "printf '\\e]8;;https://example.org/osc8\\aGOOD\\e]8;;\\a\\n'",
    "printf 'https://example.org/plain\\n'",
    ...hostile.map((uri) => `printf '\\e]8;;${uri}\\aHOSTILE\\e]8;;\\a\\n'`),
  ];
  await run(page, id, script.join('; '));
  const tip = card(page, id).locator('.tt-link');
  const visit = async (row: number, modifiers: ('Control' | 'Shift')[]) => {
    const at = await cellPoint(page, id, 3, row);
    await page.mouse.move(at.x + 60, at.y + 60);
    await page.mouse.move(at.x, at.y);
    await page.mouse.move(at.x + 1, at.y);
    for (const key of modifiers) await page.keyboard.down(key);
    await page.mouse.down();
    await page.mouse.up();
    for (const key of modifiers) await page.keyboard.up(key);
  };
  const goodRow = await rowOf(page, id, 'GOOD');
  await visit(goodRow, []);
  await expect(tip).toContainText('https://example.org/osc8');
  expect(context.pages()).toHaveLength(1);
  for (const [row, address] of [
    [goodRow, 'https://example.org/osc8'],
    [goodRow + 1, 'https://example.org/plain'],
  ] as const) {
    const opened = context.waitForEvent('page');
    await visit(row, ['Control']);
    const popup = await opened;
    await popup.waitForLoadState();
    expect(popup.url()).toBe(address);
    expect(await popup.evaluate(() => [window.opener, document.referrer])).toEqual([null, '']);
    await popup.close();
  }
  const firstHostile = await rowOf(page, id, 'HOSTILE');
  for (let i = 0; i < hostile.length; i++) {
    await visit(firstHostile + i, ['Control']);
    await expect(tip).toBeHidden();
  }
  expect(context.pages()).toHaveLength(1);
});

test('the search finds in all of the scrollback, by case, word and expression, and counts', async ({
  canvas: page,
}) => {
  const id = await firstTerminal(page);
  await run(page, id, 'clear; for i in $(seq 1 7000); do echo entry-$i; done; echo "Word words WORD"');
  await choose(page, 'Search the terminal');
  const bar = card(page, id).locator('.tt-search');
  const field = bar.getByRole('textbox');
  const count = bar.locator('.tt-count');
  await expect(field).toBeFocused();
  // Far above what was first sent to this page.
  await page.keyboard.type('entry-12');
  await expect(count).toHaveText('111 of 111');
  await page.keyboard.press('Enter');
  await expect(count).toHaveText('110 of 111');
  await page.keyboard.press('Shift+Enter');
  await expect(count).toHaveText('111 of 111');
  await field.fill('word');
  await expect(count).toHaveText(/of 3$/);
  await bar.getByRole('button', { name: 'Whole word' }).click();
  await expect(count).toHaveText(/of 2$/);
  await bar.getByRole('button', { name: 'Match case' }).click();
  await field.fill('Word');
  await expect(count).toHaveText(/of 1$/);
  await bar.getByRole('button', { name: 'Whole word' }).click();
  await bar.getByRole('button', { name: 'Regular expression' }).click();
  await field.fill('entry-[67]000');
  await expect(count).toHaveText('2 of 2');
  await field.fill('(');
  await expect(count).toHaveText('not an expression');
  await page.keyboard.press('Escape');
  await expect(bar).toBeHidden();
  await page.keyboard.type('echo typed after it\n');
  await untilText(page, id, /^typed after it$/m);
});

test('images are drawn; after a reload a placeholder says where they were', async ({ canvas: page, server }) => {
  const id = await firstTerminal(page);
  const script = path.join(server.base, 'image.py');
  // A red square.
  writeFileSync(
    script,
    [
      'import sys',
      "def square(side, fill): sys.stdout.write('\\x1bPq\"1;1;%d;%d#0;2;100;20;20' % (side, side) + (fill * side + '-') * (side // 6) + '\\x1b\\\\\\n')",
      "square(240, '#0~')",
      'sys.stdout.flush()',
    ].join('\n'),
  );
  await typeInto(page, id, `clear; python3 ${script}; echo im""age\n`);
  await untilText(page, id, /^image$/m);
  const layer = card(page, id).locator('canvas.xterm-image-layer');
  await until('the image', async () => {
    if ((await layer.count()) === 0) return false;
    return layer.evaluate((element) => {
      const canvas = element as HTMLCanvasElement;
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      let red = 0;
      for (let i = 0; i < data.length; i += 4) if (data[i]! > 200 && data[i + 1]! < 100 && data[i + 3]! > 200) red++;
      return red > 1_000;
    });
  });
  await page.reload();
  await untilText(page, id, /^image$/m);
  await untilText(page, id, /^\[image 240×240\]/m);
});

test('shell integration: marks in the gutter, jumps between commands, and the last output to the clipboard', async ({
  canvas: page,
}) => {
  const id = await firstTerminal(page);
  await run(page, id, 'seq 1 100');
  await typeInto(page, id, 'false\n');
  await typeInto(page, id, "printf 'alpha\\nbeta\\n'\n");
  await untilText(page, id, /^beta$/m);
  const marks = card(page, id).locator('.tt-mark:visible');
  await expect(marks.and(page.locator('[data-status="bad"]'))).toHaveCount(1);
  await expect(marks.and(page.locator('[data-status="bad"]'))).toHaveAttribute('title', 'Exit status 1');
  await expect(marks.and(page.locator('[data-status="good"]')).first()).toBeVisible();
  await choose(page, 'Copy the last output');
  await until('the output on the clipboard', async () => (await clipboardText(page)).trimEnd() === 'alpha\nbeta');

  await focusTerminal(page, id);
  await page.keyboard.press('Control+Shift+PageUp');
  await rowOf(page, id, /seq 1 100/);
  const top = card(page, id).locator('.xterm-rows > div').first();
  await expect(top).toContainText('seq 1 100');
  await page.keyboard.press('Control+Shift+PageDown');
  await expect(top).not.toContainText('seq 1 100');

  // The marks are there again in a page that was loaded anew.
  await page.reload();
  await untilText(page, id, /^beta$/m);
  await expect(card(page, id).locator('.tt-mark[data-status="bad"]:visible')).toHaveCount(1);
});

test('a dropped file is uploaded and its quoted path typed, without Enter; an app path is typed as it is', async ({
  canvas: page,
}) => {
  const id = await firstTerminal(page);
  await typeInto(page, id, 'cat ');
  const body = card(page, id).locator('.tt-body');
  const drop = (kind: 'file' | 'path', name: string, text: string) =>
    body.evaluate(
      (element, { kind, name, text }) => {
        const data = new DataTransfer();
        if (kind === 'file') data.items.add(new File([text], name, { type: 'text/plain' }));
        else data.setData('text/x-tessera-path', name);
        for (const type of ['dragenter', 'dragover', 'drop'])
          element.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
      },
      { kind, name, text },
    );
  await drop('file', "it's a $file.txt", 'what was in the file\n');
  await untilText(page, id, /file\.txt' /);
  expect((await terminalLines(page, id)).join('\n')).not.toContain('what was in the file');
  await focusTerminal(page, id);
  await page.keyboard.press('Enter');
  await untilText(page, id, /^what was in the file$/m);

  await typeInto(page, id, 'echo ');
  await drop('path', '/tmp/a path with blanks', '');
  await untilText(page, id, "'/tmp/a path with blanks' ");

  await page.keyboard.press('Control+C');
  await typeInto(page, id, 'exit\n');
  await expect(card(page, id).locator('.tt-status')).toBeVisible();
  await drop('file', 'late.txt', 'late');
  expect((await terminalLines(page, id)).join('\n')).not.toContain('late.txt');
});

test('stream:restart: an ended program says how it ended and starts again in its card, with all that was there', async ({
  canvas: page,
  server,
}) => {
  const id = await firstTerminal(page);
  const status = card(page, id).locator('.tt-status');
  await run(page, id, 'echo kept; seq 1 100');
  const textSize = () =>
    card(page, id)
      .locator('.xterm-rows > div')
      .first()
      .evaluate((row) => row.getBoundingClientRect().height);
  const usual = await textSize();
  await typeInto(page, id, 'exit 3\n');
  await expect(status).toContainText('Ended with code 3');
  // The last screen is there, whole, above the bar.
  await until('the last row to stand above the bar', async () => {
    const last = await card(page, id).locator('.xterm-rows > div').last().boundingBox();
    const bar = await status.boundingBox();
    return last && bar && last.y + last.height <= bar.y + 1;
  });
  expect(await textSize()).toBeCloseTo(usual, 1);
  await focusTerminal(page, id);
  await page.keyboard.press('Control+D');
  await expect(status).toBeHidden();
  await run(page, id, 'echo again');
  expect((await terminalLines(page, id)).filter((line) => line === 'kept')).toHaveLength(1);

  const shell = server.processes().find(({ command }) => /bash/.test(command));
  if (!shell) throw new Error('no shell');
  process.kill(shell.pid, 'SIGKILL');
  await expect(status).toContainText('Ended by SIGKILL');
  expect((await terminalLines(page, id)).filter((line) => line === 'again')).toHaveLength(1);
  await status.getByRole('button', { name: 'Start again' }).click();
  await expect(status).toBeHidden();
  await run(page, id, 'echo third');
});

test('screen-reader mode puts the rows where a reader finds them, and typing still works once', async ({
  canvas: page,
  server,
}) => {
  const id = await firstTerminal(page);
  await page.evaluate(() => undefined);
  const { TesseraClient } = await import('../support');
  const client = await TesseraClient.connect(server);
  await client.call('settings:set', { patch: { screenReader: true } });
  await run(page, id, 'echo heard');
  const tree = card(page, id).locator('.xterm-accessibility-tree');
  await expect(tree).toContainText('heard');
  expect((await terminalLines(page, id)).filter((line) => line === 'heard')).toHaveLength(1);
  await client.close();
});

test("a card's icon dragged onto another terminal types the folder of its shell", async ({ canvas: page }) => {
  const from = await firstTerminal(page);
  const to = await openTerminal(page);
  await run(page, from, "mkdir -p 'a b' && cd 'a b' && pwd");
  const folder = (await terminalLines(page, from)).find((line) => line.endsWith('/a b'));
  await expect(card(page, from).locator('.card-title')).toContainText('a b');
  const icon = (await card(page, from).locator('.card-proxy').boundingBox())!;
  const target = (await card(page, to).locator('.xterm-screen').boundingBox())!;
  await page.mouse.move(icon.x + icon.width / 2, icon.y + icon.height / 2);
  await page.mouse.down();
  await page.mouse.move(icon.x + 40, icon.y + 80, { steps: 4 });
  await page.mouse.move(target.x + 200, target.y + 60, { steps: 6 });
  await page.mouse.up();
  await untilText(page, to, new RegExp(`'${folder}'`));
});
