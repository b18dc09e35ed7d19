import type { LaunchSpec } from '../../schemas/pty-host';
import type { Colours } from './colours';
import { type FrameMemory, frame } from './frame';
import { followImages } from './images';
import { Mirror } from './mirror';
import { tabStops } from './modes';
import { followShell } from './osc';
import { answerQueries } from './queries';
import { serialiseRow } from './row-serialiser';
import { snapshot } from './snapshot';
import { BackgroundFlag, ForegroundFlag, type ScreenBuffer } from './xterm-internals';

/** Helpers of the tests in this folder. */

export interface TestMirror {
  mirror: Mirror;
  answers: string[];
  signals: unknown[];
  clock: { now: number };
}

export function testMirror(cols = 20, rows = 6, scrollback = 50): TestMirror {
  const answers: string[] = [];
  const signals: unknown[] = [];
  const clock = { now: 1000 };
  const mirror = new Mirror(
    { cols, rows, scrollback },
    {
      answer: (reply) => answers.push(reply),
      failed: (error) => {
        throw error;
      },
      now: () => clock.now,
    },
  );
  answerQueries(mirror, (reply) => answers.push(reply));
  followImages(mirror);
  followShell(mirror, { changed: () => {}, signal: (signal) => signals.push(signal), now: () => clock.now });
  return { mirror, answers, signals, clock };
}

export const write = (mirror: Mirror, text: string | Uint8Array): void => {
  mirror.write(Buffer.from(text as string));
  mirror.drain();
};

export function snapshotOf(mirror: Mirror, history = 1e9): Buffer {
  const source = mirror.snapshotSource();
  const rest = [...mirror.queued()].map((item) => ('bytes' in item ? item.bytes : Buffer.alloc(0)));
  return Buffer.concat([Buffer.from([...snapshot(source, history)].join('')), source.unfinished, ...rest]);
}

export function frameOf(mirror: Mirror, memory: FrameMemory): string {
  return frame(mirror.frameSource()!.source, memory);
}

function rowsOf(mirror: Mirror, buffer: ScreenBuffer, from = 0): string[] {
  const rows: string[] = [];
  for (let y = from; y < buffer.lines.length; y++) {
    const line = buffer.lines.get(y)!;
    const { text } = serialiseRow(mirror.core, line, mirror.terminal.cols, { overwrite: false, links: true });
    // Ids of links are numbers of this terminal; their grouping is what counts.
    // The first row cannot tell of what it goes on from.
    rows.push((line.isWrapped && y > from ? '+' : ' ') + text.replace(/id=t?\w+;/g, 'id=?;'));
  }
  return rows;
}

/** Everything about a terminal that a person or a program could notice. */
export function stateOf(mirror: Mirror): Record<string, unknown> {
  const { core, terminal } = mirror;
  const { normal, active, alt } = core._bufferService.buffers;
  const pen = core._inputHandler._curAttrData;
  return {
    normal: rowsOf(mirror, normal),
    alt: active === alt ? rowsOf(mirror, alt) : 'closed',
    // A cursor in the normal buffer below an open alternate one comes from there on return.
    cursor: [active.x, active.y, active.ybase],
    margins: [normal, active].map((buffer) => [buffer.scrollTop, buffer.scrollBottom]),
    saved: [
      Math.min(active.savedX, terminal.cols - 1),
      Math.max(0, active.savedY - active.ybase),
      active.savedCurAttrData.fg,
      active.savedCurAttrData.bg & ~BackgroundFlag.extended,
    ],
    modes: { ...core.coreService.decPrivateModes },
    insert: core.coreService.modes.insertMode,
    convertEol: core.optionsService.rawOptions.convertEol,
    blink: mirror.blinkChosen ? core.optionsService.rawOptions.cursorBlink : undefined,
    hidden: core.coreService.isCursorHidden,
    mouse: [core.coreMouseService.activeProtocol, core.coreMouseService.activeEncoding],
    pen: [
      visible(pen.fg),
      visible(pen.bg & ~BackgroundFlag.extended),
      pen.fg & ForegroundFlag.underline ? ((pen.extended as unknown as { _ext: number })._ext >>> 26) & 7 || 1 : 0,
      pen.extended.underlineColor & 0x3ffffff,
      pen.bg & BackgroundFlag.extended ? core._oscLinkService.getLinkData(pen.extended.urlId)?.uri : undefined,
    ],
    charsets: [
      core._charsetService.glevel,
      ...[0, 1, 2, 3].map((g) => JSON.stringify(core._charsetService._charsets[g])),
    ],
    tabs: [normal, active].map((buffer) => tabStops(buffer.tabs, terminal.cols)),
    title: core._inputHandler._windowTitle,
    keys: mirror.keys.sequence(),
    colours: (mirror.colours as Colours).sequence(),
    marks: [...mirror.marks.byRow()]
      .sort(([a], [b]) => a - b)
      .map(([row, marks]) => [
        row,
        marks.map(({ kind, column, status }) => [kind, Math.min(column, terminal.cols - 1), status]),
      ]),
  };
}

/** A colour word without the bits that an earlier colour left behind in it. */
function visible(word: number): number {
  const mode = (word >>> 24) & 3;
  const value = mode === 3 ? 0xffffff : mode === 0 ? 0 : 0xff;
  return (word & (0xff000000 | value)) >>> 0;
}

/** The screen and the cursor, as rows of text with colours. */
export function screenOf(mirror: Mirror): string[] {
  const buffer = mirror.core._bufferService.buffers.active;
  const rows = rowsOf(mirror, buffer, buffer.ybase).map((row) => row.slice(1).replace(/(\x1b\[\d*[XC]|\x1b\[m)+$/, ''));
  return [...rows, `cursor ${Math.min(buffer.x, mirror.terminal.cols - 1)},${buffer.y}`];
}

/** Pseudo-random numbers that are the same on every run. */
export function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

/** A shell without anybody's start-up files. */
export function shellSpec(change: Partial<LaunchSpec> = {}): LaunchSpec {
  return {
    program: '/bin/bash',
    args: ['--norc', '--noprofile', '-i'],
    cwd: '/tmp',
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: '/tmp', TERM: 'xterm-256color', LANG: 'C.UTF-8' },
    cols: 80,
    rows: 24,
    scrollback: 1000,
    journal: true,
    ...change,
  };
}

export async function until(what: string, condition: () => boolean, patience = 20_000): Promise<void> {
  for (const end = performance.now() + patience; !condition(); ) {
    if (performance.now() > end) throw new Error(`Waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
