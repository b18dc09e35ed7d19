import { TesseraClient } from '../support/client';
import { openFiles } from '../support/processes';
import type { TesseraServer } from '../support/server';
import { until } from '../support/until';
import { type Drill, serverFor } from './drill';

/** Memory that a second round may add to the first, over server and pty host. */
const MAY_GROW_BYTES = 24 * 2 ** 20;
const PER_ROW = 10;

interface Footprint {
  processes: number;
  files: number;
  bytes: number;
}

function footprint(server: TesseraServer): Footprint {
  const host = server.ptyHostPid();
  if (!host) throw new Error('There is no pty host');
  const { server: own, ptyHost } = server.residentBytes();
  return { processes: server.processes().length, files: openFiles(server.pid) + openFiles(host), bytes: own + ptyHost };
}

export const openClose: Drill = {
  name: 'open-close',
  title: 'a hundred terminals opened and closed, twice: no process, file or memory stays behind',
  async run(tools) {
    const server = await serverFor(tools);
    const client = await TesseraClient.connect(server);
    tools.atEnd(() => client.close());
    // One stays, so that the pty host stays.
    await client.createTerminal({ x: -1000, y: 0 });
    const idle = await until('the first shell', () => (server.processes().length >= 3 ? footprint(server) : undefined));
    const count = tools.times(100);

    const round = async (): Promise<Footprint> => {
      const made = [];
      for (let index = 0; index < count; index++) {
        made.push(await client.createTerminal({ x: (index % PER_ROW) * 720, y: Math.floor(index / PER_ROW) * 450 }));
      }
      await until(`${count} shells`, () => server.processes().length >= idle.processes + count, { timeoutMs: 30_000 });
      const open = footprint(server);
      tools.say(`${count} open: ${open.files} files, ${Math.round(open.bytes / 2 ** 20)} MB in server and pty host`);
      for (const { session } of made) {
        const { survivors } = await client.call('terminal:close', { sessionId: session.record.id });
        if (survivors.length > 0) throw new Error(`Survivors: ${JSON.stringify(survivors)}`);
      }
      return until(
        'all of them to be gone',
        () => {
          const now = footprint(server);
          return now.processes <= idle.processes && now.files <= idle.files + 2 ? now : undefined;
        },
        { timeoutMs: 20_000, last: () => ({ idle, now: footprint(server), processes: server.processes() }) },
      );
    };

    const first = await round();
    const second = await round();
    const grown = second.bytes - first.bytes;
    if (grown > MAY_GROW_BYTES)
      throw new Error(`Memory grew by ${Math.round(grown / 2 ** 20)} MB from the first round to the second`);
    return `${idle.files} files before, ${second.files} after; ${Math.round(first.bytes / 2 ** 20)} MB after the first round, ${Math.round(second.bytes / 2 ** 20)} MB after the second`;
  },
};
