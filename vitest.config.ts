import { defineConfig } from 'vitest/config';

/** Unit tests stand beside their files; a file that needs a DOM says `// @vitest-environment jsdom` at its top. */
export default defineConfig({
  resolve: { alias: { '@': import.meta.dirname } },
  oxc: { jsx: { runtime: 'automatic' } },
  test: {
    environment: 'node',
    include: ['{schemas,server,components,app,e2e,bench,scripts,docs}/**/*.test.{ts,tsx}'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/.next/**'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // Tests that own a process or a directory must not meet each other's through shared globals.
    pool: 'forks',
    maxWorkers: process.env.CI ? 2 : undefined,
    retry: process.env.CI ? 1 : 0,
    passWithNoTests: false,
    allowOnly: !process.env.CI,
  },
});
