import { defineConfig } from '@playwright/test';
import { chromiumArgs, chromiumPath } from './e2e/support/chromium';

/** Runs side by side keep their results apart; the workers inherit the name from the first process. */
process.env.TESSERA_E2E_RUN ??= String(process.pid);
const run = process.env.TESSERA_E2E_RUN;

/** Stories: a real server, a real Chromium, real shells. They run on what `npm run build` made. */
export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  outputDir: `test-results/e2e-${run}`,
  fullyParallel: false,
  // A story owns a server, a browser page and shells; more than one of them at a time only makes two cores slower.
  workers: 1,
  // In CI a story that fails is told once more, on a fresh server; the report then names it flaky, it does not hide it.
  retries: process.env.CI ? 1 : 0,
  forbidOnly: Boolean(process.env.CI),
  timeout: 60_000,
  globalTimeout: process.env.CI ? 45 * 60_000 : 0,
  expect: { timeout: 10_000 },
  reporter: [['list'], ['json', { outputFile: `test-results/e2e-${run}.json` }]],
  use: {
    browserName: 'chromium',
    headless: true,
    viewport: { width: 1600, height: 900 },
    actionTimeout: 10_000,
    navigationTimeout: 20_000,
    screenshot: 'only-on-failure',
    trace: 'retain-on-failure',
    launchOptions: { executablePath: chromiumPath(), args: chromiumArgs },
  },
});
