import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { TesseraClient, takeLink } from '../support/client';
import { readJournal } from '../support/journal';
import type { TesseraServer } from '../support/server';
import { firstTerminal, terminalLines, typeInto, untilText } from '../support/terminal';
import { until } from '../support/until';
import { type Drill, pageFor, serverFor } from './drill';

const root = process.env.TESSERA_ROOT ?? process.cwd();
const FLOOD_MB_PER_SECOND = 6;
/** A kill comes this long after the server was up, at the most: in the middle of whatever it does then. */
const KILL_WITHIN_MS = 600;

/** End of the program's own copy that the page's lines are looked for in. */
const KEPT_TAIL_BYTES = 16 * 2 ** 20;

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

interface Scene {
  server: TesseraServer;
  page: Page;
  terminal: string;
  times: number;
  say(text: string): void;
}

export interface Found {
  kills: number;
  floodBytes: number;
  journalBytes: number;
  viewerLines: number;
}

/**
 * Kills the server again and again while a program prints, then compares three accounts of what it printed: its own
 * copy made by tee, the journal, and the lines of a page that was open all the time. Throws at the first difference.
 */
export async function killUnderFlood({ server, page, terminal, times, say }: Scene): Promise<Found> {
  const copy = path.join(server.base, 'flood.copy');
  const stop = path.join(server.base, 'flood.stop');
  const credentials = await takeLink(server);
  const [before] = await sessionsOf(server, credentials);
  if (!before?.info?.pid) throw new Error('The first terminal does not run');

  const flood = `${process.execPath} ${path.join(root, 'e2e/support/flood.mjs')} ${stop} ${FLOOD_MB_PER_SECOND}`;
  await typeInto(page, terminal, `stty -onlcr; ${flood} | tee ${copy}; stty onlcr; echo flood-''over\n`);
  const base = await until('the flood in the journal', () => {
    const start = readFileSync(copy).subarray(0, 256);
    const { from, bytes } = readJournal(server.dataDir, before.record.id);
    const at = start.length < 256 ? -1 : bytes.indexOf(start);
    return at < 0 ? undefined : { offset: from + at };
  });

  for (let kill = 1; kill <= times; kill++) {
    await new Promise((done) => setTimeout(done, (kill * 197) % KILL_WITHIN_MS));
    await server.kill9();
    await server.start();
    const now = (await sessionsOf(server, credentials)).find(({ record }) => record.id === before.record.id);
    if (now?.info?.state !== 'running' || now.info.pid !== before.info.pid) {
      throw new Error(`After kill ${kill} the session is ${JSON.stringify(now?.info ?? null)}`);
    }
    if (kill % 10 === 0 || kill === times) say(`${kill} kills, ${Math.round(statSync(copy).size / 1e6)} MB printed`);
  }

  writeFileSync(stop, '');
  await untilText(page, terminal, /^flood-over$/m, 60_000);
  const printed = readFileSync(copy);
  const journal = await until(
    'the end of the flood in the journal',
    () => {
      const kept = readJournal(server.dataDir, before.record.id);
      return kept.bytes.includes('flood-over\r\n') ? kept : undefined;
    },
    { timeoutMs: 15_000 },
  );

  // The bytes [a, b) that both have.
  const a = Math.max(journal.from, base.offset);
  const b = base.offset + printed.length;
  const fromJournal = journal.bytes.subarray(a - journal.from, b - journal.from);
  const fromCopy = printed.subarray(a - base.offset);
  if (b <= a || sha256(fromJournal) !== sha256(fromCopy)) {
    throw new Error(
      `The journal's bytes [${a}, ${b}) differ from the program's own copy ${describeDifference(fromJournal, fromCopy)}`,
    );
  }

  // The page holds far less than this; a whole copy would be longer than a string can be.
  const wanted = printed
    .subarray(-KEPT_TAIL_BYTES)
    .toString('utf8')
    .replaceAll(/\x1b\[\d*m/g, '')
    .split('\r\n')
    .slice(0, -1);
  const shown = (await terminalLines(page, terminal)).filter((line) => /^#\d{8} /.test(line));
  const tail = wanted.slice(-shown.length);
  const wrong = shown.findIndex((line, index) => line !== tail[index]?.trimEnd());
  if (shown.length < Math.min(1000, wanted.length))
    throw new Error(`The page has only ${shown.length} of ${wanted.length} lines`);
  if (wrong >= 0) throw new Error(`Line ${wrong} of the page is "${shown[wrong]}" and should be "${tail[wrong]}"`);
  return { kills: times, floodBytes: printed.length, journalBytes: fromJournal.length, viewerLines: shown.length };
}

function describeDifference(one: Buffer, other: Buffer): string {
  const length = Math.min(one.length, other.length);
  let at = 0;
  while (at < length && one[at] === other[at]) at++;
  const near = (bytes: Buffer) => JSON.stringify(bytes.subarray(Math.max(0, at - 40), at + 40).toString('latin1'));
  return `(${one.length} and ${other.length} bytes; from ${at}: ${near(one)} and ${near(other)})`;
}

async function sessionsOf(server: TesseraServer, credentials: Awaited<ReturnType<typeof takeLink>>) {
  // The server answers before it has adopted the pty host; what counts is what it says then.
  return until(
    'the sessions of the server',
    async () => {
      const client = await TesseraClient.connect(server, credentials);
      try {
        const { sessions, ptyHost } = client.hello;
        return ptyHost.state === 'connected' && sessions.every(({ info }) => info) ? sessions : undefined;
      } finally {
        client.close();
      }
    },
    { timeoutMs: 15_000 },
  );
}

export const killServer: Drill = {
  name: 'kill-server',
  title: 'kill -9 of the server under a flood: no session ends, no byte is lost or doubled',
  async run(tools) {
    const server = await serverFor(tools);
    const { page } = await pageFor(tools, server);
    const found = await killUnderFlood({
      server,
      page,
      terminal: await firstTerminal(page),
      times: tools.times(50),
      say: tools.say,
    });
    const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
    return `${found.kills} kills while ${mb(found.floodBytes)} were printed; ${mb(found.journalBytes)} of the journal equal the program's own copy, ${found.viewerLines} lines of the page are its tail`;
  },
};
