import { beforeEach, describe, expect, it } from 'vitest';
import type { SessionInfo, SessionSignal, StreamHeader } from '../../schemas/terminals';
import type { Pty, PtyEvents } from './pty';
import { Session } from './session';
import type { JournalWriter } from './session-hooks';
import { screenOf, shellSpec, stateOf, testMirror, write } from './testing';
import { WINDOW_BYTES } from './viewer';

/** A session without processes, disk or time: all of them are driven by hand. */
class Stage {
  now = 10_000;
  timers: { at: number; run: () => void }[] = [];
  deferred: (() => void)[] = [];
  infos: SessionInfo[] = [];
  signals: SessionSignal[] = [];
  written: Buffer[] = [];
  sizes: string[] = [];
  paused = false;
  onClose = (): void => {};
  load = false;
  events: PtyEvents | undefined;
  journalled: Buffer[] = [];
  journal: JournalWriter & { lag: number } = {
    state: { state: 'on' },
    keptFrom: 0,
    lag: 0,
    append: (bytes) => this.journalled.push(bytes),
    size: () => {},
    update: () => {},
  };
  readonly session: Session;

  constructor(size = { cols: 80, rows: 24, scrollback: 1000 }) {
    const pty = {
      pid: 4242,
      terminal: '/dev/pts/none',
      write: (bytes: Buffer, done: () => void) => {
        this.written.push(bytes);
        done();
      },
      makeWay: () => Promise.resolve(),
      resize: (cols: number, rows: number) => this.sizes.push(`${cols}x${rows}`),
      pause: () => {
        this.paused = true;
      },
      resume: () => {
        this.paused = false;
      },
      close: () => this.onClose(),
    } satisfies Pty;
    this.session = new Session('session-1', size, {
      now: () => this.now,
      defer: (run) => this.deferred.push(run),
      later: (ms, run) => {
        const timer = { at: this.now + ms, run };
        this.timers.push(timer);
        return () => {
          this.timers = this.timers.filter((one) => one !== timer);
        };
      },
      startPty: (_spec, _size, events) => {
        this.events = events;
        return pty;
      },
      work: () => {},
      info: (info) => this.infos.push(info),
      signal: (signal) => this.signals.push(signal),
      failed: (error) => {
        throw error;
      },
      underLoad: () => this.load,
      folderOf: () => undefined,
    });
    this.session.journal = this.journal;
  }

  start(change: Parameters<typeof shellSpec>[0] = {}): void {
    this.session.start(shellSpec({ cols: 80, rows: 24, scrollback: 1000, ...change }));
  }

  /** Runs what is due now: deferred calls, then the mirror. */
  settle(): void {
    do {
      for (const run of this.deferred.splice(0)) run();
      while (this.session.pump());
    } while (this.deferred.length);
  }

  /** Lets time go by in steps, as the host's ticker does. */
  pass(ms: number): void {
    for (const end = this.now + ms; this.now < end; ) {
      this.now = Math.min(end, this.now + 8);
      for (const timer of this.timers.filter((one) => one.at <= this.now)) {
        this.timers = this.timers.filter((one) => one !== timer);
        timer.run();
      }
      if (this.session.restless) this.session.tick();
      this.settle();
    }
  }

  print(text: string | Buffer): void {
    this.events!.data(Buffer.from(text as string));
  }

  /** Output much faster than the mirror or a viewer takes it. */
  flood(bytes: number, line = 'a line of a flood\r\n'): void {
    const block = Buffer.from(line.repeat(Math.ceil(4096 / line.length)));
    for (let sent = 0; sent < bytes; sent += block.length) this.print(block);
  }

  attach(
    id: string,
    options: Partial<{
      cols: number;
      rows: number;
      history: number;
      visibility: 'live' | 'background' | 'hidden';
    }> = {},
  ): Screen {
    const screen = new Screen(this, id);
    this.session.attach(id, { cols: 80, rows: 24, history: 1000, visibility: 'live', ...options }, (header, bytes) =>
      screen.take(header, bytes),
    );
    return screen;
  }
}

/** What a page does with what it gets. */
class Screen {
  headers: StreamHeader[] = [];
  readonly mirror = testMirror(80, 24, 1000).mirror;
  raw = '';
  acking = true;

  constructor(
    private readonly stage: Stage,
    private readonly id: string,
  ) {}

  take(header: StreamHeader, bytes: Uint8Array = Buffer.alloc(0)): void {
    this.headers.push(header);
    if (header.kind === 'size' || (header.kind === 'snapshot' && header.part === 0))
      this.mirror.terminal.resize(header.cols, header.rows);
    write(this.mirror, bytes);
    if (header.kind === 'raw') this.raw += Buffer.from(bytes).toString();
    if (!this.acking) return;
    if (header.kind === 'raw') this.stage.session.ack(this.id, header.offset + bytes.length);
    if (header.kind === 'frame') this.stage.session.frameAck(this.id, header.frame);
  }

  kinds(): string {
    return this.headers
      .map((header) => header.kind)
      .join(' ')
      .replace(/(\w+)( \1)+/g, '$1+');
  }

  clear(): void {
    this.headers = [];
  }
}

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
  stage.start();
});

describe('a viewer', () => {
  it('stream:offsets: gets a snapshot and then the bytes from its offset on, by absolute offsets', () => {
    stage.print('hello ');
    const screen = stage.attach('one');
    stage.print('wor');
    stage.settle();
    stage.print('ld');
    stage.settle();
    expect(screen.headers).toEqual([
      { kind: 'snapshot', offset: 6, part: 0, last: true, cols: 80, rows: 24, history: 0, historyTotal: 0 },
      { kind: 'raw', offset: 6 },
      { kind: 'raw', offset: 9 },
    ]);
    expect(screen.raw).toBe('world');
    expect(screenOf(screen.mirror)[0]).toBe('hello world');
    expect(Buffer.concat(stage.journalled).toString()).toBe('hello world');
  });

  it('is sent a coalesced burst in pieces that end between characters', () => {
    const screen = stage.attach('one');
    stage.settle();
    screen.clear();
    const text = 'é漢👍'.repeat(8000);
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 1000) stage.print(bytes.subarray(at, at + 1000));
    stage.settle();
    expect(screen.raw).toBe(text);
    expect(screen.headers.length).toBeLessThan(5);
  });

  it('pain 24, stream:skip-ahead: that does not acknowledge gets no more than a window, then one frame at a time', () => {
    const screen = stage.attach('slow');
    stage.settle();
    screen.acking = false;
    screen.clear();
    for (let i = 0; i < 30; i++) {
      stage.flood(100_000);
      stage.pass(24);
    }
    const raw = screen.headers.filter((header) => header.kind === 'raw');
    expect(Buffer.byteLength(screen.raw)).toBeLessThanOrEqual(WINDOW_BYTES);
    expect(screen.headers.filter((header) => header.kind === 'frame')).toHaveLength(1);
    expect(screen.headers).toHaveLength(raw.length + 1);
  });

  it('stream:slow-alone: a slow viewer does not slow a fast one, and both end with the same screen', () => {
    const slow = stage.attach('slow');
    const fast = stage.attach('fast');
    stage.settle();
    slow.acking = false;
    for (let i = 0; i < 20; i++) {
      stage.print(`line ${i} ${'x'.repeat(20_000)}\r\n`);
      stage.settle();
    }
    expect(fast.kinds()).toBe('snapshot raw+');
    slow.acking = true;
    stage.session.ack('slow', 1e9);
    stage.session.frameAck('slow', 1e9);
    stage.pass(1000);
    expect(slow.kinds()).toMatch(/frame\+ snapshot\+?$/);
    expect(screenOf(slow.mirror)).toEqual(screenOf(fast.mirror));
    stage.print('both');
    stage.settle();
    expect(screenOf(slow.mirror)).toEqual(screenOf(fast.mirror));
  });

  it('in a flood is shown frames, and goes live again by one snapshot when it is quiet', () => {
    const screen = stage.attach('one');
    stage.settle();
    screen.clear();
    for (let i = 0; i < 10; i++) {
      stage.flood(200_000);
      stage.pass(30);
    }
    stage.print('the end\r\n');
    stage.pass(1000);
    expect(screen.kinds()).toMatch(/^(raw\+? )?frame\+ snapshot\+?$/);
    const mirror = stage.session.mirror;
    expect(stateOf(screen.mirror)).toEqual({ ...stateOf(mirror), saved: expect.anything() });
    expect(mirror.text(2)).toEqual(['a line of a flood', 'the end']);
  });

  it('goes live although the output never ends, once it is slow enough', () => {
    const screen = stage.attach('one');
    stage.settle();
    stage.flood(400_000);
    stage.pass(50);
    screen.clear();
    for (let i = 0; i < 200; i++) {
      stage.print(`tick ${i}\r\n`);
      stage.pass(8);
    }
    expect(screen.kinds()).toMatch(/snapshot raw\+?$/);
    expect(screenOf(screen.mirror)).toEqual(screenOf(stage.session.mirror));
  });

  it('in the background gets frames more rarely, while something floods', () => {
    const front = stage.attach('front');
    const back = stage.attach('back', { visibility: 'background' });
    stage.settle();
    stage.load = true;
    for (let i = 0; i < 50; i++) {
      stage.flood(200_000);
      stage.pass(24);
    }
    const count = (screen: Screen): number => screen.headers.filter((header) => header.kind === 'frame').length;
    expect(count(front)).toBeGreaterThan(30);
    expect(count(back)).toBeGreaterThan(5);
    expect(count(back)).toBeLessThan(16);
  });

  it('while it is hidden gets nothing, and a snapshot when it is shown', () => {
    const screen = stage.attach('one', { visibility: 'hidden' });
    stage.print('unseen\r\n');
    stage.settle();
    expect(screen.headers).toEqual([]);
    stage.session.setVisibility('one', 'live');
    stage.settle();
    expect(screen.kinds()).toBe('snapshot');
    stage.session.setVisibility('one', 'hidden');
    stage.print('unseen too\r\n');
    stage.settle();
    expect(screen.kinds()).toBe('snapshot');
  });

  it('gets as much history as it asks for, and is told how much there is', () => {
    for (let i = 0; i < 500; i++) stage.print(`line ${i}\r\n`);
    const screen = stage.attach('one', { history: 50 });
    stage.settle();
    expect(screen.headers[0]).toMatchObject({ history: 50, historyTotal: 477 });
    stage.session.resync('one', 1000);
    stage.settle();
    expect(screen.headers.at(-1)).toMatchObject({ history: 477, historyTotal: 477 });
    expect(screenOf(screen.mirror)).toEqual(screenOf(stage.session.mirror));
  });

  it('gets a long snapshot in parts of at most 64 KB, and all that came meanwhile', () => {
    for (let i = 0; i < 1500; i++) stage.print(`line ${i} ${'y'.repeat(150)}\r\n`);
    stage.settle();
    const screen = stage.attach('one');
    for (let more = true; more; ) {
      more = stage.session.pump();
      stage.print('.');
    }
    stage.pass(1000);
    const parts = screen.headers.filter((header) => header.kind === 'snapshot');
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.map((header) => header.part)).toEqual(parts.map((_, index) => index));
    expect(parts.map((header) => header.last)).toEqual(parts.map((_, index) => index === parts.length - 1));
    expect(screenOf(screen.mirror)).toEqual(screenOf(stage.session.mirror));
  });

  it('is told the size at the very byte from which it counts', () => {
    const screen = stage.attach('one');
    stage.settle();
    screen.clear();
    stage.print('before');
    stage.pass(200);
    stage.session.resizeViewer('one', 100, 30);
    stage.print('after');
    stage.settle();
    expect(screen.headers).toEqual([
      { kind: 'raw', offset: 0 },
      { kind: 'size', offset: 6, cols: 100, rows: 30 },
      { kind: 'raw', offset: 6 },
    ]);
    expect(stage.sizes).toEqual(['100x30']);
    expect(stage.session.mirror.terminal.cols).toBe(100);
  });

  it('in frames is told the size too', () => {
    const screen = stage.attach('one');
    stage.settle();
    stage.flood(400_000);
    stage.pass(30);
    stage.session.resizeViewer('one', 60, 20);
    stage.flood(400_000);
    stage.pass(60);
    expect(screen.mirror.terminal.cols).toBe(60);
    stage.pass(1000);
    expect(screenOf(screen.mirror)).toEqual(screenOf(stage.session.mirror));
  });
});

describe('the size', () => {
  it('stream:one-size: is that of the viewer which typed or changed its size last', async () => {
    stage.attach('wide', { cols: 120, rows: 40 });
    stage.attach('narrow', { cols: 60, rows: 20 });
    stage.pass(200);
    expect(stage.sizes).toEqual(['120x40']);
    await stage.session.write({ inputId: 'input-1', seq: 1 }, Buffer.from('x'), 'narrow');
    expect(stage.sizes).toEqual(['120x40', '60x20']);
    await stage.session.write({ inputId: 'input-2', seq: 1 }, Buffer.from('x'), 'wide');
    expect(stage.sizes.at(-1)).toBe('120x40');
    stage.session.detach('wide');
    stage.pass(1200);
    expect(stage.sizes.at(-1)).toBe('60x20');
  });

  it('pain 25: of a drag in 60 steps the program sees the first and the last', () => {
    stage.attach('one');
    stage.pass(200);
    for (let i = 1; i <= 60; i++) {
      stage.session.resizeViewer('one', 80 + i, 24);
      stage.pass(16);
    }
    stage.pass(300);
    stage.session.resizeViewer('one', 140, 24);
    stage.pass(300);
    expect(stage.sizes).toEqual(['81x24', '140x24']);
  });
});

describe('a program', () => {
  it('that floods is paused only when the mirror or the disk is far behind', () => {
    stage.print(`${'\x1b[H'.repeat(1000)}`);
    for (let i = 0; i < 1100; i++) stage.print('\x1b[5;5Hcursor addressed output cannot be skipped'.repeat(100));
    expect(stage.paused).toBe(true);
    stage.settle();
    expect(stage.paused).toBe(false);
    stage.journal.lag = 5e6;
    stage.print('x');
    expect(stage.paused).toBe(true);
    stage.settle();
    expect(stage.paused).toBe(true);
    // The mirror has nothing to do by now: it is the disk that says so.
    stage.journal.lag = 0;
    stage.session.journalWritten();
    expect(stage.paused).toBe(false);
  });

  it('that waits for the disk goes on when its journal is switched off', () => {
    stage.journal.lag = 5e6;
    stage.print('x');
    expect(stage.paused).toBe(true);
    stage.session.journal = undefined;
    expect(stage.paused).toBe(false);
  });

  it('of an earlier host is shown with a sign where output is missing, at its true offsets', async () => {
    const { session } = new Stage();
    const replayed = session.replay(
      (async function* () {
        yield { bytes: Buffer.from('one\r\n\x1b[31mtwo') };
        yield { missing: 10_000 };
        yield { bytes: Buffer.from('three') };
        yield { missing: 3 };
        yield { bytes: Buffer.from('four') };
      })(),
    );
    let over = false;
    void replayed.then(() => {
      over = true;
    });
    for (; !over; await new Promise((next) => setImmediate(next))) while (session.pump());
    expect(session.mirror.text(5)).toEqual(['one', 'two', '[…]', 'threefour']);
    expect([session.info().produced, session.mirror.offset]).toEqual([10_025, 10_025]);
  });

  it('that is let go of is read to its end', () => {
    stage.onClose = () => stage.print('last words');
    stage.session.dispose();
    expect(Buffer.concat(stage.journalled).toString()).toBe('last words');
  });

  it('that floods stands still for a moment when a key is pressed elsewhere', () => {
    stage.flood(400_000);
    stage.session.hold(30);
    expect(stage.paused).toBe(true);
    stage.pass(16);
    stage.session.hold(30);
    stage.pass(24);
    expect(stage.paused).toBe(true);
    stage.pass(24);
    expect(stage.paused).toBe(false);
  });

  it('that is quiet is not held', () => {
    stage.print('x');
    stage.settle();
    stage.pass(500);
    stage.session.hold(30);
    expect(stage.paused).toBe(false);
  });

  it('an endless sequence, and one of 50 MB, take little memory and nothing from what comes after them', () => {
    const stage = new Stage();
    stage.start();
    const block = Buffer.alloc(64 * 1024, 0x41);
    let most = 0;
    for (const begin of ['\x1b]52;c;', '\x1b]1337;File=inline=1:', '\x1bPq']) {
      stage.print(begin);
      const before = process.memoryUsage().heapUsed;
      for (let sent = 0; sent < 50 * 1024 * 1024; sent += block.length) {
        stage.print(block);
        stage.journalled = [];
        stage.settle();
        if (sent % (block.length * 16) === 0) most = Math.max(most, process.memoryUsage().heapUsed - before);
      }
      stage.print('\x1b\\after\r\n');
      stage.settle();
    }
    expect(most).toBeLessThan(100 * 1024 * 1024);
    expect(stage.session.mirror.text(10)).toEqual(['after', 'after', 'after']);
    stage.print(`\x1b]2;${'ж🤖'.repeat(100)}\x07`);
    stage.settle();
    expect(stage.session.info().title).toBe('ж🤖'.repeat(100).slice(0, 256));
  }, 30_000);

  it('bounds the answers to a program that asks without end', () => {
    const stage = new Stage();
    stage.start();
    for (let i = 0; i < 100; i++) {
      stage.print('\x1b[c\x1b[6n'.repeat(1000));
      stage.pass(8);
    }
    expect(stage.written.length).toBeLessThan(700);
    stage.pass(2000);
    stage.written = [];
    stage.print('\x1b[5n');
    stage.settle();
    expect(stage.written.map(String)).toEqual(['\x1b[0n']);
  });

  it('stream:one-answer: gets one answer to a query while it runs, and none once it has ended', () => {
    stage.attach('one');
    stage.attach('two');
    stage.print('\x1b[c\x1b[6n');
    stage.settle();
    expect(Buffer.concat(stage.written).toString()).toBe('\x1b[?62;4;9;22c\x1b[1;1R');
    stage.print('\x1b[c');
    stage.events!.exit({ code: 0 });
    stage.settle();
    expect(Buffer.concat(stage.written).toString()).toBe('\x1b[?62;4;9;22c\x1b[1;1R');
  });

  it('that has ended is told to each viewer after its last byte, also to one that comes later', () => {
    const screen = stage.attach('one');
    stage.settle();
    screen.clear();
    stage.print('bye');
    stage.events!.exit({ signal: 'SIGKILL' });
    stage.settle();
    expect(screen.headers).toEqual([
      { kind: 'raw', offset: 0 },
      { kind: 'ended', offset: 3, exit: { signal: 'SIGKILL' } },
    ]);
    const late = stage.attach('late');
    stage.settle();
    expect(late.kinds()).toBe('snapshot ended');
    stage.pass(300);
    expect(stage.infos.at(-1)).toMatchObject({ state: 'ended', exit: { signal: 'SIGKILL' }, lastLine: 'bye' });
  });

  it('pain 19: that is started again finds a screen in order, as bytes of the stream', async () => {
    const screen = stage.attach('one');
    stage.print(
      'text\r\n\x1b[?1049h\x1b[?25l\x1b[?1003h\x1b[?1006h\x1b[?2004h\x1b[2;5r\x1b[?6h\x1b[31m\x1b(0\x1b[3g\x1b]11;#ff0000\x07in the editor',
    );
    stage.events!.exit({ signal: 'SIGHUP' });
    stage.settle();
    const before = stage.session.info().produced;
    const restarted = stage.session.restart(shellSpec({ cols: 80, rows: 24, scrollback: 1000 }));
    for (let i = 0; i < 5; i++) {
      stage.settle();
      await Promise.resolve();
    }
    await restarted;
    stage.settle();
    stage.print('$ ');
    stage.settle();
    const fresh = testMirror(80, 24, 1000).mirror;
    write(fresh, 'text\r\n$ ');
    const modes = (state: Record<string, unknown>) => ({ ...state, saved: undefined, cursor: undefined });
    expect(modes(stateOf(stage.session.mirror))).toEqual(modes(stateOf(fresh)));
    expect(screenOf(screen.mirror)).toEqual(screenOf(fresh));
    expect(screen.kinds()).toBe('snapshot raw ended raw started raw');
    const { produced } = stage.session.info();
    expect(produced).toBeGreaterThan(before + 2);
    expect(Buffer.concat(stage.journalled)).toHaveLength(produced);
  });

  it('news of it comes a few times a second, the last always, each with a higher revision', () => {
    stage.pass(300);
    stage.infos = [];
    for (let i = 0; i < 100; i++) {
      stage.print(`\x1b]2;title ${i}\x07`);
      stage.pass(8);
    }
    stage.pass(400);
    expect(stage.infos.length).toBeGreaterThan(2);
    expect(stage.infos.length).toBeLessThan(8);
    expect(stage.infos.at(-1)!.title).toBe('title 99');
    const revisions = stage.infos.map((info) => info.revision);
    expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
  });

  it('a picture that is longer than the window is not cut', () => {
    const screen = stage.attach('one');
    stage.settle();
    screen.acking = false;
    stage.print(`\x1bPq"1;1;800;170${'~'.repeat(400_000)}`);
    for (let i = 0; i < 10; i++) stage.print('~'.repeat(50_000));
    stage.print('\x1b\\done');
    stage.settle();
    expect(screen.kinds()).toBe('snapshot raw+');
    expect(screen.raw.endsWith('done')).toBe(true);
  });
});
