import { sameButOutput } from '../../schemas/session-view';
import type { SessionInfo, SessionView } from '../../schemas/terminals';
import type { Broadcast } from '../realtime';

/** Where output has got to is told of all sessions together, this often, in milliseconds: a hundred tell it 500 times a second. */
const EVERY_MS = 250;

/** Tells tabs about sessions: what a person waits for at once, how far output has got a few times a second. */
export class SessionNews {
  private readonly told = new Map<string, SessionView>();
  private readonly waiting = new Map<string, SessionInfo>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly broadcast: Broadcast) {}

  take(view: SessionView): void {
    const { id } = view.record;
    const known = this.told.get(id);
    if (known && view.info && sameButOutput(known, view)) {
      this.waiting.set(id, view.info);
      this.timer ??= setTimeout(() => this.tell(), EVERY_MS);
      return;
    }
    this.waiting.delete(id);
    this.told.set(id, view);
    this.broadcast('session:changed', view);
  }

  dropped(sessionId: string): void {
    this.told.delete(sessionId);
    this.waiting.delete(sessionId);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.waiting.clear();
  }

  private tell(): void {
    this.timer = undefined;
    if (this.waiting.size === 0) return;
    const infos = [...this.waiting.values()];
    this.waiting.clear();
    this.broadcast('sessions:output', infos);
  }
}
