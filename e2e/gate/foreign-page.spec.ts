import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Page } from '@playwright/test';
import {
  expect,
  firstTerminal,
  TesseraClient,
  type TesseraServer,
  takeLink,
  terminalText,
  test,
  until,
} from '../support';
import { instanceOf, type RouteInfo, routesOf } from './raw';

/** A page on another local port, as any program of this machine or any tutorial could serve. */
async function serveForeignPage(): Promise<{ origin: string; close: () => void }> {
  const server: Server = createServer((_request, response) =>
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>elsewhere</title><body></body>'),
  );
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

const pathOf = ({ path, kind }: RouteInfo) => (kind === 'files' ? `${path}x.js` : path.replaceAll(/:\w+/g, 'abcdefgh'));

/**
 * Every answer that our server gave to the browser while `act` ran, also those that the browser keeps from the page,
 * as "status method path". Waits until each question of the page has one or failed without any.
 */
async function answersTo(server: TesseraServer, page: Page, act: () => Promise<unknown>): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const asked = new Map<string, string>();
  const answered = new Map<string, number>();
  const failed = new Set<string>();
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    const url = new URL(request.url);
    if (url.port === String(server.port)) asked.set(requestId, `${request.method} ${url.pathname}`);
  });
  session.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode }) => answered.set(requestId, statusCode));
  session.on('Network.loadingFailed', ({ requestId }) => failed.add(requestId));
  await session.send('Network.enable');
  await act();
  await until('an answer to everything', () => [...asked.keys()].every((id) => answered.has(id) || failed.has(id)), {
    last: () => [...asked].filter(([id]) => !answered.has(id) && !failed.has(id)).map(([, what]) => what),
  });
  await session.detach();
  return [...asked].flatMap(([id, what]) => (answered.has(id) ? [`${answered.get(id)} ${what}`] : []));
}

/** Signs a browser in with both secrets, then leaves it on a page of another local port. */
async function victimOn(server: TesseraServer, page: Page, origin: string): Promise<RouteInfo[]> {
  const { cookie, key } = await takeLink(server);
  const [name = '', value = ''] = cookie.split(/=(.*)/s);
  await page.context().addCookies(
    ['127.0.0.1', 'localhost'].map((domain) => ({
      name,
      value,
      domain,
      path: '/',
      httpOnly: true,
      sameSite: 'Strict' as const,
    })),
  );
  // An empty page of our origin: the real ones go elsewhere by themselves, as there is no key yet or there is one now.
  const empty = `${server.url}/empty-page-of-the-test`;
  await page.route(empty, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
  await page.goto(empty);
  await page.evaluate((secret) => localStorage.setItem('tessera.key', secret), key);
  await page.unroute(empty);
  expect((await page.request.get(`${server.url}/`)).status()).toBe(200);
  await page.goto(origin);
  expect(await page.evaluate(() => location.origin)).toBe(origin);
  return routesOf(server);
}

test('S1, S5: fetch of another local port’s page reaches nothing, by whatever name', async ({ server, page }) => {
  const foreign = await serveForeignPage();
  try {
    const routes = await victimOn(server, page, foreign.origin);
    const hosts = ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0'];
    const targets = hosts.flatMap((host) =>
      routes.map((route) => ({ url: `http://${host}:${server.port}${pathOf(route)}`, method: route.method })),
    );
    const readable: string[] = [];
    const answers = await answersTo(server, page, async () => {
      readable.push(
        ...(await page.evaluate(async (all) => {
          const read: string[] = [];
          const attempt = async (url: string, init: RequestInit) => {
            try {
              const response = await fetch(url, { credentials: 'include', ...init });
              if (response.type !== 'opaque') read.push(`${init.method} ${url} ${response.status}`);
            } catch {
              // The browser kept the answer from the page, as it shall.
            }
          };
          for (const { url, method } of all) {
            await attempt(url, { method, mode: 'no-cors' });
            await attempt(url, { method, mode: 'cors' });
            if (method === 'POST')
              await attempt(url, { method, mode: 'no-cors', headers: { 'Content-Type': 'text/plain' }, body: '{}' });
            if (method === 'POST')
              await attempt(url, { method, headers: { 'Content-Type': 'application/json' }, body: '{}' });
          }
          return read;
        }, targets)),
      );
    });
    expect(readable).toEqual([]);
    expect(answers.length).toBeGreaterThan(routes.length);
    expect(answers.filter((answer) => !/^(403|405) /.test(answer))).toEqual([]);
  } finally {
    foreign.close();
  }
});

test('S21: forms and beacons of another local port’s page write nothing, and use up no login link', async ({
  server,
  page,
}) => {
  const foreign = await serveForeignPage();
  try {
    const routes = (await victimOn(server, page, foreign.origin)).filter(({ method }) => method === 'POST');
    const link = new URL(await server.loginUrl());
    const token = new URLSearchParams(link.hash.slice(1)).get('t');
    for (const route of routes) {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
        await page.goto(foreign.origin);
        const [response] = await Promise.all([
          page.waitForResponse((answer) => new URL(answer.url()).port === String(server.port)),
          page.waitForURL(`${server.url}${pathOf(route)}`),
          page.evaluate(
            ([action, enctype, text]) => {
              const form = document.createElement('form');
              Object.assign(form, { method: 'POST', action, enctype });
              const field = document.createElement('input');
              // With text/plain this makes a body that reads as JSON.
              Object.assign(field, { name: `{"token":"${text}","x":"`, value: '"}' });
              form.append(field);
              document.body.append(form);
              form.submit();
            },
            [`${server.url}${pathOf(route)}`, type, token] as const,
          ),
        ]);
        expect([403, 415], `${type} to ${route.path}`).toContain(response.status());
      }
    }
    await page.goto(foreign.origin);
    const answers = await answersTo(server, page, async () => {
      const count = await page.evaluate(
        (urls) => urls.filter((url) => navigator.sendBeacon(url, new Blob(['{}'], { type: 'text/plain' }))).length,
        routes.map((route) => `${server.url}${pathOf(route)}`),
      );
      expect(count).toBe(routes.length);
    });
    expect(answers.filter((answer) => !/^(403|415) /.test(answer))).toEqual([]);
    expect(instanceOf(server).pid).toBe(server.pid);
    await page.goto(link.href);
    await page.waitForURL(`${server.url}/`);
  } finally {
    foreign.close();
  }
});

test('S5: a WebSocket of another local port’s page is closed before it opens, with our cookies too', async ({
  server,
  page,
}) => {
  const foreign = await serveForeignPage();
  try {
    await victimOn(server, page, foreign.origin);
    const opened = await page.evaluate(async (port) => {
      const attempt = (host: string, path: string) =>
        new Promise<string>((done) => {
          const socket = new WebSocket(`ws://${host}:${port}${path}`);
          socket.onopen = () => done(`opened ${host}${path}`);
          socket.onerror = () => done('');
        });
      const results: string[] = [];
      for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
        for (const path of [
          '/socket/?EIO=4&transport=websocket',
          '/',
          '/socket.io/?EIO=4&transport=websocket',
          '/_next/webpack-hmr',
        ]) {
          results.push(await attempt(host, path));
        }
      }
      return results.filter(Boolean);
    }, server.port);
    expect(opened).toEqual([]);
  } finally {
    foreign.close();
  }
});

test('S1: another local port’s page can neither frame, embed nor load anything of ours', async ({ server, page }) => {
  const foreign = await serveForeignPage();
  try {
    const routes = (await victimOn(server, page, foreign.origin)).filter(({ method }) => method === 'GET');
    const script = await (await page.request.get(`${server.url}/login`)).text();
    const file = script.match(/\/_next\/static\/[^"]+\.js/)?.[0];
    expect(file).toBeTruthy();
    const urls = [...routes.map((route) => `${server.url}${pathOf(route)}`), `${server.url}${file}`];
    const answers = await answersTo(server, page, async () => {
      await page.evaluate(async (all) => {
        const settled = (element: HTMLElement, attach: () => void) =>
          new Promise<void>((done) => {
            element.onload = () => done();
            element.onerror = () => done();
            attach();
          });
        for (const url of all) {
          for (const kind of ['iframe', 'img', 'script'] as const) {
            const element = document.createElement(kind);
            await settled(element, () => {
              element.setAttribute('src', url);
              document.body.append(element);
            });
          }
        }
      }, urls);
    });
    expect(answers.length).toBeGreaterThanOrEqual(urls.length * 2);
    expect(answers.filter((answer) => !answer.startsWith('403 '))).toEqual([]);
    const texts = await Promise.all(
      page
        .frames()
        .slice(1)
        .map((frame) => frame.evaluate(() => document.body?.textContent ?? '').catch(() => '')),
    );
    expect(texts.filter((text) => text.includes('Tessera') && !text.includes('may not'))).toEqual([]);
  } finally {
    foreign.close();
  }
});

test('S24: a link of another page leads to a question, and nothing of its address is done', async ({
  server,
  page,
}) => {
  const foreign = await serveForeignPage();
  try {
    await victimOn(server, page, foreign.origin);
    for (const target of ['/?cmd=touch%20/tmp/x', '/?folder=--flag#do-it', '/login/../?x=1']) {
      await page.goto(foreign.origin);
      await page.evaluate((url) => {
        const link = document.createElement('a');
        link.href = url;
        document.body.append(link);
        link.click();
      }, `${server.url}${target}`);
      const heading = page.getByRole('heading', { level: 1 });
      await expect(heading).toHaveText('Another page led you here');
      await page.getByRole('link', { name: 'Go to the canvas' }).click();
      await page.waitForURL(`${server.url}/`);
    }
    await until(
      'the question to be left behind',
      async () => !(await page.getByText('Another page led you here').isVisible()),
    );
  } finally {
    foreign.close();
  }
});

test('S24: an address that a person opens does nothing either, whatever stands in it', async ({
  canvas: page,
  server,
}) => {
  const id = await firstTerminal(page);
  const text = await terminalText(page, id);
  const made = path.join(server.base, 'made-by-an-address');
  const state = async () => {
    const client = await TesseraClient.connect(server);
    const { sessions, projects, canvases, settings } = client.hello;
    client.close();
    return { sessions: sessions.map(({ record }) => record.id), projects, canvases, settings };
  };
  const before = await state();
  const run = encodeURIComponent(`touch ${made}\n`);
  for (const address of [
    `/?cmd=${run}&command=${run}&input=${run}`,
    `/?folder=--flag&project=${encodeURIComponent(server.base)}&canvas=../x#${run}`,
    '/?palette=night&locale=ru#settings',
  ]) {
    await page.goto(`${server.url}${address}`);
    await firstTerminal(page);
    expect(await terminalText(page, id), address).toBe(text);
    expect(await state(), address).toEqual(before);
  }
  expect(existsSync(made)).toBe(false);
});
