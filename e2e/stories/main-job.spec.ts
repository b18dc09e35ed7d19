import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';
import {
  expect,
  firstTerminal,
  focusTerminal,
  openTerminal,
  run,
  terminalCards,
  terminalIds,
  terminalLines,
  test,
  typeInto,
  until,
  untilText,
} from '../support';

const flood = path.resolve('e2e/support/flood.mjs');

/** Where each card lies, in canvas units, as React Flow places it. */
async function layout(page: Page): Promise<Record<string, string>> {
  return terminalCards(page).evaluateAll((cards) =>
    Object.fromEntries(
      cards.map((element) => {
        const node = element.closest<HTMLElement>('.react-flow__node');
        return [
          element.getAttribute('data-card-id') ?? '',
          `${node?.style.transform} ${node?.style.width} ${node?.style.height}`,
        ];
      }),
    ),
  );
}

async function choose(page: Page, command: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+Shift+P');
  await page.getByRole('dialog').getByRole('combobox').fill(command);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeHidden();
}

test('the main job: eleven terminals, a build, a closed tab and a killed server, and everything is there exactly once', async ({
  server,
  canvas: page,
  context,
}) => {
  test.setTimeout(180_000);
  const ids = [await firstTerminal(page)];
  while (ids.length < 11) ids.push(await openTerminal(page));
  for (const [index, id] of ids.entries()) await run(page, id, `echo "this is" terminal-${index}`);
  await choose(page, 'Tidy');
  await choose(page, 'Show everything');

  const builder = ids[4] as string;
  const copy = path.join(server.base, 'build.copy');
  const stop = path.join(server.base, 'build.stop');
  await typeInto(
    page,
    builder,
    `stty -onlcr; ${process.execPath} ${flood} ${stop} 2 | tee ${copy}; stty onlcr; echo build-''over\n`,
  );
  await until('the build to print', () => readFileSync(copy).length > 1_000_000);
  const before = await layout(page);
  const shells = server
    .processes()
    .filter(({ command }) => /bash/.test(command))
    .map(({ pid }) => pid);
  await page.close({ runBeforeUnload: false });

  await server.kill9();
  const printedAtKill = readFileSync(copy).length;
  await until('the build to go on without the server', () => readFileSync(copy).length > printedAtKill + 1_000_000);
  await server.start();

  const again = await context.newPage();
  await again.goto(server.url);
  await until('all cards', async () => (await terminalIds(again)).length === 11);
  expect((await terminalIds(again)).sort()).toEqual([...ids].sort());
  expect(await layout(again)).toEqual(before);
  const running = server.processes().map(({ pid }) => pid);
  for (const pid of shells) expect(running).toContain(pid);

  writeFileSync(stop, '');
  await choose(again, 'Show everything');
  for (const [index, id] of ids.entries()) {
    if (id === builder) continue;
    await focusTerminal(again, id);
    const text = await untilText(again, id, `this is terminal-${index}`);
    expect(text.split(`\nthis is terminal-${index}\n`).length - 1, `terminal ${index} says it once`).toBe(1);
  }
  await focusTerminal(again, builder);
  await untilText(again, builder, /^build-over$/m, 60_000);
  const printed = readFileSync(copy, 'utf8')
    .replaceAll(/\x1b\[\d*m/g, '')
    .split('\r\n')
    .slice(0, -1);
  const shown = (await terminalLines(again, builder)).filter((line) => /^#\d{8} /.test(line));
  expect(shown.length).toBeGreaterThan(1000);
  expect(shown).toEqual(printed.slice(-shown.length).map((line) => line.trimEnd()));
});
