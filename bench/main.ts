import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildLog } from './build-log';
import { describeMachine } from './machine';
import { measures, type Plan } from './measures';
import { report, type Sample, table } from './report';
import { floor, tessera } from './subjects';

const root = process.env.TESSERA_ROOT ?? process.cwd();
const DEFAULT_REPETITIONS = 3;

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    subject: { type: 'string' },
    reps: { type: 'string' },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const names = measures.map(({ name }) => name);
if (flags.help) {
  console.log(`npm run bench -- [--only ${names.join('|')}]… [--subject floor|tessera] [--reps N] [--quick]`);
  process.exit(0);
}
const only = flags.only?.flatMap((one) => one.split(','));
const unknown = only?.filter((name) => !names.includes(name)) ?? [];
if (unknown.length > 0) {
  console.error(`There is no measure "${unknown.join('", "')}"; there are ${names.join(', ')}.`);
  process.exit(2);
}
const chosen = only ? measures.filter(({ name }) => only.includes(name)) : measures;
const subjects = [floor, tessera].filter(({ name }) => !flags.subject || flags.subject === name);
const repetitions = Number(flags.reps ?? (flags.quick ? 1 : DEFAULT_REPETITIONS));

const plan: Plan = {
  quick: flags.quick,
  logFile: await buildLog(path.join(root, 'node_modules/.cache/tessera/bench')),
};
console.log(
  `${describeMachine()}; load ${os
    .loadavg()
    .map((one) => one.toFixed(1))
    .join(' ')}; ${repetitions} repetitions, interleaved\n`,
);

const samples: Sample[] = [];
let failures = 0;
for (let repetition = 0; repetition < repetitions; repetition++) {
  for (const measure of chosen) {
    // In turns, so that neither has the quieter moments.
    for (const subject of repetition % 2 ? [...subjects].reverse() : subjects) {
      try {
        const outcome = await measure.run(subject, plan);
        const shown = outcome.figures.map(
          ({ name, value, unit }) => `${name} ${value === null ? 'n/a' : `${value.toFixed(2)} ${unit}`}`,
        );
        console.log(
          `${repetition + 1}/${repetitions} ${subject.name.padEnd(8)} ${shown.join(', ')} (neighbours ${outcome.neighbours.toFixed(2)} cores)`,
        );
        for (const figure of outcome.figures) {
          samples.push({
            measure: measure.name,
            subject: subject.name,
            repetition,
            neighbours: outcome.neighbours,
            ...figure,
          });
        }
      } catch (error) {
        failures++;
        console.error(
          `${repetition + 1}/${repetitions} ${subject.name} ${measure.name} failed: ${error instanceof Error ? error.message : error}`,
        );
      }
    }
  }
}

const rows = report(samples);
console.log(`\n${table(rows)}`);
const folder = path.join(root, 'bench/results');
mkdirSync(folder, { recursive: true });
const file = path.join(folder, `${new Date().toISOString().replaceAll(':', '-').slice(0, 19)}.json`);
writeFileSync(
  file,
  JSON.stringify(
    { machine: describeMachine(), load: os.loadavg(), repetitions, quick: flags.quick, rows, samples },
    null,
    2,
  ),
);
console.log(`\n${path.relative(root, file)}`);
process.exit(failures > 0 ? 1 : 0);
