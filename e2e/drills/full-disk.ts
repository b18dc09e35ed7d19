import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { TesseraClient } from '../support/client';
import { TesseraServer } from '../support/server';
import { firstTerminal, openTerminal, run } from '../support/terminal';
import { until } from '../support/until';
import { type Drill, pageFor } from './drill';

export const fullDisk: Drill = {
  name: 'full-disk',
  title: 'the disk of the journals is full: the card says so, every terminal goes on',
  async run(tools) {
    if (process.getuid?.() !== 0 || process.platform !== 'linux')
      return { skipped: 'a small disk can only be mounted by root on Linux' };
    const server = new TesseraServer();
    tools.atEnd(() => server.dispose());
    const scrollback = path.join(server.dataDir, 'scrollback');
    mkdirSync(scrollback, { recursive: true, mode: 0o700 });
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=0700', 'tessera-drill', scrollback], { stdio: 'pipe' });
    } catch (error) {
      return {
        skipped: `a small disk could not be mounted: ${String((error as { stderr?: Buffer }).stderr ?? error).trim()}`,
      };
    }
    tools.atEnd(() => execFileSync('umount', ['-l', scrollback]));
    await server.start();
    const { page } = await pageFor(tools, server);
    const first = await firstTerminal(page);
    const lines = await run(page, first, 'seq 1 400000', 60_000);
    if (!lines.includes('400000')) throw new Error('The terminal lost its output');

    const client = await TesseraClient.connect(server);
    tools.atEnd(() => client.close());
    const journal = await until('the journal to be reported', async () => {
      const probe = await TesseraClient.connect(server, client.credentials);
      try {
        const found = probe.hello.sessions.find(({ info }) => info?.journal.state === 'failed')?.info?.journal;
        return found;
      } finally {
        probe.close();
      }
    });
    await page
      .getByText(/(no space|disk is full|not kept on disk)/i)
      .first()
      .waitFor();
    const second = await openTerminal(page);
    await run(page, second, 'echo still-here');
    await run(page, first, 'echo here-too');
    return `the card says "${journal.reason}", and both terminals go on`;
  },
};
