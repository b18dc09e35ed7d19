import type { CDPSession, Page } from '@playwright/test';
import { TesseraClient } from '../support/client';
import type { TesseraServer } from '../support/server';
import { card, firstTerminal, terminalIds } from '../support/terminal';
import { until } from '../support/until';
import { type Drill, pageFor, serverFor } from './drill';

/** What a mounted and unmounted card may leave, on the average: caches that fill, never the card itself. */
const MAY_LEAVE = { bytes: 20_000, nodes: 8, listeners: 2 };

/** What the first few fill: code, fonts, caches. */
const WARM_UP = 10;

async function inPage(cdp: CDPSession): Promise<{ bytes: number; nodes: number; listeners: number }> {
  // Twice: the first collection runs finalisers that free more.
  for (let round = 0; round < 2; round++) await cdp.send('HeapProfiler.collectGarbage');
  const { metrics } = await cdp.send('Performance.getMetrics');
  const value = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
  return { bytes: value('JSHeapUsedSize'), nodes: value('Nodes'), listeners: value('JSEventListeners') };
}

/**
 * Mounts and unmounts a terminal card, again and again, and gives what each left in the page on the average. Throws when
 * that is more than caches explain.
 */
export async function mountAgainAndAgain({
  server,
  page,
  times,
  say,
}: {
  server: TesseraServer;
  page: Page;
  times: number;
  say(text: string): void;
}): Promise<{ bytes: number; nodes: number; listeners: number }> {
  const client = await TesseraClient.connect(server);
  try {
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Performance.enable');
    const once = async () => {
      const { item, session } = await client.createTerminal({ x: 0, y: 0 });
      await card(page, item.id).locator('.xterm-rows').waitFor({ state: 'attached' });
      await client.call('terminal:close', { sessionId: session.record.id });
      await until('the card to go', async () => !(await terminalIds(page)).includes(item.id));
    };
    for (let index = 0; index < WARM_UP; index++) await once();
    const before = await inPage(cdp);
    for (let index = 0; index < times; index++) {
      await once();
      if ((index + 1) % 50 === 0) say(`${index + 1} times: ${JSON.stringify(await inPage(cdp))}`);
    }
    const after = await inPage(cdp);
    const each = {
      bytes: (after.bytes - before.bytes) / times,
      nodes: (after.nodes - before.nodes) / times,
      listeners: (after.listeners - before.listeners) / times,
    };
    for (const key of ['bytes', 'nodes', 'listeners'] as const) {
      if (each[key] > MAY_LEAVE[key]) {
        throw new Error(`Each mount leaves ${each[key].toFixed(1)} ${key} (${JSON.stringify({ before, after })})`);
      }
    }
    return each;
  } finally {
    client.close();
  }
}

export const mountUnmount: Drill = {
  name: 'mount-unmount',
  title: 'a terminal card mounted and unmounted two hundred times: nothing stays in the page',
  async run(tools) {
    const server = await serverFor(tools);
    const { page } = await pageFor(tools, server);
    await firstTerminal(page);
    const times = tools.times(200);
    const each = await mountAgainAndAgain({ server, page, times, say: tools.say });
    return `${times} times; each left ${Math.round(each.bytes)} bytes, ${each.nodes.toFixed(2)} nodes, ${each.listeners.toFixed(2)} listeners on the average`;
  },
};
