interface Medians {
  floor: number | null;
  tessera: number;
}

interface Goal {
  says: string;
  /** Null when it needs the floor and the floor was not measured. */
  holds(medians: Medians): boolean | null;
}

const atMost = (limit: number, unit: string): Goal => ({
  says: `≤ ${limit} ${unit}`,
  holds: ({ tessera }) => tessera <= limit,
});
const timesTheFloor = (factor: number): Goal => ({
  says: `≥ ${factor} × the floor`,
  holds: ({ floor, tessera }) => (floor === null ? null : floor / tessera >= factor),
});

/** What we want to reach, by the name of the figure. */
export const reach: Record<string, Goal> = {
  '50 MB log': timesTheFloor(3),
  'seq 1 2000000': timesTheFloor(1.7),
  'echo beside a flood p95': atMost(25, 'ms'),
  'Ctrl+C under yes to prompt': atMost(50, 'ms'),
  'echo idle p50': {
    says: '≤ floor + 2 ms',
    holds: ({ floor, tessera }) => (floor === null ? null : tessera <= floor + 2),
  },
  'reload with 5,000 lines, all there': atMost(400, 'ms'),
  'start to first prompt': atMost(1.5, 's'),
  'pan at zoom 1, 100 live cards p50': atMost(17, 'ms'),
  'pan at zoom 1, 100 live cards p95': atMost(50, 'ms'),
  'server per terminal, 1 to 100': atMost(4, 'MB'),
};
