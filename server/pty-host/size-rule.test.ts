import { beforeEach, describe, expect, it } from 'vitest';
import { type Size, SizeRule } from './size-rule';
import { Viewer } from './viewer';

let now: number;
let timers: { at: number; run: () => void }[];
let viewers: Viewer[];
let applied: Size[];
let rule: SizeRule;

const advance = (ms: number) => {
  now += ms;
  for (const timer of timers.filter(({ at }) => at <= now)) {
    timers = timers.filter((one) => one !== timer);
    timer.run();
  }
};
const at = (cols: number): Size => ({ cols, rows: 24 });

function open(id: string, cols: number, tab = id): Viewer {
  const viewer = new Viewer(
    id,
    at(cols),
    'live',
    () => {},
    () => {},
    tab,
  );
  viewers.push(viewer);
  rule.attached(viewer, viewers.length === 1);
  return viewer;
}
function close(viewer: Viewer): void {
  viewers = viewers.filter((one) => one !== viewer);
  rule.detached(viewer);
}

beforeEach(() => {
  now = 1000;
  timers = [];
  viewers = [];
  applied = [];
  rule = new SizeRule(at(80), {
    now: () => now,
    later: (ms, run) => {
      const timer = { at: now + ms, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    apply: (size) => applied.push(size),
    viewers: () => viewers,
  });
});

describe('the size of a terminal that two tabs show', () => {
  it('stays that of a tab that is loaded anew, or comes back over another connection', () => {
    const first = open('socket-1:viewer-1', 100, 'tab-one');
    open('socket-2:viewer-2', 60, 'tab-two');
    close(first);
    advance(500);
    open('socket-3:viewer-3', 100, 'tab-one');
    advance(5000);
    expect([rule.size, applied]).toEqual([at(100), [at(100)]]);
  });

  it('stays that of a tab when another one by its name comes, which goes on with it when the first has gone', () => {
    const first = open('socket-1:viewer-1', 100, 'tab-one');
    open('socket-2:viewer-2', 60, 'tab-two');
    open('socket-3:viewer-3', 90, 'tab-one');
    advance(5000);
    expect(rule.size).toEqual(at(100));
    close(first);
    advance(5000);
    expect(rule.size).toEqual(at(90));
  });

  it('becomes that of the other tab when the first does not come back', () => {
    const first = open('socket-1:viewer-1', 100, 'tab-one');
    open('socket-2:viewer-2', 60, 'tab-two');
    close(first);
    advance(1000);
    expect(rule.size).toEqual(at(60));
  });

  it('is that of the first again when it comes back late, unless somebody typed meanwhile', () => {
    const first = open('socket-1:viewer-1', 100, 'tab-one');
    const second = open('socket-2:viewer-2', 60, 'tab-two');
    close(first);
    advance(5000);
    expect(rule.size).toEqual(at(60));
    const back = open('socket-3:viewer-3', 100, 'tab-one');
    advance(100);
    expect(rule.size).toEqual(at(100));
    close(back);
    advance(5000);
    rule.typed(second);
    open('socket-4:viewer-4', 100, 'tab-one');
    advance(5000);
    expect(rule.size).toEqual(at(60));
  });

  it('is that of the tab which had it when all are cut off at once, whoever comes back first', () => {
    const first = open('socket-1:viewer-1', 100, 'tab-one');
    const second = open('socket-2:viewer-2', 60, 'tab-two');
    close(first);
    close(second);
    advance(5000);
    open('socket-4:viewer-2', 60, 'tab-two');
    open('socket-5:viewer-1', 100, 'tab-one');
    advance(5000);
    expect(rule.size).toEqual(at(100));
  });

  it('is that of the tab that types, also when another was about to change its own', () => {
    const first = open('socket-1:viewer-1', 100, 'tab-one');
    const second = open('socket-2:viewer-2', 60, 'tab-two');
    advance(1000);
    rule.typed(second);
    first.size = at(101);
    rule.resized(first);
    rule.typed(second);
    advance(1000);
    expect([rule.size, applied.at(-1)]).toEqual([at(60), at(60)]);
  });
});
