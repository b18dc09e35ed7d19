// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SessionInfo, SessionView } from '../../schemas/terminals';
import { dropSessionNews, holdSessionNews, takeOutputNews } from './session-news';
import { useSessions } from './stores';

const info = (sessionId: string, revision: number): SessionInfo => ({
  sessionId,
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
});
const view = (id: string): SessionView => ({
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
  info: info(id, 2),
});
const shown = (id: string) => useSessions.getState().sessions[id]?.info?.revision;

beforeEach(() => useSessions.setState({ sessions: { a: view('a'), b: view('b') } }));
afterEach(() => {
  dropSessionNews();
  holdSessionNews(false);
  useSessions.setState({ sessions: {} });
});

describe('news of output', () => {
  it('is drawn once for all sessions, never an older one, and none of a session that is not known', () => {
    const drawn = vi.fn();
    const stop = useSessions.subscribe(drawn);
    takeOutputNews([info('a', 9), info('b', 1), info('c', 5)]);
    expect([shown('a'), shown('b'), shown('c'), drawn.mock.calls.length]).toEqual([9, 2, undefined, 1]);
    stop();
  });

  it('waits while the camera moves, and brings back no session that is gone', () => {
    holdSessionNews(true);
    takeOutputNews([info('a', 3), info('b', 3)]);
    expect([shown('a'), shown('b')]).toEqual([2, 2]);
    dropSessionNews('b');
    holdSessionNews(false);
    expect([shown('a'), shown('b')]).toEqual([3, 2]);
  });
});
