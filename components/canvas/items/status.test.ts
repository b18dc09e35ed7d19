import { describe, expect, it } from 'vitest';
import type { SessionInfo, SessionView } from '../../../schemas/terminals';
import { statusOf } from './status';

const t = (key: string, values?: Record<string, string | number>) => [key, ...Object.values(values ?? {})].join(' ');
const info = (more: Partial<SessionInfo> = {}): SessionInfo => ({
  sessionId: 'session-a',
  revision: 1,
  state: 'running',
  cols: 80,
  rows: 24,
  produced: 0,
  keptFrom: 0,
  title: '',
  lastLine: '',
  altScreen: false,
  journal: { state: 'on' },
  startedAt: 0,
  ...more,
});
const view = (more?: Partial<SessionInfo>): SessionView => ({
  record: {
    v: 1,
    id: 'session-a',
    projectId: 'project-a',
    program: '/bin/zsh',
    args: [],
    cwd: '/',
    cols: 80,
    rows: 24,
    createdAt: 0,
    journal: true,
  },
  ...(more ? { info: info(more) } : {}),
});
const state = (more: Partial<SessionInfo>, needed = false) => {
  const { state, shape, word } = statusOf(
    view(more),
    needed ? { sessionId: 'session-a', why: 'bell', at: 0 } : undefined,
    'connected',
    t,
  );
  return [state, shape, word];
};

describe('the status of a card', () => {
  it('names every state by word and shape', () => {
    expect([
      state({}),
      state({ busy: true }),
      state({ progress: { state: 'normal', percent: 40 } }),
      state({ lastStatus: 2 }),
      state({}, true),
      state({ state: 'ended', exit: { code: 0 } }),
      state({ state: 'ended', exit: {} }),
      state({ state: 'ended', exit: { code: 3 } }),
      state({ state: 'ended', exit: { signal: 'SIGKILL' } }),
    ]).toEqual([
      ['ready', 'ring', 'status.ready'],
      ['busy', 'dot', 'status.busy'],
      ['busy', 'dot', 'status.progress 40'],
      ['ready', 'ring', 'status.lastFailed 2'],
      ['need', 'ring', 'status.need.bell'],
      ['ended', 'square', 'status.ended'],
      ['ended', 'square', 'status.ended'],
      ['failed', 'diamond', 'status.exit 3'],
      ['failed', 'diamond', 'status.signal SIGKILL'],
    ]);
  });

  it('says that nobody can be asked when the pty host is gone', () => {
    expect([statusOf(view(), undefined, 'gone', t).word, statusOf(view(), undefined, 'starting', t).word]).toEqual([
      'status.unreachable',
      'status.starting',
    ]);
  });

  it('says that the terminal service is waited for while it does not answer', () => {
    expect(statusOf(view(), undefined, 'silent', t)).toMatchObject({ state: 'unknown', word: 'status.waiting' });
  });
});
