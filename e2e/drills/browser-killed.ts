import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from '@playwright/test';
import { chromiumArgs, chromiumPath } from '../support/chromium';
import { isAlive, processesOf, residentBytes, signal } from '../support/processes';
import { firstTerminal, terminalLines, typeInto, untilText } from '../support/terminal';
import { signIn } from '../support/test';
import { until } from '../support/until';
import { type Drill, pageFor, serverFor } from './drill';

const root = process.env.TESSERA_ROOT ?? process.cwd();
/** What the server and the pty host may grow by while nobody reads. */
const MAY_GROW_BYTES = 64 * 2 ** 20;

export const browserKilled: Drill = {
  name: 'browser-killed',
  title: 'kill -9 of the browser under a flood: the program goes on, memory stays, the next browser sees all',
  async run(tools) {
    const server = await serverFor(tools);
    const home = mkdtempSync(path.join(tmpdir(), 'tess-browser-'));
    tools.atEnd(() => rmSync(home, { recursive: true, force: true }));
    const doomed = await chromium.launch({
      executablePath: chromiumPath(),
      args: chromiumArgs,
      env: { ...server.env, HOME: home } as Record<string, string>,
    });
    const page = await signIn(server, await doomed.newPage());
    const terminal = await firstTerminal(page);
    const stop = path.join(server.base, 'stop');
    await typeInto(
      page,
      terminal,
      `stty -onlcr; ${process.execPath} ${root}/e2e/support/flood.mjs ${stop} 20; stty onlcr; echo flood-''over\n`,
    );
    await untilText(page, terminal, /^#00001000 /m);
    const before = server.residentBytes();
    for (const { pid } of processesOf(home)) signal(pid, 'SIGKILL');
    await until('the browser to be gone', () => processesOf(home).length === 0);
    await new Promise((done) => setTimeout(done, 5_000));
    if (!isAlive(server.pid)) throw new Error('The server ended with the browser');
    const after = server.residentBytes();
    const grown = { server: after.server - before.server, ptyHost: after.ptyHost - before.ptyHost };
    if (Math.max(grown.server, grown.ptyHost) > MAY_GROW_BYTES)
      throw new Error(`Memory grew by ${JSON.stringify(grown)} bytes while nobody read`);
    writeFileSync(stop, '');
    residentBytes(server.pid);

    const { page: next } = await pageFor(tools, server);
    await untilText(next, terminal, /^flood-over$/m);
    const numbers = (await terminalLines(next, terminal))
      .map((line) => line.match(/^#(\d{8}) /)?.[1])
      .filter((one) => one !== undefined)
      .map(Number);
    const gap = numbers.findIndex((number, index) => index > 0 && number !== (numbers[index - 1] as number) + 1);
    if (gap >= 0) throw new Error(`Line ${numbers[gap]} follows ${numbers[gap - 1]}`);
    if (numbers.length < 900) throw new Error(`The next browser sees only ${numbers.length} lines`);
    return `the next browser sees ${numbers.length} lines in order; memory grew by ${Math.round(grown.server / 2 ** 20)} MB (server) and ${Math.round(grown.ptyHost / 2 ** 20)} MB (pty host) in 5 s of flood`;
  },
};
