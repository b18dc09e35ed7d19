import { describe, expect, it } from 'vitest';
import type { SessionView } from '../../schemas/terminals';
import { withoutSession, withSession, withSessionList } from './sessions';

const view = (id: string, revision: number, name?: string): SessionView => ({
  record: {
    v: 1,
    id,
    projectId: 'project-1',
    program: '/bin/sh',
    args: [],
    cwd: '/',
    ...(name ? { name } : {}),
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
    produced: 0,
    keptFrom: 0,
    title: `title ${revision}`,
    lastLine: '',
    altScreen: false,
    journal: { state: 'on' },
    startedAt: 0,
  },
});

describe('what the page knows of sessions', () => {
  it('ignores an older info, but takes the newer record that came with it', () => {
    const known = withSession({}, view('session-a', 7));
    expect(withSession(known, view('session-a', 6, 'renamed'))).toEqual({
      'session-a': { ...view('session-a', 7), record: view('session-a', 6, 'renamed').record },
    });
  });

  it('takes a newer info', () => {
    expect(withSession(withSession({}, view('session-a', 7)), view('session-a', 8))).toEqual({
      'session-a': view('session-a', 8),
    });
  });

  it('forgets what is not in the list of a hello', () => {
    const known = withSession(withSession({}, view('session-a', 1)), view('session-b', 1));
    expect(withSessionList(known, [view('session-b', 2)], new Set())).toEqual({ 'session-b': view('session-b', 2) });
  });

  it('keeps what arrived while the hello was on its way', () => {
    const known = withSession(withSession({}, view('session-a', 5)), view('session-new', 1));
    const next = withSessionList(
      known,
      [view('session-a', 4), view('session-gone', 1)],
      new Set(['session-a', 'session-new', 'session-gone']),
    );
    expect(next).toEqual({ 'session-a': view('session-a', 5), 'session-new': view('session-new', 1) });
  });

  it('lets a restarted pty host, whose revisions are only unknown, start anew in a fresh list', () => {
    expect(withSessionList(withSession({}, view('session-a', 90)), [view('session-a', 1)], new Set())).toEqual({
      'session-a': view('session-a', 1),
    });
  });

  it('removes a session', () => {
    expect(withoutSession(withSession({}, view('session-a', 1)), 'session-a')).toEqual({});
  });
});
