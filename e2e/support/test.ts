import { test as base, type Page } from '@playwright/test';
import { type ServerOptions, startServer, type TesseraServer } from './server';

export { expect } from '@playwright/test';

interface Fixtures {
  /** How this file's or block's servers start: `test.use({ serverOptions: { … } })`. */
  serverOptions: ServerOptions;
  /** A running server of this test's own; ended with everything that it started. */
  server: TesseraServer;
  /** A page that is signed in and shows the canvas, with its first terminal. */
  canvas: Page;
}

/** Playwright's test with a server and a signed-in page. What the server printed is attached when a test fails. */
export const test = base.extend<Fixtures>({
  serverOptions: [{}, { option: true }],
  server: async ({ serverOptions }, use, testInfo) => {
    const server = await startServer(serverOptions);
    try {
      await use(server);
    } finally {
      if (testInfo.status !== testInfo.expectedStatus) await testInfo.attach('server.log', { body: server.log });
      await server.dispose();
    }
  },
  canvas: async ({ server, page }, use) => {
    await signIn(server, page);
    await use(page);
  },
});

/** Follows a fresh login link and waits until the canvas is there. */
export async function signIn(server: TesseraServer, page: Page): Promise<Page> {
  await page.goto(await server.loginUrl());
  await page.locator('.react-flow__viewport').waitFor({ state: 'attached' });
  return page;
}
