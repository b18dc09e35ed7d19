import type { Figure } from './measures';
import { reach } from './reach';
import { median } from './statistics';
import type { Subject } from './subjects';

export interface Sample extends Figure {
  measure: string;
  subject: Subject['name'];
  repetition: number;
  neighbours: number;
}

interface Side {
  median: number;
  min: number;
  max: number;
  /** CPU of others while it was measured, in cores: the median of the repetitions. */
  neighbours: number;
}

export interface Row {
  name: string;
  unit: string;
  floor: Side | null;
  tessera: Side | null;
  /** The floor's median over ours; above 1 we are better (all figures are "less is better"). */
  ratio: number | null;
  reach: string;
  reached: boolean | null;
}

function sideOf(samples: Sample[]): Side | null {
  const values = samples.map(({ value }) => value).filter((value) => value !== null);
  if (values.length === 0) return null;
  return {
    median: median(values),
    min: Math.min(...values),
    max: Math.max(...values),
    neighbours: median(samples.map(({ neighbours }) => neighbours)),
  };
}

/** One row a figure, in the order in which they were measured. */
export function report(samples: Sample[]): Row[] {
  const names = [...new Set(samples.map(({ name }) => name))];
  return names.map((name) => {
    const of = samples.filter((sample) => sample.name === name);
    const floor = sideOf(of.filter(({ subject }) => subject === 'floor'));
    const tessera = sideOf(of.filter(({ subject }) => subject === 'tessera'));
    const ratio = floor && tessera ? floor.median / tessera.median : null;
    const goal = reach[name];
    return {
      name,
      unit: of[0]?.unit ?? '',
      floor,
      tessera,
      ratio,
      reach: goal?.says ?? '',
      reached: goal && tessera ? goal.holds({ floor: floor?.median ?? null, tessera: tessera.median }) : null,
    };
  });
}

const digits = (value: number) => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
const shown = (side: Side | null, unit: string) =>
  side ? `${digits(side.median)} ${unit} [${digits(side.min)}–${digits(side.max)}]` : 'n/a';
const verdict = (reached: boolean | null) => (reached === null ? '' : reached ? 'yes' : '**no**');

/** Medians with the smallest and the largest, and the ratio, as Markdown. */
export function table(rows: Row[]): string {
  return [
    '| | floor | Tessera | floor ÷ Tessera | reach | reached | neighbours’ CPU, cores |',
    '|---|---|---|---|---|---|---|',
    ...rows.map(
      (row) =>
        `| ${row.name} | ${shown(row.floor, row.unit)} | ${shown(row.tessera, row.unit)} | ${row.ratio ? row.ratio.toFixed(2) : ''} | ${row.reach} | ${verdict(row.reached)} | ${[row.floor, row.tessera].map((side) => (side ? side.neighbours.toFixed(1) : '–')).join(' / ')} |`,
    ),
  ].join('\n');
}
