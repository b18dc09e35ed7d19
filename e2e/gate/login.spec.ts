import { existsSync, lstatSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import Database from 'better-sqlite3';
import { expect, signIn, TesseraClient, takeLink, test, until } from '../support';
import { ask, instanceFile, instanceOf } from './raw';

const json = { 'content-type': 'application/json' };

/** What the database keeps of a signed-in browser's two secrets. */
function storedHashes(dataDir: string, id: string): string[] {
  const db = new Database(path.join(dataDir, 'tessera.db'), { readonly: true });
  try {
    const row = db.prepare<[string], { json: string }>('SELECT json FROM browser_sessions WHERE id = ?').get(id);
    const { cookieHash, keyHash } = JSON.parse(row?.json ?? '{}') as { cookieHash?: string; keyHash?: string };
    return [cookieHash, keyHash].filter((hash) => hash !== undefined);
  } finally {
    db.close();
  }
}

/** Everything below a folder that others than its owner may touch or read; the folder hides what lies in it. */
function openToOthers(folder: string): string[] {
  return (
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => !entry.isSymbolicLink())
      .map((entry) => path.join(entry.parentPath, entry.name))
      // What was replaced meanwhile is looked at under its name.
      .filter((file) => ((lstatSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0)
  );
}

test('S8: a login link works once, and says what became of it', async ({ server, page, browser }) => {
  const link = await server.loginUrl();
  await page.goto(link);
  await page.waitForURL(`${server.url}/`);
  expect(page.url()).not.toContain('#');

  const other = await (await browser.newContext()).newPage();
  await other.goto(link);
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('This login link was used already');
  await expect(other.getByText('npx tessera login')).toBeVisible();
  expect(other.url()).toBe(`${server.url}/login`);
  await other.goto(`${server.url}/login#t=${'x'.repeat(43)}`);
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('This login link is not known');
  await other.goto(`${server.url}/`);
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('This browser is not signed in');
  expect(await other.evaluate(() => localStorage.getItem('tessera.key'))).toBeNull();
  await other.context().close();
});

test.describe('a start', () => {
  test.use({ serverOptions: { openBrowser: true } });

  test('S8: the file that a start opens leads in once; what else comes to its page is told by the login page', async ({
    server,
    page,
    browser,
  }) => {
    const file = await server.openedFile();
    expect(lstatSync(file).mode & 0o777).toBe(0o600);
    await page.goto(`file://${file}`);
    await page.waitForURL(`${server.url}/`);
    await expect(page.locator('[data-card-kind="terminal"]')).toBeVisible();
    await until('the file to be gone', () => !existsSync(file));

    const other = await (await browser.newContext()).newPage();
    await other.goto(`${server.url}/enter#t=${'x'.repeat(43)}`);
    await expect(other.getByRole('heading', { level: 1 })).toHaveText('This login link is not known');
    expect(other.url()).toBe(`${server.url}/login`);
    await other.goto(`${server.url}/enter`);
    await expect(other.getByRole('heading', { level: 1 })).toHaveText('This browser is not signed in');
    await other.context().close();
  });
});

test('S8: the token, a stored hash and the bearer are no session', async ({ server }) => {
  const token = new URLSearchParams(new URL(await server.loginUrl()).hash.slice(1)).get('t') ?? '';
  const { cookie } = await takeLink(server);
  const id = cookie.split('=')[1]?.split('.')[0] ?? '';
  const bearer = instanceOf(server).control;
  const stored = storedHashes(server.dataDir, id);
  expect(stored).toHaveLength(2);
  const values = [token, bearer, id, ...[token, bearer, ...stored].map((secret) => `${id}.${secret}`), ...stored];
  for (const [value, sent] of [...values.map((one) => [one, one]), ...stored.map((one) => [`${id}.${one}`, one])]) {
    const headers = { cookie: `tessera-${server.port}=${value}`, 'x-tessera-key': `${sent}` };
    expect((await ask(server, { path: '/api/session', headers })).status).toBe(401);
    expect((await ask(server, { path: '/', headers })).status).toBe(401);
  }
  const asBearer = { ...json, authorization: `Bearer ${token}` };
  expect(
    (await ask(server, { method: 'POST', path: '/api/control/status', headers: asBearer, body: '{}' })).status,
  ).toBe(401);
});

test('guesses at login links are slowed down, and keep nobody out who has one', async ({ server }) => {
  const guess = (token: string) =>
    ask(server, { method: 'POST', path: '/api/login', headers: json, body: JSON.stringify({ token }) });
  const answers: number[] = [];
  for (let count = 0; count < 35; count++) answers.push((await guess(`guess-number-${count}-of-many-more`)).status);
  expect([answers.slice(0, 30), answers.slice(30)].map((part) => [...new Set(part)])).toEqual([[401], [429]]);
  expect((await takeLink(server)).key).toMatch(/^[\w-]{43}$/);
});

test('S4: files with a secret are private, and the bearer of the last start opens nothing', async ({ server }) => {
  expect(statSync(instanceFile(server)).mode & 0o777).toBe(0o600);
  for (const folder of ['.', 'run', 'logs'])
    expect(statSync(path.join(server.dataDir, folder)).mode & 0o777).toBe(0o700);
  for (const file of ['tessera.db', 'logs/server.log'])
    expect(statSync(path.join(server.dataDir, file)).mode & 0o077).toBe(0);
  const client = await TesseraClient.connect(server);
  await client.createTerminal({ x: 0, y: 0 });
  client.close();
  // The versioned copy of the pty host is a program, not a secret.
  const secret = openToOthers(server.dataDir).filter((file) => !/\/pty-host\/[0-9a-f]+(\/|$)/.test(file));
  expect(secret).toEqual([]);
  const before = instanceOf(server).control;
  await server.restart();
  expect(instanceOf(server).control).not.toBe(before);
  for (const secret of [undefined, '', before, `${instanceOf(server).control}x`]) {
    const headers = { ...json, ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }) };
    expect(
      (await ask(server, { method: 'POST', path: '/api/control/stop', headers, body: '{"endSessions":true}' })).status,
    ).toBe(401);
  }
  const fromPage = { ...json, authorization: `Bearer ${instanceOf(server).control}`, origin: server.url };
  expect(
    (await ask(server, { method: 'POST', path: '/api/control/status', headers: fromPage, body: '{}' })).status,
  ).toBe(401);
});

test('S12: no secret stands in a log, an address, a Referer or a redirect', async ({ server, page }) => {
  const link = await server.loginUrl();
  const token = new URLSearchParams(new URL(link).hash.slice(1)).get('t') ?? '';
  const seen: string[] = [];
  page.on('request', (request) => seen.push(`${request.url()} ${request.headers().referer ?? ''}`));
  await page.goto(link);
  await page.waitForURL(`${server.url}/`);
  const key = (await page.evaluate(() => localStorage.getItem('tessera.key'))) ?? '';
  const cookie = (await page.context().cookies()).find(({ name }) => name === `tessera-${server.port}`);
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
  const secrets = [token, key, cookie?.value ?? '', instanceOf(server).control];
  expect(secrets.filter((secret) => secret.length < 40)).toEqual([]);
  expect(seen.filter((one) => secrets.some((secret) => one.includes(secret) && !one.startsWith(link)))).toEqual([]);
  expect(seen.filter((one) => !one.endsWith(' '))).toEqual([]);

  // Something that fails inside, with every secret in its headers: a folder that is no folder takes the upload away.
  const headers = {
    cookie: `${cookie?.name}=${cookie?.value}`,
    'x-tessera-key': key,
    'content-type': 'application/octet-stream',
    'x-tessera-upload': '1',
  };
  const client = await TesseraClient.connect(server);
  const sessionId = client.hello.sessions[0]?.record.id ?? '';
  client.close();
  writeFileSync(path.join(server.dataDir, 'uploads'), 'in the way');
  const broken = await ask(server, {
    method: 'POST',
    path: `/api/terminals/${sessionId}/files?name=${token}`,
    headers,
    body: 'x',
  });
  expect(broken.status).toBeGreaterThanOrEqual(400);
  expect(broken.body).toContain('upload-failed');
  await ask(server, {
    method: 'POST',
    path: '/api/login',
    headers: { ...json, ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ token: `${token}x` }),
  });
  for (const file of readdirSync(path.join(server.dataDir, 'logs'))) {
    const text = readFileSync(path.join(server.dataDir, 'logs', file), 'utf8');
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  }
  expect(secrets.filter((secret) => server.log.includes(secret))).toEqual([]);

  for (const target of [
    '/?next=//evil.test',
    '/login?next=https://evil.test',
    '/nothing?next=//evil.test',
    '/%5cevil.test',
  ]) {
    const reply = await ask(server, { path: target, headers: { accept: 'text/html' } });
    expect([undefined, '/login']).toContain(reply.headers.location);
  }
  for (const target of ['/login', '/', '/api/nothing']) {
    expect((await ask(server, { path: target })).headers['referrer-policy']).toBe('no-referrer');
  }
});

test('a page has a policy that lets nothing foreign in, and works under it', async ({ server, page }) => {
  const violations: string[] = [];
  page.on(
    'console',
    (message) => /content security policy|permissions-policy/i.test(message.text()) && violations.push(message.text()),
  );
  page.on('pageerror', (error) => violations.push(error.message));
  const reply = await page.goto(await server.loginUrl());
  const policy = reply?.headers()['content-security-policy'] ?? '';
  expect(policy).toMatch(/script-src 'self' 'nonce-[\w+/=]{20,}' 'wasm-unsafe-eval'/);
  for (const part of [
    "default-src 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
    "frame-src 'none'",
    "form-action 'self'",
  ]) {
    expect(policy).toContain(part);
  }
  expect(reply?.headers()).toMatchObject({
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  });
  const nonce = (text: string) => text.match(/nonce-([\w+/=]+)/)?.[1];
  const again = (await ask(server, { path: '/login' })).headers['content-security-policy'];
  expect(nonce(String(again))).not.toBe(nonce(policy));
  await page.waitForURL(`${server.url}/`);
  await page.locator('.react-flow__viewport').waitFor({ state: 'attached' });
  expect(violations).toEqual([]);
});

test('signed-in browsers are listed, and one that is revoked is out at once', async ({ server, page }) => {
  await signIn(server, page);
  const other = await TesseraClient.connect(server);
  const listed = await other.call('browsers:list', {});
  expect(listed.map(({ label, current }) => ({ label, current }))).toEqual(
    expect.arrayContaining([
      { label: expect.stringMatching(/Chrom/), current: false },
      { label: 'Browser', current: true },
    ]),
  );
  const victim = listed.find(({ current }) => !current)!;
  await other.call('browsers:revoke', { id: victim.id });
  await page.waitForURL(`${server.url}/login`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('This browser was signed out');
  await expect(page.getByText(/Your terminals keep running/)).toBeVisible();
  await expect(page.getByText('npx tessera login')).toBeVisible();
  expect((await page.request.get(`${server.url}/api/session`)).status()).toBe(401);
  expect((await other.call('browsers:list', {})).map(({ id }) => id)).not.toContain(victim.id);
  await expect(other.call('browsers:revoke', { id: victim.id })).rejects.toThrow(/not signed in any more/);
  other.close();
});

test('the settings say how another browser gets in', async ({ server, page }) => {
  await signIn(server, page);
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('tab', { name: 'Signed-in browsers' }).click();
  const how = page.getByText(/let another browser or computer in/);
  await expect(how).toContainText('npx tessera login');
  await expect(how).toContainText('within two minutes');
});

test('a browser that signs in again stays one browser, and its open tab goes on', async ({ server, page }) => {
  await signIn(server, page);
  const again = await page.context().newPage();
  await signIn(server, again);
  const client = await TesseraClient.connect(server);
  const browsers = await client.call('browsers:list', {});
  expect(browsers.filter(({ current }) => !current)).toHaveLength(1);
  await page.reload();
  await page.locator('.react-flow__viewport').waitFor({ state: 'attached' });
  client.close();
});

test('the file that opens a browser is private, works once and goes away', async ({ server, page }) => {
  const headers = { ...json, authorization: `Bearer ${instanceOf(server).control}` };
  const reply = await ask(server, { method: 'POST', path: '/api/control/redirect-file', headers, body: '{}' });
  const { file } = JSON.parse(reply.body) as { file: string };
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await page.goto(`file://${file}`);
  await page.waitForURL(`${server.url}/`);
  await until('the file to be removed', () => !existsSync(file));
});

test('axe finds nothing on the pages round the canvas, in light and in dark', async ({ server, page, browser }) => {
  await signIn(server, page);
  const fresh = await (await browser.newContext()).newPage();
  for (const [where, target, heading] of [
    [fresh, '/login', 'This browser is not signed in'],
    [page, '/no/such/page', 'There is nothing here'],
  ] as const) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await where.emulateMedia({ colorScheme });
      await where.goto(`${server.url}${target}`);
      await expect(where.getByRole('heading', { level: 1 })).toHaveText(heading);
      const { violations } = await new AxeBuilder({ page: where }).analyze();
      expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
    }
  }
  await fresh.context().close();
});

test('the login page speaks Russian to a Russian browser', async ({ server, browser }) => {
  const page = await (await browser.newContext({ locale: 'ru-RU' })).newPage();
  await page.goto(`${server.url}/login`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('В этом браузере вход не выполнен');
  await expect(page.locator('html')).toHaveAttribute('lang', 'ru');
  await page.context().close();
});
