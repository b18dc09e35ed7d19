import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';
import Database from 'better-sqlite3';
import {
  card,
  expect,
  firstTerminal,
  focusTerminal,
  isAlive,
  newId,
  openTerminal,
  run,
  signal,
  TesseraClient,
  type TesseraServer,
  terminalCards,
  terminalLines,
  test,
  typeInto,
  until,
  untilText,
} from '../support';
import { choose } from './support';

const status = (page: Page, id: string) => card(page, id).locator('.tt-status');

async function startAgain(page: Page, id: string): Promise<void> {
  await status(page, id).getByRole('button', { name: 'Start again' }).click();
  await expect(status(page, id)).toBeHidden();
}

/** As after a power cut: neither the server nor the pty host had a word. */
async function everythingDies(server: TesseraServer): Promise<void> {
  const host = server.ptyHostPid();
  if (!host) throw new Error('There is no pty host');
  await server.kill9();
  signal(host, 'SIGKILL');
  await until('the pty host to end', () => !isAlive(host));
  await server.start();
}

/** What is stored of sessions, read beside the server. */
function storedFolders(server: TesseraServer): string[] {
  const db = new Database(path.join(server.dataDir, 'tessera.db'), { readonly: true });
  try {
    return (db.prepare('SELECT json FROM sessions').all() as { json: string }[]).map(
      ({ json }) => (JSON.parse(json) as { cwd: string }).cwd,
    );
  } finally {
    db.close();
  }
}

test('pain 14: closing a card names what runs, ends all of it, and names what escaped', async ({
  canvas: page,
  server,
}) => {
  await firstTerminal(page);
  const id = await openTerminal(page);
  const pids = path.join(server.base, 'pids');
  await typeInto(page, id, `(sleep 1111 & echo $! >> ${pids}); setsid sleep 2222 & sleep 3333\n`);
  const running = (what: string) => server.processes().find(({ command }) => command === `sleep ${what}`);
  await until('all three to run', () => running('1111') && running('2222') && running('3333'));
  await card(page, id).getByRole('button', { name: 'Close terminal' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('sleep 1111');
  await expect(question).toContainText('sleep 3333');
  const told = page.getByText(/did not end:.*sleep 2222/).waitFor();
  await question.getByRole('button', { name: /^Close and end/ }).click();
  await expect(card(page, id)).toHaveCount(0);
  await page.getByRole('button', { name: 'Close now' }).click();
  await told;
  expect([running('1111'), running('3333')]).toEqual([undefined, undefined]);
});

test('a closed terminal is gone from every tab and can be taken back as it was; else it is ended, also by the next server', async ({
  canvas: page,
  server,
}) => {
  await firstTerminal(page);
  const id = await openTerminal(page);
  await run(page, id, 'kept=$((6*7))');
  const place = await card(page, id).boundingBox();
  const other = await TesseraClient.connect(server);
  const sessionOf = async () => {
    const { items } = await other.openCanvas();
    const item = items.find((one) => one.id === id);
    return item?.kind === 'terminal' ? item.sessionId : undefined;
  };
  const sessionId = (await sessionOf())!;
  const second = await page.context().newPage();
  try {
    await second.goto(server.url);
    await card(second, id).waitFor();
    const close = () => card(page, id).getByRole('button', { name: 'Close terminal' }).click();
    await close();
    await expect(card(page, id)).toHaveCount(0);
    await expect(card(second, id)).toHaveCount(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await card(second, id).waitFor();
    await until('the keyboard in the terminal', () =>
      page.evaluate((cardId) => document.activeElement?.closest(`[data-card-id="${cardId}"]`) !== null, id),
    );
    expect(await card(page, id).boundingBox()).toEqual(place);
    await page.keyboard.type('echo "it is $kept"\n');
    await untilText(page, id, /^it is 42$/m);

    // The next server knows that it was closed: it stays hidden and is ended.
    await close();
    await expect(card(page, id)).toHaveCount(0);
    expect(await sessionOf()).toBe(sessionId);
    await server.kill9();
    await server.start();
    await until('the terminal to be ended', async () => (await sessionOf()) === undefined, { timeoutMs: 25_000 });
    await expect(card(page, id)).toHaveCount(0);
    await expect(terminalCards(page)).toHaveCount(1);
  } finally {
    other.close();
    await second.close();
  }
});

test('pain 13: twenty times two hundred resizes race with the end of a program, and nothing else notices', async ({
  server,
}) => {
  const client = await TesseraClient.connect(server);
  const { session } = await client.createTerminal({ x: 900, y: 100 });
  const { id: sessionId } = session.record;
  const views = new Map(client.hello.sessions.map((view) => [view.record.id, view]));
  client.on('session:changed', (view) => views.set(view.record.id, view));
  const viewerId = newId();
  await client.call('terminal:attach', { viewerId, sessionId, cols: 80, rows: 24, history: 0, visibility: 'live' });
  const state = () => views.get(sessionId)?.info?.state;
  for (let round = 0; round < 20; round += 1) {
    await until('the shell to run', () => state() === 'running');
    const resizes = Array.from({ length: 200 }, (_, step) =>
      client.call('terminal:size', { viewerId, cols: 60 + (step % 100), rows: 20 + (step % 30) }),
    );
    const bytes = Buffer.from('exit 7\r');
    await client.call('terminal:input', { viewerId, sessionId, seq: round + 1, bytes });
    await Promise.all(resizes);
    await until('the end', () => state() === 'ended');
    expect(views.get(sessionId)?.info?.exit).toEqual({ code: 7 });
    await client.call('terminal:restart', { sessionId, cols: 80, rows: 24 });
  }
  expect(isAlive(server.pid)).toBe(true);
  const others = [...views.values()].filter(({ record }) => record.id !== sessionId);
  expect(others.map(({ info }) => info?.state)).toEqual(others.map(() => 'running'));
  client.close();
});

test.describe('pain 17', () => {
  const foreign = { NODE_ENV: 'production', PORT: '9', npm_config_foo: '1', TESSERA_SECRET: 'hidden' };
  test.use({ serverOptions: { env: { ...foreign, MY_LOGIN_VARIABLE: 'kept' } } });

  test('pain 17: a shell sees the environment of the person and nothing of the server', async ({
    canvas: page,
    server,
  }) => {
    const id = await firstTerminal(page);
    const file = path.join(server.base, 'env');
    await run(page, id, `env > ${file}`);
    const env = readFileSync(file, 'utf8');
    expect(env).toMatch(/^MY_LOGIN_VARIABLE=kept$/m);
    expect(env).toMatch(/^TERM=xterm-256color$/m);
    expect(env).toMatch(/^COLORTERM=truecolor$/m);
    expect(env.split('\n').filter((line) => /^(NODE_|npm_|PORT=|TESSERA_|NEXT_|INIT_CWD)/.test(line))).toEqual([]);
    const instance = readFileSync(path.join(server.dataDir, 'run', 'instance.json'), 'utf8');
    expect(env).not.toContain((JSON.parse(instance) as { control: string }).control);
  });
});

test('pain 18: after everything died a shell without integration starts in its last folder, or the nearest, and says so', async ({
  canvas: page,
  server,
}) => {
  await firstTerminal(page);
  const client = await TesseraClient.connect(server);
  await client.call('settings:set', { patch: { shell: '/bin/sh' } });
  const { item: stays } = await client.createTerminal({ x: 900, y: 100 });
  const { item: loses } = await client.createTerminal({ x: 80, y: 600 });
  client.close();
  await choose(page, 'Show everything');
  const kept = path.join(server.project, 'kept');
  const gone = path.join(server.project, 'папка', 'gone');
  for (const folder of [kept, gone]) mkdirSync(folder, { recursive: true });
  await run(page, stays.id, `cd '${kept}'`);
  await run(page, loses.id, `cd '${gone}'`);
  await until('both folders to be stored', () =>
    [kept, gone].every((folder) => storedFolders(server).includes(folder)),
  );
  await everythingDies(server);
  rmSync(gone, { recursive: true });
  await expect(status(page, stays.id)).toBeVisible();
  await startAgain(page, stays.id);
  expect(await run(page, stays.id, 'pwd')).toContain(kept);
  await startAgain(page, loses.id);
  expect(await run(page, loses.id, 'pwd')).toContain(path.dirname(gone));
  await expect(card(page, loses.id)).toContainText('does not exist any more');
  await expect(card(page, stays.id)).not.toContainText('does not exist any more');
});

test('pain 19: a restored terminal has a visible cursor; a program that still runs keeps its hidden one', async ({
  canvas: page,
  server,
}) => {
  const id = await firstTerminal(page);
  const cursor = card(page, id).locator('.xterm-rows .xterm-cursor');
  await typeInto(page, id, "printf 'hidden-%s\\n\\e[?25l' now; sleep 4444\n");
  await untilText(page, id, /^hidden-now$/m);
  await expect(cursor).toHaveCount(0);
  await server.kill9();
  await server.start();
  await page.reload();
  await untilText(page, id, /^hidden-now$/m);
  await focusTerminal(page, id);
  await expect(cursor).toHaveCount(0);
  expect(server.processes().filter(({ command }) => command === 'sleep 4444')).toHaveLength(1);

  await everythingDies(server);
  await expect(status(page, id)).toBeVisible();
  await startAgain(page, id);
  const lines = await run(page, id, 'echo fresh');
  expect(lines.filter((line) => line === 'hidden-now')).toHaveLength(1);
  await expect(cursor).toHaveCount(1);
});

test('host:adopt: a killed server is followed by one that has every shell, also one that was just closing its card', async ({
  canvas: page,
  server,
}) => {
  const id = await firstTerminal(page);
  const client = await TesseraClient.connect(server);
  const { session } = await client.createTerminal({ x: 900, y: 100 });
  await run(page, id, 'VALUE="kept in the shell"');
  const shells = () => server.processes().filter(({ command }) => /\bbash\b/.test(command));
  const before = shells().map(({ pid }) => pid);
  expect(before).toHaveLength(2);
  const closing = client.call('terminal:close', { sessionId: session.record.id }).catch(() => null);
  await server.kill9();
  client.close();
  await closing;
  await server.start();
  await until('the page to be back', async () => (await run(page, id, 'echo "$VALUE"')).includes('kept in the shell'));
  const again = await TesseraClient.connect(server);
  const known = again.hello.sessions.map(({ record }) => record.id);
  const held = shells();
  expect(held.every(({ pid }) => before.includes(pid))).toBe(true);
  expect(again.hello.sessions.filter(({ info }) => info?.state === 'running')).toHaveLength(held.length);
  expect(existsSync(path.join(server.dataDir, 'scrollback', session.record.id))).toBe(
    known.includes(session.record.id),
  );
  again.close();
});

test('canvas:corrupt-record: a damaged card or session hides no other, is kept, and goes only when a person says so', async ({
  canvas: page,
  server,
}) => {
  const id = await firstTerminal(page);
  const second = await openTerminal(page);
  const third = await openTerminal(page);
  await run(page, third, 'echo third is here');
  await server.stop();
  const db = new Database(path.join(server.dataDir, 'tessera.db'));
  const raw = () =>
    db.prepare('SELECT json FROM canvas_items WHERE id = ?').get(second) as { json: string } | undefined;
  db.prepare(`UPDATE canvas_items SET json = '{"v":1,' WHERE id = ?`).run(second);
  db.prepare(
    `UPDATE sessions SET json = 'damaged' WHERE id IN (SELECT json_extract(json, '$.sessionId') FROM canvas_items WHERE id = ?)`,
  ).run(third);
  await server.start();
  await page.reload();
  await untilText(page, third, /^third is here$/m);
  await run(page, third, 'echo and it works');
  await run(page, id, 'echo the first too');
  const damaged = page.locator('[data-card-kind="corrupt"]');
  await expect(damaged).toHaveCount(1);
  expect(raw()).toEqual({ json: '{"v":1,' });
  await choose(page, 'Show everything');
  await damaged.getByRole('button', { name: 'Discard…' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click();
  await expect(damaged).toHaveCount(0);
  expect(raw()).toBeUndefined();
  db.close();
  // The shell behind the damaged card still runs: it has a card again.
  await expect(page.locator('[data-card-kind="terminal"]')).toHaveCount(3);
  expect(await terminalLines(page, id)).toContain('the first too');
});
