import { expect, it } from 'vitest';
import { tab } from './testing';
import { Viewers } from './viewers';

it('an attach that failed late takes back itself, and not one that came after it', () => {
  const viewers = new Viewers();
  const attach = { sessionId: 'session-1', cols: 80, rows: 24, history: 0, visibility: 'live' } as const;
  const late = viewers.add(tab(), 'viewer-1', attach);
  const current = viewers.add(tab(), 'viewer-1', attach);
  viewers.update(current.viewerId, { cols: 100 });
  expect([viewers.takeBack(late), viewers.of('session-1').length]).toEqual([false, 1]);
  expect([viewers.takeBack(current), viewers.of('session-1').length]).toEqual([true, 0]);
});
