import { describe, expect, it } from 'vitest';
import { FrameMemory } from './frame';
import type { Mirror } from './mirror';
import { frameOf, screenOf, seeded, snapshotOf, testMirror, write } from './testing';

const E = '\x1b';
const ROUNDS = 24;
/** The fuzz ends here even if it is not through its rounds, so that a slow machine is not held up. */
const TIME_LIMIT_MS = 15_000;

const random = seeded(20_260_801);
const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;

function logLine(i: number): string {
  switch (random(9)) {
    case 0:
      return `${E}[1;32m   Compiling${E}[0m core v0.${random(20)} (/home/dev/packages/core)`;
    case 1:
      return `${E}[33mwarning${E}[0m${E}[1m: unused variable: x_${random(99)}${E}[0m`;
    case 2:
      return `${E}[2m[${i}]${E}[0m ${E}[36mGET${E}[0m /api/${random(1e6)} ${E}[32m200${E}[0m ${random(9000)}ms`;
    case 3:
      return ` ${E}[32m✓${E}[0m тест › case ${random(500)} ${E}[90m(漢字 ${random(9)} ms)${E}[0m`;
    case 4:
      return `${E}[38;5;${random(256)}mdist${E}[m | ${E}[48;2;1;2;${random(9)}m file.js ${E}[K${E}[0m ${random(900)} kB`;
    case 5:
      return 'x'.repeat(random(400));
    case 6:
      return `a\tb\tc${'\b'.repeat(random(3))}d\r10%\r20%`;
    case 7:
      return '';
    default:
      return `    at Object.<anonymous> (/src/index.ts:${random(900)}:${random(80)}) 👍`;
  }
}
/** Lines that change the pen and never reset it. */
const strayLine = (): string =>
  `${E}[${pick(['1', '3', '31', '44', '38;5;200', '4:3', '58:5:3', '22', '39', '7', '27'])}m${'word '.repeat(random(9))}`;

function source(kind: number, count: number): string {
  const out: string[] = [];
  for (let i = 0; i < count; i++) {
    if (kind === 0) out.push(`${i}\r\n`);
    else if (kind === 1) out.push(`${logLine(i)}\r\n`);
    else if (kind === 2) out.push(`${strayLine()}\r\n`);
    else if (kind === 3) out.push('y\r\n');
    else out.push(`${logLine(i)}${random(4) ? '\r\n' : '\n'}`);
  }
  return out.join('');
}

const odd = [
  '[2J',
  '[?1049h hi [?1049l',
  '[31m',
  '[5;10r',
  '[r',
  '[H',
  '[10;5Hxx',
  '7',
  '8',
  '(0qq(B',
  '[1;44m',
  '[?7l',
  '[?7h',
  ']2;t\x07',
  '[4h',
  '[4l',
  '[?6h',
  '[?6l',
  ']8;;http://x\x07link',
  ']8;;\x07',
  '[3g',
  'H',
  '[20h',
  '[20l',
  ']133;A\x07$ ',
  'c',
  '[2;3',
  '[?45h',
  '[?45l',
  '[3J',
].map((text) =>
  Buffer.from(
    text[0] === '7' || text[0] === '8' || text[0] === 'c' || text[0] === 'H' || /^[[\](]/.test(text) ? E + text : text,
  ),
);
odd.push(
  Buffer.from('\xc2\x9b1mC1', 'latin1'),
  Buffer.from([0xff, 0xc0, 0x41]),
  Buffer.from([0xe2, 0x94]),
  Buffer.from('漢字 é £'),
  Buffer.from('\x07\x0e\x0f'),
);

function piece(): Buffer {
  const base = Buffer.from(source(random(5), random(3) ? random(9000) : random(60)));
  const cut = random(base.length + 1);
  switch (random(4)) {
    case 0:
      return Buffer.concat([base, pick(odd)]);
    case 1:
      return Buffer.concat([base.subarray(0, cut), pick(odd), base.subarray(cut)]);
    case 2:
      return base.subarray(random(base.length + 1));
    default:
      return base;
  }
}

function firstDifference(a: Buffer, b: Buffer): string {
  if (a.equals(b)) return '';
  let at = 0;
  while (a[at] === b[at]) at++;
  return `at ${at}:\n${JSON.stringify(a.toString('utf8', at - 40, at + 60))}\n${JSON.stringify(b.toString('utf8', at - 40, at + 60))}`;
}

describe('stream:skip-exact: line skip is exact', () => {
  it('fuzz: a mirror that skips equals one that parses every byte, in frames and snapshots', () => {
    const started = performance.now();
    let frames = 0;
    let skipped = 0;
    let total = 0;
    for (let round = 0; round < ROUNDS && performance.now() - started < TIME_LIMIT_MS; round++) {
      const cols = 40 + random(110);
      const rows = 3 + random(50);
      const scrollback = pick([0, 100, 500, 1500]);
      const ours = testMirror(cols, rows, scrollback).mirror;
      const { mirror: reference, clock } = testMirror(cols, rows, scrollback);
      const viewer = testMirror(cols, rows, 0).mirror;
      const memory = new FrameMemory();
      let all = Buffer.alloc(0);
      let parsed = 0;
      const reach = (mirror: Mirror, offset: number): void => {
        while (parsed < offset) {
          const end = Math.min(offset, parsed + 4096);
          // Pieces that are too small, and with time in between, for a flood.
          clock.now += 1000;
          mirror.write(all.subarray(parsed, end));
          while (mirror.pump());
          parsed = end;
        }
      };
      for (let part = 0; part < 7; part++) {
        const bytes = piece();
        all = Buffer.concat([all, bytes]);
        total += bytes.length;
        for (let at = 0; at < bytes.length; ) {
          const size = 1 + random(random(2) ? 4096 : 65_536);
          ours.write(bytes.subarray(at, Math.min(bytes.length, at + size)));
          at += size;
          for (let turn = random(4); turn > 0; turn--) ours.pump();
          if (random(6) === 0) {
            const offset = ours.frameSource()?.offset;
            if (offset === undefined) continue;
            write(viewer, frameOf(ours, memory));
            reach(reference, offset);
            frames++;
            expect(screenOf(viewer), `round ${round}, frame at ${offset}`).toEqual(screenOf(reference));
          }
          if (random(60) === 0) ours.endFlood();
        }
        if (random(3) === 0) {
          ours.drain();
          reach(reference, all.length);
          expect(firstDifference(snapshotOf(ours), snapshotOf(reference)), `round ${round}, part ${part}`).toBe('');
        }
      }
      ours.drain();
      reach(reference, all.length);
      expect(ours.offset).toBe(all.length);
      expect(firstDifference(snapshotOf(ours), snapshotOf(reference)), `round ${round}, at the end`).toBe('');
      skipped += ours.skippedBytes;
    }
    expect(frames).toBeGreaterThan(20);
    expect(skipped / total).toBeGreaterThan(0.2);
  }, 60_000);

  it('a flood with a large scrollback is not parsed at all while it lasts', () => {
    const { mirror } = testMirror(120, 40, 10_000);
    const block = Buffer.from(source(1, 4000));
    for (let i = 0; i < 40; i++) {
      for (let at = 0; at < block.length; at += 4096) {
        mirror.write(block.subarray(at, at + 4096));
        mirror.pump();
      }
    }
    expect(mirror.flooding).toBe(true);
    expect(mirror.offset).toBeLessThan(200_000);
    mirror.drain();
    expect(mirror.skippedBytes).toBeGreaterThan(block.length * 36);
    expect(mirror.core._bufferService.buffers.normal.ybase).toBe(10_000);
  });

  it('a flood in pieces of any size stays small', () => {
    const { mirror } = testMirror(80, 24, 1000);
    const block = Buffer.from('y\r\n'.repeat(2000));
    for (let i = 0; i < 400; i++) {
      // A read gives what is there, sometimes a byte or two.
      const cut = (i * 7) % 5;
      mirror.write(block.subarray(0, cut));
      mirror.write(block.subarray(cut, cut + 1));
      mirror.write(block.subarray(cut + 1));
    }
    expect(mirror.flooding).toBe(true);
    mirror.endFlood();
    expect(mirror.backlog).toBeLessThan(5 * block.length);
    mirror.drain();
    expect(mirror.offset).toBe(block.length * 400);
  });

  it('a flood without line ends is parsed, not held', () => {
    const { mirror } = testMirror(80, 24, 1000);
    const block = Buffer.from('progress 10%\r'.repeat(5000));
    for (let i = 0; i < 200; i++) mirror.write(block);
    expect(mirror.flooding).toBe(false);
    mirror.drain();
    expect(mirror.offset).toBe(block.length * 200);
  });
});
