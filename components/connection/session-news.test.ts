// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SessionView } from '../../schemas/terminals';
import { dropSessionNews, holdSessionNews, takeSessionNews } from './session-news';
import { useSessions } from './stores';

const view = (id: string, revision: number, info: Partial<NonNullable<SessionView['info']>> = {}): SessionView => ({
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
const shown = (id: string) => useSessions.getState().sessions[id]?.info?.revision;

beforeEach(() => {
  vi.useFakeTimers();
  for (const id of ['a', 'b']) takeSessionNews(view(id, 1));
});
afterEach(() => {
  holdSessionNews(false);
  dropSessionNews();
  useSessions.setState({ sessions: {} });
  vi.useRealTimers();
});

describe('news of sessions', () => {
  it('shows output that goes on together with that of all others, a few times a second', () => {
    const drawn = vi.fn();
    const stop = useSessions.subscribe(drawn);
    for (let revision = 2; revision < 10; revision++) for (const id of ['a', 'b']) takeSessionNews(view(id, revision));
    expect([shown('a'), drawn.mock.calls.length]).toEqual([1, 0]);
    vi.advanceTimersByTime(250);
    expect([shown('a'), shown('b'), drawn.mock.calls.length]).toEqual([9, 9, 1]);
    stop();
  });

  it('shows at once what a person waits for, and nothing older after it', () => {
    takeSessionNews(view('a', 2));
    takeSessionNews(view('a', 3, { state: 'ended', exit: { code: 1 } }));
    expect(shown('a')).toBe(3);
    takeSessionNews(view('b', 2, { title: 'make' }));
    expect(shown('b')).toBe(2);
    vi.advanceTimersByTime(1000);
    expect([shown('a'), shown('b')]).toEqual([3, 2]);
  });

  it('waits while the camera moves, and brings back no session that is gone', () => {
    holdSessionNews(true);
    for (const id of ['a', 'b']) takeSessionNews(view(id, 2));
    vi.advanceTimersByTime(5000);
    expect([shown('a'), shown('b')]).toEqual([1, 1]);
    dropSessionNews('b');
    holdSessionNews(false);
    vi.advanceTimersByTime(250);
    expect([shown('a'), shown('b')]).toEqual([2, 1]);
  });
});
