import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { card, expect, firstTerminal, openTerminal, TesseraClient, test, typeInto, until, untilText } from '../support';

for (const shell of ['/bin/bash', '/usr/bin/zsh', '/usr/bin/fish']) {
  test(`${path.basename(shell)} tells its card the folder, what runs and how it ended`, async ({
    canvas: page,
    server,
  }) => {
    await firstTerminal(page);
    const client = await TesseraClient.connect(server);
    await client.call('settings:set', { patch: { shell } });
    const id = await openTerminal(page);
    const folder = path.join(server.project, 'мой проект');
    mkdirSync(folder);
    const { items } = await client.openCanvas();
    const item = items.find((one) => one.id === id);
    if (item?.kind !== 'terminal') throw new Error('no card');
    const info = async () => {
      const fresh = await TesseraClient.connect(server, client.credentials);
      fresh.close();
      return fresh.hello.sessions.find(({ record }) => record.id === item.sessionId)?.info;
    };

    await typeInto(page, id, `cd '${folder}'\n`);
    await until('the folder', async () => (await info())?.cwd === folder);
    await expect(card(page, id).locator('.card-head')).toContainText('мой проект');
    await typeInto(page, id, 'sleep 5555\n');
    await until('a command to run', async () => (await info())?.busy === true);
    await page.keyboard.press('Control+C');
    await until('the command to have ended', async () => (await info())?.busy === false);
    await typeInto(page, id, 'false\n');
    await until('its status', async () => (await info())?.lastStatus === 1);
    const bad = card(page, id).locator('.tt-mark[data-status="bad"]:visible');
    await expect(bad.last()).toHaveAttribute('title', 'Exit status 1');
    await typeInto(page, id, "printf 'o%s\\n' k\n");
    await untilText(page, id, /^ok$/m);
    await until('its status', async () => (await info())?.lastStatus === 0);
    client.close();
  });
}
