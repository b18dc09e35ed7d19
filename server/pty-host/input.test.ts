import { beforeEach, describe, expect, it } from 'vitest';
import { Input } from './input';

let written: string[];
let finish: (() => void)[];
/** Ways asked for: the key, whether it is written by now, and how to say that it has arrived. */
let ways: { key: number; written: () => boolean; made: () => void }[];
let timers: { ms: number; run: () => void }[];
let input: Input;
/** The program reads: all that waits in the kernel goes through. */
const read = (): void => {
  while (finish.length) finish.shift()!();
};
const text = (): string => written.join('');

beforeEach(() => {
  written = [];
  finish = [];
  ways = [];
  timers = [];
  input = new Input({
    write: (bytes, done) => {
      written.push(bytes.toString());
      finish.push(done);
    },
    makeWay: (key, isWritten) => new Promise((made) => ways.push({ key, written: isWritten, made })),
    now: () => 0,
    later: (ms, run) => {
      const timer = { ms, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
  });
});
const accept = (inputId: string, seq: number, bytes: string, paste?: 'first' | 'more' | 'last'): Promise<void> =>
  input.accept({ inputId, seq, ...(paste ? { paste } : {}) }, Buffer.from(bytes));

describe('input', () => {
  it('is written once each, in order', async () => {
    await accept('a', 1, 'one');
    await accept('a', 2, 'two');
    await accept('a', 2, 'two');
    await accept('a', 1, 'one');
    await accept('b', 1, 'three');
    read();
    expect(text()).toBe('onetwothree');
    expect(() => accept('a', 4, 'x')).toThrow(expect.objectContaining({ code: 'input-gap' }));
  });

  it('remembers the last 64 inputs', async () => {
    for (let i = 0; i < 64; i++) await accept(`input-${i}`, 1, '.');
    read();
    await accept('input-0', 1, '!');
    expect(text()).toBe('.'.repeat(64));
  });

  it('stream:paste-whole: lets nothing between the pieces of a paste: neither keys nor answers', async () => {
    await accept('paste', 1, '[', 'first');
    await accept('keys', 1, 'k');
    input.reply(Buffer.from('r'));
    await accept('paste', 2, 'body', 'more');
    await accept('paste', 3, ']', 'last');
    read();
    expect(text()).toBe('[body]kr');
  });

  it('gives a paste up whose next piece does not come', async () => {
    await accept('paste', 1, '[', 'first');
    await accept('keys', 1, 'k');
    read();
    expect(text()).toBe('[');
    timers.find((timer) => timer.ms === 10_000)!.run();
    read();
    expect(text()).toBe('[k');
  });

  it('closes a bracketed paste that was given up, and opens it again should its rest come', async () => {
    await accept('paste', 1, '\x1b[200~one', 'first');
    await accept('keys', 1, 'k');
    timers.find((timer) => timer.ms === 10_000)!.run();
    read();
    expect(text()).toBe('\x1b[200~one\x1b[201~k');
    await accept('paste', 2, 'two', 'more');
    await accept('paste', 3, 'three\x1b[201~', 'last');
    await accept('paste', 4, 'j');
    read();
    expect(text()).toBe('\x1b[200~one\x1b[201~k\x1b[200~twothree\x1b[201~j');
  });

  it('opens it again for the last piece alone', async () => {
    await accept('paste', 1, '\x1b[200~one', 'first');
    timers.find((timer) => timer.ms === 10_000)!.run();
    await accept('paste', 2, 'two\x1b[201~', 'last');
    await accept('paste', 3, 'k');
    read();
    expect(text()).toBe('\x1b[200~one\x1b[201~\x1b[200~two\x1b[201~k');
  });

  it('answers late when the program does not read, and refuses when far too much waits', async () => {
    const block = 'x'.repeat(64 * 1024);
    let answered = 0;
    for (let seq = 1; seq <= 6; seq++) void accept('a', seq, block).then(() => answered++);
    await Promise.resolve();
    expect(answered).toBe(3);
    read();
    await Promise.resolve();
    expect(answered).toBe(6);
    for (let seq = 7; seq <= 134; seq++) void accept('a', seq, block);
    expect(() => accept('a', 135, block)).toThrow(expect.objectContaining({ code: 'input-full' }));
  });

  it('drops answers, not keys, behind a program that does not read', () => {
    for (let i = 0; i < 100_000; i++) input.reply(Buffer.from('\x1b[0n'));
    void accept('a', 1, 'key');
    read();
    expect(text().length).toBeLessThan(70_000);
    expect(text().endsWith('key')).toBe(true);
  });

  it('an interrupt overtakes what the program does not read; the rest is dropped, an open paste closed', async () => {
    const block = 'x'.repeat(64 * 1024);
    void accept('a', 1, `\x1b[200~${block.slice(6)}`, 'first');
    void accept('a', 2, block, 'more');
    void accept('b', 1, '\x03');
    void accept('a', 3, block, 'more');
    void accept('a', 4, 'rest\x1b[201~', 'last');
    void accept('a', 5, 'k');
    read();
    ways[0]!.made();
    await Promise.resolve();
    read();
    expect(text()).toBe(`\x1b[200~${block.slice(6, 16 * 1024)}\x1b[201~\x03k`);
  });

  it('a second interrupt does not make the rest of a paste that was cut off into typed keys', async () => {
    const block = 'x'.repeat(64 * 1024);
    void accept('a', 1, `\x1b[200~${block.slice(6)}`, 'first');
    void accept('b', 1, '\x03');
    void accept('b', 2, '\x03');
    void accept('a', 2, 'rm everything\r', 'more');
    void accept('a', 3, 'rest\x1b[201~', 'last');
    void accept('a', 4, 'k');
    for (const way of ways) way.made();
    for (let turn = 0; turn < 5; turn++) {
      read();
      await Promise.resolve();
    }
    expect(text()).toContain('\x03');
    expect(text()).not.toMatch(/everything|rest/);
    expect(text().endsWith('k')).toBe(true);
  });

  it('an interrupt changes nothing where nothing waits, and is part of a paste that holds it', () => {
    void accept('a', 1, 'key');
    read();
    void accept('a', 2, '\x03');
    void accept('a', 3, '\x1b[200~a\x03b\x1b[201~');
    read();
    expect(text()).toBe('key\x03\x1b[200~a\x03b\x1b[201~');
  });

  it('way is made for an interrupt behind what may be unread; what is typed after it waits until it has arrived', async () => {
    void accept('a', 1, 'x'.repeat(40_000));
    void accept('a', 2, '\x03');
    void accept('a', 3, 'after');
    expect(ways.map(({ key, written }) => [key, written()])).toEqual([[3, false]]);
    finish.shift()!();
    expect([text().length, ways[0]!.written()]).toEqual([16 * 1024 + 1, false]);
    finish.shift()!();
    expect([text().slice(-1), ways[0]!.written()]).toEqual(['\x03', true]);
    ways[0]!.made();
    await Promise.resolve();
    read();
    expect(text().slice(-6)).toBe('\x03after');
    void accept('a', 4, '\x03');
    expect(ways).toHaveLength(1);
  });

  it('a second interrupt takes the place of the first where that could not be written, and is made way for too', async () => {
    void accept('a', 1, 'x'.repeat(16 * 1024));
    void accept('a', 2, '\x03');
    void accept('a', 3, '\x1c');
    void accept('a', 4, 'k');
    expect(ways.map(({ key }) => key)).toEqual([3, 0x1c]);
    read();
    expect(text().slice(-2)).toBe('x\x1c');
    ways[0]!.made();
    await Promise.resolve();
    read();
    expect(text().slice(-2)).toBe('x\x1c');
    ways[1]!.made();
    await Promise.resolve();
    read();
    expect(text().slice(-2)).toBe('\x1ck');
  });

  it('no way is made where little was written, nor for other keys', () => {
    void accept('a', 1, 'x'.repeat(900));
    void accept('a', 2, '\x03');
    void accept('a', 3, 'x'.repeat(900));
    void accept('a', 4, 'k');
    read();
    expect(ways).toHaveLength(0);
    void accept('a', 5, '\x03');
    expect(ways).toHaveLength(1);
  });

  it('a program that ends leaves nobody waiting for its way', async () => {
    void accept('a', 1, 'x'.repeat(40_000));
    void accept('a', 2, '\x03');
    input.close();
    expect(ways[0]!.written()).toBe(true);
    ways[0]!.made();
    await Promise.resolve();
    read();
    expect(text().length).toBe(16 * 1024);
  });
});
