import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FailureError } from '../../../schemas/result';
import type { StreamHeader } from '../../../schemas/terminals';
import { fromWire } from '../../../schemas/wire-bytes';
import type { Snapshot } from './output';
import { type Screen, TerminalViewer, type ViewerLink } from './terminal-viewer';

const text = (s: string) => new TextEncoder().encode(s);

/** An emulator that takes writes in only when told, as xterm does. */
class FakeScreen implements Screen {
  shown = '';
  grid = '80x24';
  pending: (() => void)[] = [];
  paints: (() => void)[] = [];
  write(bytes: Uint8Array, parsed: () => void) {
    this.pending.push(() => {
      this.shown += new TextDecoder().decode(bytes);
      parsed();
    });
  }
  resize(cols: number, rows: number) {
    this.grid = `${cols}x${rows}`;
    this.shown += `<${cols}x${rows}>`;
  }
  replace(snapshot: Snapshot, done: () => void) {
    this.pending.push(() => {
      this.shown = `[${snapshot.parts.map((p) => new TextDecoder().decode(p)).join('')}]`;
      done();
    });
  }
  painted(done: () => void) {
    this.paints.push(done);
  }
  parse() {
    while (this.pending.length > 0) this.pending.shift()!();
  }
  paint() {
    while (this.paints.length > 0) this.paints.shift()!();
  }
}

class FakeLink {
  calls: { name: string; args: Record<string, unknown> }[] = [];
  notices: { name: string; args: Record<string, unknown> }[] = [];
  answer: (name: string, args: Record<string, unknown>) => Promise<unknown> = async () => null;
  link = {
    call: (name: string, wire: Record<string, unknown>) => {
      const args = 'bytes' in wire ? { ...wire, bytes: fromWire(wire.bytes) } : wire;
      this.calls.push({ name, args });
      return this.answer(name, args);
    },
    notify: (name: string, args: Record<string, unknown>) => void this.notices.push({ name, args }),
  } as unknown as ViewerLink;
  named(name: string) {
    return this.calls.filter((c) => c.name === name).map((c) => c.args);
  }
}

let screen: FakeScreen;
let server: FakeLink;
let viewer: TerminalViewer;

const snapshot = (offset: number, part = 0, last = true): StreamHeader => ({
  kind: 'snapshot',
  offset,
  part,
  last,
  cols: 80,
  rows: 24,
  history: 5,
  historyTotal: 9,
});
const raw = (offset: number): StreamHeader => ({ kind: 'raw', offset });
const settle = () => vi.advanceTimersByTimeAsync(0);

beforeEach(async () => {
  vi.useFakeTimers();
  screen = new FakeScreen();
  server = new FakeLink();
  viewer = new TerminalViewer({
    viewerId: 'viewer-1',
    tab: 'tab-one',
    sessionId: 'session-1',
    link: server.link,
    screen,
    cols: 80,
    rows: 24,
    history: 1000,
    visibility: 'live',
  });
  await viewer.attach();
});
afterEach(() => {
  viewer.dispose();
  vi.useRealTimers();
});

test('shows a snapshot of several parts, then raw output from its offset', () => {
  viewer.receive(snapshot(10, 0, false), text('a'));
  viewer.receive(snapshot(10, 1, true), text('b'));
  viewer.receive(raw(10), text('cd'));
  screen.parse();
  expect(screen.shown).toBe('[ab]cd');
  expect(viewer.state).toMatchObject({ phase: 'shown', history: 5, historyTotal: 9, skipping: false });
});

test('pain 21: an overlap is dropped, a gap asks for a snapshot once', () => {
  viewer.receive(snapshot(0), text(''));
  screen.parse();
  viewer.receive(raw(0), text('abc'));
  viewer.receive(raw(1), text('bcde'));
  viewer.receive(raw(0), text('ab'));
  screen.parse();
  expect(screen.shown).toBe('[]abcde');
  viewer.receive(raw(9), text('zz'));
  viewer.receive(raw(11), text('zz'));
  expect(server.named('terminal:resync')).toEqual([{ viewerId: 'viewer-1', history: 1000 }]);
  viewer.receive(snapshot(13), text('all'));
  viewer.receive(raw(13), text('!'));
  screen.parse();
  expect(screen.shown).toBe('[all]!');
});

test('a missing part of a snapshot asks anew', () => {
  viewer.receive(snapshot(0), text('x'));
  screen.parse();
  viewer.receive(snapshot(4, 0, false), text('a'));
  viewer.receive(snapshot(4, 2, true), text('c'));
  expect(server.named('terminal:resync')).toHaveLength(1);
});

test('acknowledges parsed bytes soon, and never leaves more than a quarter of the window open', async () => {
  viewer.receive(snapshot(0), text(''));
  screen.parse();
  server.notices = [];
  viewer.receive(raw(0), text('x'));
  expect(server.notices).toEqual([]);
  screen.parse();
  await vi.advanceTimersByTimeAsync(50);
  expect(server.notices).toEqual([{ name: 'terminal:ack', args: { viewerId: 'viewer-1', offset: 1 } }]);
  server.notices = [];
  const chunk = new Uint8Array(8 * 1024);
  for (let i = 0; i < 16; i++) viewer.receive(raw(1 + i * chunk.length), chunk);
  screen.parse();
  const offsets = server.notices.map((n) => n.args.offset as number);
  const gaps = offsets.map((offset, i) => offset - (offsets[i - 1] ?? 1));
  expect(offsets.at(-1)).toBe(1 + 128 * 1024);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(32 * 1024);
});

test('a frame is acknowledged after it was parsed and painted; later when the terminal is in the background', async () => {
  viewer.receive(snapshot(0), text(''));
  screen.parse();
  server.notices = [];
  viewer.receive({ kind: 'frame', offset: 9, frame: 1 }, text('F1'));
  expect(viewer.isRestoring).toBe(true);
  screen.parse();
  expect(viewer.isRestoring).toBe(false);
  expect(server.notices).toEqual([]);
  screen.paint();
  expect(server.notices).toEqual([{ name: 'terminal:frame-ack', args: { viewerId: 'viewer-1', frame: 1 } }]);
  viewer.setVisibility('background');
  server.notices = [];
  viewer.receive({ kind: 'frame', offset: 12, frame: 2 }, text('F2'));
  screen.parse();
  screen.paint();
  expect(server.notices).toEqual([]);
  await vi.advanceTimersByTimeAsync(80);
  expect(server.notices).toEqual([{ name: 'terminal:frame-ack', args: { viewerId: 'viewer-1', frame: 2 } }]);
});

test('after frames only a snapshot goes on, and nobody asks for it', () => {
  viewer.receive(snapshot(0), text(''));
  screen.parse();
  viewer.receive({ kind: 'frame', offset: 9, frame: 1 }, text('F'));
  viewer.receive(raw(9), text('not this'));
  screen.parse();
  expect(screen.shown).toBe('[]F');
  expect(server.named('terminal:resync')).toEqual([]);
  viewer.receive(snapshot(20), text('S'));
  viewer.receive(raw(20), text('on'));
  screen.parse();
  expect(screen.shown).toBe('[S]on');
});

test('the grid changes exactly where the stream says so', () => {
  viewer.receive(snapshot(0), text(''));
  screen.parse();
  viewer.receive(raw(0), text('ab'));
  viewer.receive({ kind: 'size', offset: 2, cols: 100, rows: 30 });
  viewer.receive(raw(2), text('cd'));
  screen.parse();
  expect(screen.shown).toBe('[]ab<100x30>cd');
});

test('a size between the parts of a snapshot waits behind it', () => {
  viewer.receive(snapshot(0, 0, false), text('a'));
  viewer.receive({ kind: 'size', offset: 0, cols: 100, rows: 30 });
  viewer.receive(snapshot(0, 1, true), text('b'));
  screen.parse();
  expect(screen.shown).toBe('[ab]<100x30>');
});

test('while held nothing is written; all of it is there afterwards', () => {
  viewer.receive(snapshot(0), text(''));
  screen.parse();
  viewer.hold(true);
  viewer.receive(raw(0), text('ab'));
  viewer.receive(raw(2), text('cd'));
  screen.parse();
  expect(screen.shown).toBe('[]');
  viewer.hold(false);
  screen.parse();
  expect(screen.shown).toBe('[]abcd');
});

test('pain 21: a reconnected viewer keeps what it shows and goes on from a snapshot, each byte once', async () => {
  viewer.receive(snapshot(0), text('old'));
  viewer.receive(raw(0), text('abc'));
  screen.parse();
  viewer.connectionLost();
  expect(screen.shown).toBe('[old]abc');
  await viewer.attach();
  viewer.receive(snapshot(7), text('new'));
  viewer.receive(raw(7), text('d'));
  screen.parse();
  expect(screen.shown).toBe('[new]d');
  expect(server.named('terminal:attach').map((a) => a.viewerId)).toEqual(['viewer-1', 'viewer-1']);
});

test('input that was not acknowledged is repeated in order with the same numbers', async () => {
  const acks: (() => void)[] = [];
  server.answer = (name) =>
    name === 'terminal:input' ? new Promise((r) => acks.push(() => r(null))) : Promise.resolve(null);
  for (const key of ['a', 'b', 'c']) viewer.input.push(text(key));
  expect(server.named('terminal:input').map((a) => a.seq)).toEqual([1, 2, 3]);
  acks[0]!();
  await settle();
  viewer.connectionLost();
  viewer.input.push(text('d'));
  expect(server.named('terminal:input')).toHaveLength(3);
  await viewer.attach();
  const again = server.named('terminal:input').slice(3);
  expect(again.map((a) => [a.seq, new TextDecoder().decode(a.bytes as Uint8Array)])).toEqual([
    [2, 'b'],
    [3, 'c'],
    [4, 'd'],
  ]);
});

test('pain 9: a long paste goes in pieces of at most 64 KiB that are marked as one, a bounded number at once', async () => {
  const acks: (() => void)[] = [];
  server.answer = (name) =>
    name === 'terminal:input' ? new Promise((r) => acks.push(() => r(null))) : Promise.resolve(null);
  viewer.input.push(new Uint8Array(1024 * 1024 + 12), true);
  viewer.input.push(text('after'));
  expect(server.named('terminal:input')).toHaveLength(8);
  while (acks.length > 0) {
    acks.shift()!();
    await settle();
  }
  const sent = server.named('terminal:input');
  expect(sent.map((a) => a.paste)).toEqual(['first', ...Array(15).fill('more'), 'last', undefined]);
  expect(Math.max(...sent.map((a) => (a.bytes as Uint8Array).length))).toBe(64 * 1024);
  expect(viewer.input.empty).toBe(true);
});

test('an unanswered piece is repeated; a refused one drops what is queued and says why', async () => {
  let failure: FailureError | null = new FailureError('timeout', 'no answer');
  server.answer = async (name) => {
    if (name === 'terminal:input' && failure) throw failure;
    return null;
  };
  viewer.input.push(text('x'));
  await settle();
  failure = null;
  await vi.advanceTimersByTimeAsync(600);
  expect(server.named('terminal:input').map((a) => a.seq)).toEqual([1, 1]);
  expect(viewer.input.empty).toBe(true);
  failure = new FailureError('session-ended', 'The process has ended.');
  viewer.input.push(text('y'));
  await settle();
  expect(viewer.input.empty).toBe(true);
});

test('an interrupt does not wait behind a paste: the rest is dropped, the paste closed, and it is sent at once', async () => {
  await viewer.attach();
  server.answer = (name) => (name === 'terminal:input' ? new Promise(() => {}) : Promise.resolve(null));
  viewer.input.push(new Uint8Array(1024 * 1024), true);
  const sent = server.named('terminal:input').length;
  expect(viewer.input.interrupt(text('\x03'), text('END'))).toBe(1024 * 1024);
  const pieces = server.named('terminal:input').slice(sent);
  expect(pieces.map((a) => [a.seq, new TextDecoder().decode(a.bytes as Uint8Array), a.paste])).toEqual([
    [sent + 1, 'END', 'last'],
    [sent + 2, '\x03', undefined],
  ]);
  viewer.input.push(text('k'));
  expect(server.named('terminal:input')).toHaveLength(sent + 2);
});

test('a cancelled paste is closed properly, and typing goes on behind it', async () => {
  const acks: (() => void)[] = [];
  const answerLater = () => new Promise<unknown>((resolve) => acks.push(() => resolve(null)));
  server.answer = (name) => (name === 'terminal:input' ? answerLater() : Promise.resolve(null));
  viewer.input.push(new Uint8Array(1024 * 1024), true);
  viewer.input.cancel(text('END'));
  expect(viewer.input.pendingBytes).toBe(8 * 64 * 1024 + 3);
  while (acks.length > 0) {
    acks.shift()!();
    await settle();
  }
  const last = server.named('terminal:input').at(-1)!;
  expect([new TextDecoder().decode(last.bytes as Uint8Array), last.paste]).toEqual(['END', 'last']);
});

test('a paste of which nothing was sent yet is not closed, whatever waits before it', async () => {
  server.answer = (name) => (name === 'terminal:input' ? new Promise(() => {}) : Promise.resolve(null));
  for (const key of 'abcdefghi') viewer.input.push(text(key));
  viewer.input.push(new Uint8Array(200 * 1024), true);
  const sent = server.named('terminal:input').length;
  viewer.input.interrupt(text('\x03'), text('END'));
  const after = server.named('terminal:input').slice(sent);
  expect(after.map((a) => new TextDecoder().decode(a.bytes as Uint8Array))).toEqual(['\x03']);
});

test('after dropped pieces the numbers that the server expects are used', async () => {
  const written: string[] = [];
  let seen = 0;
  let ended = true;
  server.answer = async (name, args) => {
    if (name !== 'terminal:input') return null;
    const seq = args.seq as number;
    if (seq <= seen) return null;
    if (ended) throw new FailureError('session-ended', 'ended');
    if (seq !== seen + 1) throw new FailureError('input-gap', 'gap', { expected: seen + 1 });
    seen = seq;
    written.push(new TextDecoder().decode(args.bytes as Uint8Array));
    return null;
  };
  for (const key of ['a', 'b']) viewer.input.push(text(key));
  await settle();
  ended = false;
  for (const key of ['c', 'd', 'e']) viewer.input.push(text(key));
  await settle();
  await settle();
  expect(written).toEqual(['c', 'd', 'e']);
  expect(viewer.input.empty).toBe(true);
});

test('a program that does not read gets its input later, in order', async () => {
  const written: string[] = [];
  let seen = 0;
  let full = true;
  server.answer = async (name, args) => {
    if (name !== 'terminal:input') return null;
    const seq = args.seq as number;
    if (seq <= seen) return null;
    if (seq !== seen + 1) throw new FailureError('input-gap', 'gap', { expected: seen + 1 });
    if (full) throw new FailureError('input-full', 'full');
    seen = seq;
    written.push(new TextDecoder().decode(args.bytes as Uint8Array));
    return null;
  };
  for (const key of ['a', 'b', 'c']) viewer.input.push(text(key));
  await settle();
  full = false;
  await vi.advanceTimersByTimeAsync(600);
  expect(written).toEqual(['a', 'b', 'c']);
});

test('a refused attach is said and tried again', async () => {
  const lost = new TerminalViewer({
    viewerId: 'viewer-2',
    tab: 'tab-one',
    sessionId: 'session-1',
    link: server.link,
    screen,
    cols: 80,
    rows: 24,
    history: 0,
    visibility: 'live',
  });
  server.answer = async () => {
    throw new FailureError('pty-host-gone', 'gone');
  };
  await lost.attach();
  expect(lost.state).toMatchObject({ phase: 'failed', error: { code: 'pty-host-gone' } });
  server.answer = async () => null;
  await vi.advanceTimersByTimeAsync(1_100);
  lost.receive(snapshot(0), text('here'));
  screen.parse();
  expect(lost.state).toMatchObject({ phase: 'shown', error: undefined });
  lost.dispose();
});

test('size and visibility that change while the attach is under way are sent after it', async () => {
  let answer: () => void = () => {};
  server.answer = () => new Promise((r) => (answer = () => r(null)));
  const attaching = viewer.attach();
  viewer.setGrid(100, 30);
  viewer.setVisibility('background');
  expect(server.named('terminal:size')).toEqual([]);
  answer();
  await attaching;
  expect(server.named('terminal:size')).toEqual([{ viewerId: 'viewer-1', cols: 100, rows: 30 }]);
  expect(server.named('terminal:visibility')).toEqual([{ viewerId: 'viewer-1', visibility: 'background' }]);
});

test('more history is asked for and waited for', async () => {
  viewer.receive(snapshot(0), text(''));
  screen.parse();
  let done = false;
  void viewer.resync(5000).then(() => (done = true));
  expect(server.named('terminal:resync')).toEqual([{ viewerId: 'viewer-1', history: 5000 }]);
  viewer.receive(snapshot(0), text('more'));
  screen.parse();
  await settle();
  expect(done).toBe(true);
});

test('a disposed viewer detaches and shows nothing more', () => {
  viewer.receive(snapshot(0), text(''));
  screen.parse();
  viewer.receive(raw(0), text('a'));
  viewer.dispose();
  screen.parse();
  viewer.receive(raw(1), text('b'));
  expect(server.named('terminal:detach')).toEqual([{ viewerId: 'viewer-1' }]);
  expect(vi.getTimerCount()).toBe(0);
});

test('a paste that has begun still arrives whole after its card is gone', async () => {
  const answers: (() => void)[] = [];
  server.answer = (name) =>
    name === 'terminal:input' ? new Promise((resolve) => answers.push(() => resolve(null))) : Promise.resolve(null);
  viewer.input.push(new Uint8Array(20 * 64 * 1024), true);
  viewer.dispose();
  viewer.input.push(text('typed into nothing'));
  while (answers.length > 0) {
    answers.shift()!();
    await settle();
  }
  const pieces = server.named('terminal:input');
  expect(pieces.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
  expect(pieces.at(-1)?.paste).toBe('last');
  expect(viewer.input.empty).toBe(true);
});

test('what was typed without a connection arrives once there is one, though the card is gone', async () => {
  server.answer = async (name) => {
    if (name === 'terminal:input') throw new FailureError('disconnected', 'No connection');
    return null;
  };
  viewer.connectionLost();
  viewer.input.push(text('ls'));
  viewer.dispose();
  await settle();
  server.answer = async () => null;
  await vi.advanceTimersByTimeAsync(600);
  expect(server.named('terminal:input').map(({ seq }) => seq)).toEqual([1, 1]);
  expect(viewer.input.empty).toBe(true);
});

test('a card that goes away while it attaches leaves no viewer behind', async () => {
  let attached = (): void => undefined;
  server.answer = (name) =>
    name === 'terminal:attach' ? new Promise((resolve) => (attached = () => resolve(null))) : Promise.resolve(null);
  viewer.connectionLost();
  const attaching = viewer.attach();
  viewer.dispose();
  attached();
  await attaching;
  expect(server.named('terminal:detach')).toEqual([{ viewerId: 'viewer-1' }]);
});

test('a paste that was stopped is not offered again to a program that never took it', async () => {
  server.answer = async (name) => {
    if (name === 'terminal:input') throw new FailureError('pty-host-timeout', 'No answer');
    return null;
  };
  viewer.input.push(new Uint8Array(20 * 64 * 1024), true);
  viewer.input.cancel(text('\x1b[201~'));
  await settle();
  await vi.advanceTimersByTimeAsync(2000);
  expect(viewer.input.empty).toBe(true);
  server.answer = async () => null;
  viewer.input.push(text('ls'));
  await settle();
  expect(server.named('terminal:input').at(-1)?.bytes).toEqual(text('ls'));
});
