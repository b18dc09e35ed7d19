import { parseArgs } from 'node:util';
import { browserKilled } from './browser-killed';
import type { Drill } from './drill';
import { fullDisk } from './full-disk';
import { killPtyHost } from './kill-pty-host';
import { killServer } from './kill-server';
import { mountUnmount } from './mount-unmount';
import { openClose } from './open-close';

const drills: Drill[] = [killServer, killPtyHost, fullDisk, browserKilled, openClose, mountUnmount];

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    times: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const names = drills.map(({ name }) => name);
if (flags.help) {
  console.log(`npm run drill -- [--only ${names.join('|')}]… [--times N]`);
  process.exit(0);
}
const only = flags.only?.flatMap((one) => one.split(','));
const unknown = only?.filter((name) => !names.includes(name)) ?? [];
if (unknown.length > 0) {
  console.error(`There is no drill "${unknown.join('", "')}"; there are ${names.join(', ')}.`);
  process.exit(2);
}

/** What the drill that runs now has to end, newest first. */
let undoing: (() => unknown)[] = [];
async function undoAll(): Promise<void> {
  for (const undo of undoing.splice(0).reverse()) {
    try {
      await undo();
    } catch (error) {
      console.error(`  could not clean up: ${error instanceof Error ? error.message : error}`);
      process.exitCode = 1;
    }
  }
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void undoAll().then(() => process.exit(1)));
}

let failed = 0;
for (const drill of drills.filter(({ name }) => !only || only.includes(name))) {
  undoing = [];
  console.log(`${drill.name}: ${drill.title}`);
  const began = performance.now();
  let line: string;
  try {
    const seen = await drill.run({
      times: (usual) => (flags.times ? Number(flags.times) : usual),
      say: (text) => console.log(`  … ${text}`),
      atEnd: (undo) => undoing.push(undo),
    });
    line = typeof seen === 'string' ? `PASS ${drill.name}: ${seen}` : `SKIP ${drill.name}: ${seen.skipped}`;
  } catch (error) {
    failed++;
    line = `FAIL ${drill.name}: ${error instanceof Error ? error.message : error}`;
  } finally {
    await undoAll();
  }
  console.log(`${line} (${((performance.now() - began) / 1000).toFixed(0)} s)\n`);
}
process.exit(failed > 0 ? 1 : (process.exitCode ?? 0));
