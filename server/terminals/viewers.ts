import type { PtyHostArgs, PtyHostClient } from '../../schemas/pty-host';
import type { StreamHeader } from '../../schemas/terminals';
import { toWire } from '../../schemas/wire-bytes';
import type { Tab } from '../realtime';

interface Viewer {
  tab: Tab;
  /** The page's own name for it. */
  viewerId: string;
  /** As it was attached. */
  added: PtyHostArgs<'attach'>;
  /** As it would be attached now. */
  attach: PtyHostArgs<'attach'>;
}

/** Which tab watches which session. The pty host knows viewers by a name that no two tabs share. */
export class Viewers {
  private readonly viewers = new Map<string, Viewer>();

  static key(tab: Tab, viewerId: string): string {
    return `${tab.id}:${viewerId}`;
  }

  static isOf(key: string, tab: Tab): boolean {
    return key.startsWith(`${tab.id}:`);
  }

  /** To be called before the pty host is asked: its first bytes come before its answer. */
  add(tab: Tab, viewerId: string, attach: Omit<PtyHostArgs<'attach'>, 'viewerId'>): PtyHostArgs<'attach'> {
    const key = Viewers.key(tab, viewerId);
    const added = { ...attach, viewerId: key };
    this.viewers.set(key, { tab, viewerId, added, attach: added });
    return added;
  }

  has(key: string): boolean {
    return this.viewers.has(key);
  }

  /** Remembers how a viewer is to be attached again. False if there is no such viewer. */
  update(key: string, change: Partial<PtyHostArgs<'attach'>>): boolean {
    const viewer = this.viewers.get(key);
    if (!viewer) return false;
    viewer.attach = { ...viewer.attach, ...change };
    return true;
  }

  remove(key: string): boolean {
    return this.viewers.delete(key);
  }

  /** Removes it unless it was added anew since. */
  takeBack(attach: PtyHostArgs<'attach'>): boolean {
    return this.viewers.get(attach.viewerId)?.added === attach && this.viewers.delete(attach.viewerId);
  }

  /** Removes all viewers of a tab and gives their keys. */
  removeTab(tab: Tab): string[] {
    const keys = [...this.viewers].filter(([, viewer]) => viewer.tab.id === tab.id).map(([key]) => key);
    for (const key of keys) this.viewers.delete(key);
    return keys;
  }

  removeSession(sessionId: string): void {
    for (const [key, viewer] of this.viewers) if (viewer.attach.sessionId === sessionId) this.viewers.delete(key);
  }

  of(sessionId: string): PtyHostArgs<'attach'>[] {
    return [...this.viewers.values()].map(({ attach }) => attach).filter((attach) => attach.sessionId === sessionId);
  }

  /** Passes the stream on; the bytes are not looked at. */
  relay(client: PtyHostClient): void {
    client.on('data', (key: string, header: StreamHeader, bytes?: Buffer) => {
      const viewer = this.viewers.get(key);
      if (!viewer) return;
      if (bytes) viewer.tab.emit('terminal:data', viewer.viewerId, header, toWire(bytes));
      else viewer.tab.emit('terminal:data', viewer.viewerId, header);
    });
  }
}
