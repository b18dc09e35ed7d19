import { beforeEach, describe, expect, it } from 'vitest';
import { Replies } from './replies';

let now: number;
let timers: { at: number; run: () => void }[];
let sent: string[];
let replies: Replies;

beforeEach(() => {
  now = 5000;
  timers = [];
  sent = [];
  replies = new Replies({
    now: () => now,
    later: (ms, run) => {
      const timer = { at: now + ms, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    send: (answers) => sent.push(answers),
  });
});

function pass(ms: number): void {
  for (const end = now + ms; now < end; ) {
    now += 1;
    const due = timers.filter((one) => one.at <= now);
    timers = timers.filter((one) => one.at > now);
    for (const { run } of due) run();
  }
}

describe('answers to queries', () => {
  it('go out at once, as many as programs ask for when they start', () => {
    for (let i = 0; i < 512; i++) replies.add(`<${i}>`);
    expect(sent).toEqual(Array.from({ length: 512 }, (_, i) => `<${i}>`));
  });

  it('are all given to a program that waits for each, however long it goes on', () => {
    for (let i = 0; i < 10_000; i++) {
      const before = sent.length;
      replies.add(`<${i}>`);
      for (let waited = 0; sent.length === before && waited < 100; waited++) pass(1);
    }
    expect(sent.join('')).toBe(Array.from({ length: 10_000 }, (_, i) => `<${i}>`).join(''));
    expect(now - 5000).toBeLessThan(6000);
  });

  it('are few writes and bounded for a program that asks in a loop, and soon as usual afterwards', () => {
    for (let ms = 0; ms < 1000; ms++) {
      for (let i = 0; i < 500; i++) replies.add('\x1b[?62;4;9;22c');
      pass(1);
    }
    expect(sent.length).toBeLessThan(600);
    expect(sent.join('').length / 13).toBeLessThan(512 + 2100);
    pass(1000);
    expect(timers).toEqual([]);
    sent = [];
    replies.add('\x1b[0n');
    expect(sent).toEqual(['\x1b[0n']);
  });

  it('are not given to the next program', () => {
    for (let i = 0; i < 1000; i++) replies.add('x');
    sent = [];
    replies.clear();
    pass(1000);
    expect(sent).toEqual([]);
  });
});
