import type { Page } from '@playwright/test';
import { PROMPT } from '../e2e/support/server';
import { pause, until } from '../e2e/support/until';
import { NoiseMeter } from './machine';
import { median, percentile } from './statistics';
import type { Stage, Subject } from './subjects';

/** One figure that a measure gave; null where the subject has no such thing. */
export interface Figure {
  name: string;
  unit: string;
  value: number | null;
}

export interface Outcome {
  figures: Figure[];
  /** CPU of others while it ran, in cores. */
  neighbours: number;
}

export interface Plan {
  quick: boolean;
  logFile: string;
}

export interface Measure {
  name: string;
  title: string;
  run(subject: Subject, plan: Plan): Promise<Outcome>;
}

const FLOOD_SETTLES_MS = 2_000;
/** What a fresh page and a fresh server still do after the first prompt is no part of a measure. */
const STAGE_SETTLES_MS = 2_000;

/** Opens a stage, meters the neighbours, and closes it whatever happens. */
async function on(
  subject: Subject,
  options: Parameters<Subject['open']>[0],
  measure: (stage: Stage) => Promise<Figure[]>,
): Promise<Outcome> {
  const stage = await subject.open(options);
  try {
    await pause(STAGE_SETTLES_MS);
    const noise = new NoiseMeter(stage.homes);
    const figures = await measure(stage);
    return { figures, neighbours: noise.neighbours() };
  } finally {
    await stage.close();
  }
}

/** Types a line and presses Enter, all as a person would; gives the page time of that Enter. */
async function enter(page: Page, line: string): Promise<number> {
  await page.keyboard.type(line);
  await page.keyboard.press('Enter');
  return page.evaluate(() => window.benchProbe.lastKeyAt);
}

const drawn = (page: Page, selector: string, pattern: string, limit: number): Promise<number> =>
  page.evaluate(([one, text, ms]) => window.benchProbe.whenDrawn(one, text, ms), [selector, pattern, limit] as const);

/** Seconds from Enter until the end mark of a command is drawn, and the CPU seconds of shell, server and browser. */
async function timeCommand(stage: Stage, name: string, command: string, limitMs: number): Promise<Figure[]> {
  const [selector] = stage.terminals as [string];
  await stage.focus(selector);
  const mark = `end${Math.random().toString(36).slice(2, 8)}`;
  const meter = new NoiseMeter(stage.homes);
  // The shell puts the mark together, so that the echo of the line is not taken for it.
  const began = await enter(stage.page, `${command}; echo ${mark.slice(0, 4)}''${mark.slice(4)}`);
  const ended = await drawn(stage.page, selector, `^${mark}$`, limitMs);
  return [
    { name, unit: 's', value: (ended - began) / 1000 },
    { name: `${name}, CPU`, unit: 's', value: meter.ownSeconds() },
  ];
}

const log: Measure = {
  name: 'log',
  title: '50 MB coloured log until its end mark is drawn',
  run: (subject, plan) =>
    on(subject, { terminals: 1 }, (stage) => timeCommand(stage, '50 MB log', `cat ${plan.logFile}`, 180_000)),
};

const seq: Measure = {
  name: 'seq',
  title: 'seq 1 2000000 until its end mark is drawn',
  run: (subject) =>
    on(subject, { terminals: 1 }, (stage) => timeCommand(stage, 'seq 1 2000000', 'seq 1 2000000', 120_000)),
};

/** Milliseconds from each key to the frame that draws its character, in a terminal that only echoes. */
async function echoTimes(stage: Stage, selector: string, keys: number): Promise<number[]> {
  await stage.focus(selector);
  await enter(stage.page, 'cat');
  await until('cat to run', async () =>
    (await stage.page.evaluate((one) => window.benchProbe.rows(one), selector)).some((row) => row.endsWith('cat')),
  );
  const times: number[] = [];
  let line = '';
  for (let index = 0; index < keys; index++) {
    if (line.length >= 40) {
      await stage.page.keyboard.press('Enter');
      line = '';
      await pause(120);
    }
    const key = String.fromCharCode(97 + ((index * 7) % 26));
    line += key;
    const seen = stage.page.evaluate(([one, text]) => window.benchProbe.whenDrawn(one, text, 20_000), [
      selector,
      `^${line}$`,
    ] as const);
    await stage.page.keyboard.press(key);
    const at = await seen;
    times.push(at - (await stage.page.evaluate(() => window.benchProbe.lastKeyAt)));
    // Not in step with the screen's frames or the flood's.
    await pause(60 + ((index * 37) % 50));
  }
  return times;
}

const echo: Measure = {
  name: 'echo',
  title: 'keystroke to character drawn, nothing else running',
  run: (subject, plan) =>
    on(subject, { terminals: 1 }, async (stage) => {
      const times = await echoTimes(stage, stage.terminals[0] as string, plan.quick ? 30 : 120);
      return [
        { name: 'echo idle p50', unit: 'ms', value: percentile(times, 0.5) },
        { name: 'echo idle p95', unit: 'ms', value: percentile(times, 0.95) },
      ];
    }),
};

const echoBesideFlood: Measure = {
  name: 'flood-echo',
  title: 'keystroke to character drawn while another terminal of the page prints the log without end',
  run: (subject, plan) =>
    on(subject, { terminals: 2 }, async (stage) => {
      const [typed, flooding] = stage.terminals as [string, string];
      await stage.focus(flooding);
      await enter(stage.page, `while :; do cat ${plan.logFile}; done`);
      await pause(FLOOD_SETTLES_MS);
      const times = await echoTimes(stage, typed, plan.quick ? 20 : 60);
      return [
        { name: 'echo beside a flood p50', unit: 'ms', value: percentile(times, 0.5) },
        { name: 'echo beside a flood p95', unit: 'ms', value: percentile(times, 0.95) },
      ];
    }),
};

const interrupt: Measure = {
  name: 'ctrl-c',
  title: 'Ctrl+C under yes until the prompt is drawn',
  run: (subject, plan) =>
    on(subject, { terminals: 1 }, async (stage) => {
      const [selector] = stage.terminals as [string];
      const times: number[] = [];
      for (let round = 0; round < (plan.quick ? 1 : 3); round++) {
        await stage.focus(selector);
        await enter(stage.page, 'clear; yes');
        await pause(FLOOD_SETTLES_MS);
        await until('the flood on the screen', async () =>
          (await stage.page.evaluate((one) => window.benchProbe.rows(one), selector)).every(
            (row) => row === 'y' || row === '',
          ),
        );
        const seen = drawn(stage.page, selector, `^${PROMPT}`, 60_000);
        await stage.page.keyboard.press('Control+C');
        const at = await seen;
        times.push(at - (await stage.page.evaluate(() => window.benchProbe.lastKeyAt)));
        await pause(500);
      }
      return [{ name: 'Ctrl+C under yes to prompt', unit: 'ms', value: median(times) }];
    }),
};

/** Terminals whose memory is looked at; the price of one is the slope from the first to the last. */
const MEMORY_COUNTS = [1, 30, 100] as const;

const memory: Measure = {
  name: 'memory',
  title: 'memory with 1, 30 and 100 idle terminals of 80×24 (proportional set size, shells left out)',
  async run(subject, plan) {
    const figures: Figure[] = [];
    const seen: { count: number; server: number; browser: number }[] = [];
    let neighbours = 0;
    for (const count of plan.quick ? [1, 30] : MEMORY_COUNTS) {
      const outcome = await on(subject, { terminals: count, grid: { cols: 80, rows: 24 } }, async (stage) => {
        await pause(3_000);
        seen.push({ count, server: stage.serverBytes(), browser: stage.browserBytes() });
        return [];
      });
      neighbours = Math.max(neighbours, outcome.neighbours);
    }
    const megabytes = (bytes: number) => bytes / 2 ** 20;
    const [first] = seen;
    for (const at of seen) {
      figures.push({ name: `server with ${at.count}`, unit: 'MB', value: megabytes(at.server) });
      figures.push({ name: `browser with ${at.count}`, unit: 'MB', value: megabytes(at.browser) });
      if (!first || at === first) continue;
      const more = at.count - first.count;
      figures.push({
        name: `server per terminal, 1 to ${at.count}`,
        unit: 'MB',
        value: megabytes(at.server - first.server) / more,
      });
      figures.push({
        name: `browser per terminal, 1 to ${at.count}`,
        unit: 'MB',
        value: megabytes(at.browser - first.browser) / more,
      });
    }
    return { figures, neighbours };
  },
};

const start: Measure = {
  name: 'start',
  title: 'start of the program until the first prompt is drawn in a page',
  async run(subject) {
    const noise = new NoiseMeter([]);
    const value = await subject.startToPrompt();
    return {
      figures: [{ name: 'start to first prompt', unit: 's', value: value / 1000 }],
      neighbours: noise.neighbours(),
    };
  },
};

const RELOAD_LINES = 5_000;

const reload: Measure = {
  name: 'reload',
  title: 'reload of the page until the screen is back, and until all 5,000 lines are',
  async run(subject) {
    const names = ['reload with 5,000 lines, screen', 'reload with 5,000 lines, all there'];
    // The floor's shell ends with its socket: there is nothing to come back.
    if (subject.name === 'floor')
      return { figures: names.map((name) => ({ name, unit: 'ms', value: null })), neighbours: 0 };
    return on(subject, { terminals: 1 }, async (stage) => {
      const { page } = stage;
      const [selector] = stage.terminals as [string];
      await timeCommand(stage, '', `clear; seq 1 ${RELOAD_LINES}`, 30_000);
      await pause(1_000);
      await page.reload({ waitUntil: 'commit' });
      const id = selector.match(/"(.+)"/)?.[1] ?? '';
      // Both from the start of the navigation, which is the zero of the new document's clock.
      const [screen, all] = await page.evaluate(
        ({ one, card, lines }) =>
          Promise.all([
            window.benchProbe.whenDrawn(one, `^${lines}$`, 20_000),
            new Promise<number>((resolve) => {
              const look = () => {
                const buffer = window.tesseraTerminals?.get(card)?.buffer.active;
                let next = 1;
                for (let y = 0; buffer && y < buffer.length; y++)
                  if (buffer.getLine(y)?.translateToString(true) === String(next)) next++;
                if (next > lines) resolve(performance.now());
                else setTimeout(look, 10);
              };
              look();
            }),
          ]),
        { one: selector, card: id, lines: RELOAD_LINES },
      );
      return [
        { name: names[0] as string, unit: 'ms', value: screen },
        { name: names[1] as string, unit: 'ms', value: Math.max(screen, all) },
      ];
    });
  },
};

/** Prints one colourful line every 100 ms, as a card of a busy project does; it begins like a prompt, which is awaited. */
const COLOURFUL = `import sys, time, random
random.seed(int(sys.argv[1]))
while True:
    spans = random.randint(6, 20)
    sys.stdout.write('${PROMPT} ' + ''.join('\\033[38;5;%dm%s ' % (random.randint(17,230), 'abcdefghij'[:random.randint(2,8)]) for _ in range(spans))[:600]+'\\033[0m\\n')
    sys.stdout.flush()
    time.sleep(0.1)
`;
export const busyShells = { 'colourful.py': COLOURFUL, '.bashrc': 'exec python3 ~/colourful.py $$\n' };
const FRAME_VIEWPORT = { width: 1600, height: 900 };
const FRAME_CARD = { width: 660, height: 400 };
const FRAMES = 180;

/** Frame times while the camera pans or zooms over cards that all print. */
function frames(count: number): Measure {
  return {
    name: `frames-${count}`,
    title: `pan and zoom over ${count} live cards`,
    async run(subject, plan) {
      const named = (what: string, share: string) => `${what}, ${count} live cards ${share}`;
      const phases = ['pan at zoom 1', 'zoom sweep 0.3 to 1.4', 'pan at zoom 0.35'] as const;
      // The floor has no canvas.
      if (subject.name === 'floor') {
        return {
          figures: phases.flatMap((what) =>
            ['p50', 'p95'].map((share) => ({ name: named(what, share), unit: 'ms', value: null })),
          ),
          neighbours: 0,
        };
      }
      return on(
        subject,
        {
          terminals: count,
          card: FRAME_CARD,
          grid: { cols: 80, rows: 22 },
          viewport: FRAME_VIEWPORT,
          rcFiles: busyShells,
        },
        async (stage) => {
          const figures: Figure[] = [];
          for (const what of phases) {
            const times = await stage.page.evaluate(moveCamera, { what, frames: plan.quick ? 60 : FRAMES });
            figures.push({ name: named(what, 'p50'), unit: 'ms', value: percentile(times, 0.5) });
            figures.push({ name: named(what, 'p95'), unit: 'ms', value: percentile(times, 0.95) });
          }
          return figures;
        },
      );
    },
  };
}

/** Runs in the page: one wheel event a frame, as a trackpad sends them. */
export async function moveCamera({ what, frames: count }: { what: string; frames: number }): Promise<number[]> {
  const send = (init: WheelEventInit) => {
    const at = { clientX: 800, clientY: 450, bubbles: true, cancelable: true };
    (document.elementFromPoint(800, 450) ?? document.body).dispatchEvent(new WheelEvent('wheel', { ...at, ...init }));
  };
  const zoomNow = () =>
    new DOMMatrix(getComputedStyle(document.querySelector('.react-flow__viewport') as Element).transform).a;
  const zoomTo = async (wanted: number) => {
    for (let guard = 0; guard < 400 && Math.abs(Math.log(zoomNow() / wanted)) > 0.02; guard++) {
      const away = Math.log(wanted / zoomNow()) * -100;
      send({ deltaY: Math.max(-20, Math.min(20, away)), ctrlKey: true });
      await new Promise(requestAnimationFrame);
    }
  };
  const rest = () => new Promise((done) => setTimeout(done, 1_500));
  (document.activeElement as HTMLElement | null)?.blur();
  if (what === 'zoom sweep 0.3 to 1.4') {
    await zoomTo(1.4);
    await rest();
    // Down to 0.3 and back, twice in the whole.
    const step = (Math.log(1.4 / 0.3) * 100 * 4) / count;
    return window.benchProbe.frames(count, (frame) =>
      send({ deltaY: Math.floor((frame * 4) / count) % 2 ? -step : step, ctrlKey: true }),
    );
  }
  await zoomTo(what === 'pan at zoom 1' ? 1 : 0.35);
  await rest();
  const quarter = count / 4;
  return window.benchProbe.frames(count, (frame) => {
    const back = Math.floor(frame / quarter) % 2 ? -1 : 1;
    send({ deltaX: 24 * back, deltaY: 8 * back });
  });
}

export const measures: Measure[] = [
  log,
  seq,
  echo,
  echoBesideFlood,
  interrupt,
  memory,
  reload,
  start,
  frames(50),
  frames(100),
];
