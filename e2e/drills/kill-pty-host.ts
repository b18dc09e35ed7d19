import { TesseraClient } from '../support/client';
import { readJournal } from '../support/journal';
import { isAlive, signal } from '../support/processes';
import { card, firstTerminal, run, terminalLines, typeInto, untilText } from '../support/terminal';
import { until } from '../support/until';
import { type Drill, pageFor, serverFor } from './drill';

export const killPtyHost: Drill = {
  name: 'kill-pty-host',
  title: 'kill -9 of the pty host: the server lives, the card shows its last screen and starts again',
  async run(tools) {
    const server = await serverFor(tools);
    const { page } = await pageFor(tools, server);
    const terminal = await firstTerminal(page);
    await run(page, terminal, 'seq 1 3000');
    await until('the lines in the page', async () => (await terminalLines(page, terminal)).includes('3000'));
    const host = server.ptyHostPid();
    if (!host) throw new Error('There is no pty host');
    const serverPid = server.pid;
    // What it printed last is on disk within the journal's own delay.
    const client = await TesseraClient.connect(server);
    tools.atEnd(() => client.close());
    const sessionId = client.hello.sessions[0]?.record.id ?? '';
    await until('the journal to have it', () => readJournal(server.dataDir, sessionId).bytes.includes('\n3000\r\n'));
    signal(host, 'SIGKILL');

    const restart = card(page, terminal).getByRole('button', { name: /restart|start again/i });
    await restart.first().waitFor({ timeout: 15_000 });
    if (server.pid !== serverPid || !isAlive(serverPid)) throw new Error('The server ended too');
    const kept = (await terminalLines(page, terminal)).filter((line) => /^\d+$/.test(line)).map(Number);
    const expected = Array.from({ length: 3000 }, (_, index) => index + 1);
    if (kept.join() !== expected.join())
      throw new Error(`The card shows ${kept.length} of 3000 lines after the pty host died`);

    await page.reload();
    await untilText(page, terminal, /^3000$/m);
    await restart.first().click();
    await until('another pty host', () => server.ptyHostPid() !== host && server.ptyHostPid());
    await typeInto(page, terminal, "echo alive-''again\n");
    await untilText(page, terminal, /^alive-again$/m);
    return 'all 3,000 lines stayed readable, also after a reload, and the card started again under the same id';
  },
};
