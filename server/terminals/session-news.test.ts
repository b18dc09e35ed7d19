import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SessionInfo, SessionView } from '../../schemas/terminals';
import { SessionNews } from './session-news';

const view = (id: string, revision: number, info: Partial<SessionInfo> = {}): SessionView => ({
  record: {
    v: 1,
    id,
    projectId: 'project-1',
    program: '/bin/sh',
    args: [],
    cwd: '/',
    cols: 80,
    rows: 24,
    createdAt: 0,
    journal: true,
  },
  info: {
    sessionId: id,
    revision,
    state: 'running',
    cols: 80,
    rows: 24,
    produced: revision,
    keptFrom: 0,
    title: 'shell',
    lastLine: `line ${revision}`,
    altScreen: false,
    journal: { state: 'on' },
    startedAt: 0,
    ...info,
  },
});

describe('news of sessions', () => {
  let told: unknown[][];
  let news: SessionNews;
  beforeEach(() => {
    vi.useFakeTimers();
    told = [];
    news = new SessionNews((event, ...args) => void told.push([event, ...args]));
    for (const id of ['a', 'b']) news.take(view(id, 1));
  });
  afterEach(() => {
    news.stop();
    vi.useRealTimers();
  });

  it('tells output that goes on of all sessions together, a few times a second, the newest of each', () => {
    told.length = 0;
    for (let revision = 2; revision < 10; revision++) for (const id of ['a', 'b']) news.take(view(id, revision));
    expect(told).toEqual([]);
    vi.advanceTimersByTime(250);
    expect(told).toEqual([['sessions:output', [view('a', 9).info, view('b', 9).info]]]);
    vi.advanceTimersByTime(1000);
    expect(told).toHaveLength(1);
  });

  it('tells at once what a person waits for, and nothing older after it', () => {
    told.length = 0;
    news.take(view('a', 2));
    news.take(view('a', 3, { state: 'ended', exit: { code: 1 } }));
    news.take(view('b', 2, { title: 'make' }));
    vi.advanceTimersByTime(1000);
    expect(told).toEqual([
      ['session:changed', view('a', 3, { state: 'ended', exit: { code: 1 } })],
      ['session:changed', view('b', 2, { title: 'make' })],
    ]);
  });

  it('tells nothing of a session that is gone', () => {
    told.length = 0;
    news.take(view('a', 2));
    news.dropped('a');
    vi.advanceTimersByTime(1000);
    expect(told).toEqual([]);
    news.take(view('a', 3));
    expect(told).toEqual([['session:changed', view('a', 3)]]);
  });
});
