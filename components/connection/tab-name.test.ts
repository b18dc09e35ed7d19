// @vitest-environment jsdom
import { beforeEach, expect, it, vi } from 'vitest';

/** A page of the tab: every load runs the module anew. */
async function load(): Promise<string> {
  vi.resetModules();
  return (await import('./tab-name')).tabName();
}
const leave = () => window.dispatchEvent(new Event('pagehide'));

beforeEach(() => sessionStorage.clear());

it('is the same over a reload, and within a page', async () => {
  const name = await load();
  const { tabName } = await import('./tab-name');
  expect(tabName()).toBe(name);
  leave();
  expect(await load()).toBe(name);
});

it('is another one in a tab that was duplicated, which has a copy of the storage', async () => {
  const name = await load();
  expect(await load()).not.toBe(name);
});

it('is made anew where the storage holds what is no name', async () => {
  sessionStorage.setItem('tessera.tab', 'a b');
  expect(await load()).toMatch(/^[\w-]{6,40}$/);
});
