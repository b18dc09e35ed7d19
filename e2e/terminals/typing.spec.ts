import { writeFileSync } from 'node:fs';
import path from 'node:path';
import {
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
import { choose, clipboardText, pasteInto, rowOf, selectionOf } from './support';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

test('pain 4: emoji take two cells, so that frames round them line up', async ({ canvas: page }) => {
  const id = await firstTerminal(page);
  const lines = await run(page, id, "printf '│⚡🤖│\\n│1234│\\n'");
  const row = lines.indexOf('│⚡🤖│');
  expect(lines[row + 1]).toBe('│1234│');
  const columns = await page.evaluate(
    ({ id, row }) => {
      interface Cells {
        getLine(y: number): { getCell(x: number): { getChars(): string } | undefined } | undefined;
      }
      const buffer = window.tesseraTerminals?.get(id)?.buffer.active as unknown as Cells;
      return [row, row + 1].map((y) => {
        const at = [];
        for (let x = 0; x < 12; x++) if (buffer.getLine(y)?.getCell(x)?.getChars() === '│') at.push(x);
        return at;
      });
    },
    { id, row },
  );
  expect(columns).toEqual([
    [0, 5],
    [0, 5],
  ]);
  const bars = await page.locator(`[data-card-id="${id}"] .xterm-rows > div`).evaluateAll((rows) =>
    rows
      .filter((one) => /^│(⚡🤖|1234)│$/u.test(one.textContent?.trim().replaceAll('\u00a0', '') ?? ''))
      .map((one) => {
        const range = document.createRange();
        const walker = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
        let last: Text | null = null;
        for (let node = walker.nextNode(); node; node = walker.nextNode())
          if (node.textContent?.includes('│')) last = node as Text;
        if (!last) return -1;
        const at = last.data.lastIndexOf('│');
        range.setStart(last, at);
        range.setEnd(last, at + 1);
        return range.getBoundingClientRect().left;
      }),
  );
  expect(bars).toHaveLength(2);
  expect(Math.abs((bars[0] ?? 0) - (bars[1] ?? 99))).toBeLessThan(1.5);
});

test('pain 10: text of an input method arrives once, and the next key after it once', async ({ canvas: page }) => {
  const id = await firstTerminal(page);
  await typeInto(page, id, 'cat\n');
  const client = await page.context().newCDPSession(page);
  await client.send('Input.imeSetComposition', { text: 'nihao', selectionStart: 5, selectionEnd: 5 });
  await client.send('Input.insertText', { text: '你好' });
  await page.keyboard.press('q');
  await page.keyboard.press('Enter');
  await untilText(page, id, /^你好q\n你好q$/m);
  expect((await terminalLines(page, id)).filter((line) => line.includes('你好'))).toEqual(['你好q', '你好q']);
});

test('pain 11: two hundred fast keys with key code 229 arrive complete and in order', async ({ canvas: page }) => {
  const id = await firstTerminal(page);
  await typeInto(page, id, 'cat\n');
  const text = Array.from({ length: 200 }, (_, i) => 'abcdefghijklmnopqrstuvwxyz'[i % 26]).join('');
  await page.locator(`[data-card-id="${id}"] .xterm-helper-textarea`).evaluate(async (element, text) => {
    const field = element as HTMLTextAreaElement;
    const ime = { keyCode: 229, key: 'Unidentified', bubbles: true, cancelable: true };
    for (const data of text) {
      field.dispatchEvent(new KeyboardEvent('keydown', ime));
      field.value += data;
      field.dispatchEvent(new InputEvent('input', { data, inputType: 'insertText', bubbles: true, composed: true }));
      field.dispatchEvent(new KeyboardEvent('keyup', ime));
      await new Promise((next) => setTimeout(next, 5));
    }
  }, text);
  await page.keyboard.press('Enter');
  await untilText(page, id, new RegExp(`^${text}\\n${text}$`, 'm'));
});

test('pain 12: the chords of copy and paste work, and a page with a focused terminal asks before it goes', async ({
  canvas: page,
}) => {
  const id = await firstTerminal(page);
  await typeInto(page, id, 'clear; echo copy""-me\n');
  const row = await rowOf(page, id, 'copy-me');
  const box = await page
    .locator(`[data-card-id="${id}"] .xterm-rows > div`)
    .nth(row - 1)
    .boundingBox();
  if (!box) throw new Error('no row');
  const copyWith = async (chord: string) => {
    await page.evaluate(() => navigator.clipboard.writeText(''));
    await page.mouse.dblclick(box.x + 10, box.y + box.height / 2);
    await until('a selection', async () => (await selectionOf(page, id)) !== '');
    await page.keyboard.press(chord);
    await until(`${chord} to copy`, async () => (await clipboardText(page)).startsWith('copy'));
    expect(await selectionOf(page, id)).toBe('');
  };
  for (const chord of ['Control+Shift+C', 'Control+Insert', 'Control+C']) await copyWith(chord);

  await typeInto(page, id, 'cat\n');
  for (const [index, chord] of ['Control+Shift+V', 'Shift+Insert'].entries()) {
    await page.evaluate((value) => navigator.clipboard.writeText(value), `pasted-${index}`);
    await focusTerminal(page, id);
    await page.keyboard.press(chord);
    await page.keyboard.press('Enter');
    await untilText(page, id, new RegExp(`^pasted-${index}\\npasted-${index}$`, 'm'));
  }
  // Without a selection Ctrl+C is the program's again.
  await page.keyboard.press('Control+C');
  await untilText(page, id, '^C');

  await choose(page, 'Send Ctrl+W');
  await typeInto(page, id, 'echo one two');
  await choose(page, 'Send Ctrl+W');
  await typeInto(page, id, 'three\n');
  await untilText(page, id, /^one three$/m);

  const asked = new Promise<string>((resolve) => {
    page.once('dialog', (dialog) => {
      resolve(dialog.type());
      void dialog.dismiss();
    });
  });
  await focusTerminal(page, id);
  await page.close({ runBeforeUnload: true });
  expect(await asked).toBe('beforeunload');
  expect(page.isClosed()).toBe(false);
});

test('pain 23: a character whose bytes come apart is whole, live and after a reload', async ({
  canvas: page,
  server,
}) => {
  const id = await firstTerminal(page);
  const script = path.join(server.base, 'apart.py');
  writeFileSync(script, "import os,time\nos.write(1,b'A \\xe2')\ntime.sleep(.5)\nos.write(1,b'\\x94\\x80 B\\n')\n");
  await typeInto(page, id, `python3 ${script}\n`);
  await untilText(page, id, /^A ─ B$/m);
  await page.reload();
  await untilText(page, id, /^A ─ B$/m);
  expect((await terminalLines(page, id)).join('\n')).not.toContain('\ufffd');
});

test('pain 8: a paste of 1 MiB arrives byte for byte, and the page stays responsive', async ({
  canvas: page,
  server,
}) => {
  test.setTimeout(90_000);
  const id = await firstTerminal(page);
  const file = path.join(server.base, 'pasted');
  const text = `${Array.from({ length: 149_797 }, (_, i) => String(i).padStart(6, '0')).join('\n')}\n`;
  expect(text.length).toBeGreaterThan(1024 * 1024 - 8);
  await typeInto(page, id, `stty -echo; cat > ${file}; stty echo; sha256sum ${file}\n`);
  await until('cat to wait for input', () => server.processes().some(({ command }) => command.startsWith('cat')));
  await page.evaluate(() => {
    const gaps = { longest: 0, last: performance.now() };
    (window as unknown as { gaps: typeof gaps }).gaps = gaps;
    const look = () => {
      const now = performance.now();
      gaps.longest = Math.max(gaps.longest, now - gaps.last);
      gaps.last = now;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await pasteInto(page, id, text);
  const { createHash } = await import('node:crypto');
  const { readFileSync } = await import('node:fs');
  await until('the whole text in the file', () => readFileSync(file).length >= text.length, { timeoutMs: 60_000 });
  await page.keyboard.press('Control+D');
  await untilText(page, id, createHash('sha256').update(text).digest('hex'), 20_000);
  const longest = await page.evaluate(() => (window as unknown as { gaps: { longest: number } }).gaps.longest);
  expect(longest).toBeLessThan(1_000);
});

test('a paste that the program does not take shows that it waits, and can be stopped', async ({ canvas: page }) => {
  test.setTimeout(90_000);
  const id = await firstTerminal(page);
  await typeInto(page, id, 'stty raw -echo; sleep 1000\n');
  await pasteInto(page, id, 'x'.repeat(4 * 1024 * 1024));
  const notice = page.locator(`[data-card-id="${id}"] .tt-notice`, { hasText: 'Sending' });
  const rows = () => page.evaluate((card) => window.tesseraTerminals?.get(card)?.rows, id);
  const before = await rows();
  await expect(notice).toBeVisible({ timeout: 20_000 });
  // What comes and goes over a terminal never resizes its program.
  expect(await rows()).toBe(before);
  await notice.getByRole('button', { name: 'Stop' }).click();
  await expect(notice).toBeHidden({ timeout: 20_000 });
});

test('Ctrl+C gets through a paste of lines that the program never reads, and other terminals go on meanwhile', async ({
  canvas: page,
  server,
}) => {
  test.setTimeout(60_000);
  const id = await firstTerminal(page);
  const other = await openTerminal(page);
  await typeInto(page, id, 'sleep 1000\n');
  await until('the program', () => server.processes().some(({ command }) => command.startsWith('sleep 1000')));
  await pasteInto(page, id, 'echo pas""ted\n'.repeat(8_000));
  await run(page, other, 'echo well');
  await focusTerminal(page, id);
  await page.keyboard.press('Control+C');
  await run(page, id, 'echo goes on');
  const lines = await terminalLines(page, id);
  expect(lines).toContain('goes on');
  expect(lines).not.toContain('pasted');
});

test('pain 9: a bracketed paste is one paste, whatever stands in it', async ({ canvas: page, server }) => {
  const id = await firstTerminal(page);
  const log = path.join(server.base, 'chunks');
  const script = path.join(server.base, 'raw.py');
  writeFileSync(
    script,
    [
      'import os,sys,tty,termios',
      'before = termios.tcgetattr(0)',
      'tty.setraw(0)',
      "os.write(1, b'\\x1b[?2004hlistening\\r\\n')",
      `out = open(${JSON.stringify(log)}, 'wb', 0)`,
      'while True:',
      '  data = os.read(0, 65536)',
      '  out.write(data)',
      "  if data.endswith(b'Q'): break",
      'termios.tcsetattr(0, termios.TCSANOW, before)',
      "os.write(1, b'\\x1b[?2004lall read\\r\\n')",
    ].join('\n'),
  );
  await typeInto(page, id, `clear; python3 ${script}\n`);
  await untilText(page, id, /^listening/m);
  const line = 'a line of the pasted text\n';
  const body = line.repeat(Math.ceil((200 * 1024) / line.length));
  await pasteInto(page, id, `${body}\x1b[201~rm -rf\r\n\x1b[20\x1b[201~1~end`);
  await page.keyboard.press('Q');
  await untilText(page, id, /^all read/m, 30_000);
  const { readFileSync } = await import('node:fs');
  const received = readFileSync(log, 'latin1');
  expect(received).toBe(`\x1b[200~${body.replaceAll('\n', '\r')}rm -rf\rend\x1b[201~Q`);
});
