import { type Static, Type } from '@sinclair/typebox';
import { Need } from '../../schemas/attention';
import { Closed } from '../../schemas/result';
import type { SessionInfo, SessionSignal, SessionView } from '../../schemas/terminals';
import type { Broadcast } from '../realtime';
import type { CorruptRecord, RecordTable, Storage } from '../storage';
import type { Log } from './log';

/** Under the id of its session. */
const StoredNeed = Closed({ v: Type.Literal(1), id: Need.properties.sessionId, need: Need });
type StoredNeed = Static<typeof StoredNeed>;

/**
 * Which sessions need the person, one reason each: the newest. Told to every tab whenever it changes. A disk that takes
 * nothing does not lose one while the server runs.
 */
export class Attention {
  private readonly table: RecordTable<StoredNeed>;
  private readonly needs = new Map<string, Need>();
  private readonly states = new Map<string, SessionInfo['state']>();

  constructor(
    storage: Storage,
    private readonly broadcast: Broadcast,
    private readonly log: Log,
    /** Whether there is such a session. What is stored of another is dropped: nobody could ever look at it. */
    isKnown: (sessionId: string) => boolean,
  ) {
    this.table = storage.records<StoredNeed>('needs', StoredNeed);
    for (const { id, need } of this.table.all().records.sort((a, b) => a.need.at - b.need.at)) {
      if (isKnown(id)) this.needs.set(id, need);
      else this.store(() => this.table.delete(id));
    }
  }

  /** The oldest first. */
  list(): Need[] {
    return [...this.needs.values()];
  }

  corrupt(): CorruptRecord[] {
    return this.table.all().corrupt;
  }

  signal(signal: SessionSignal): void {
    const { sessionId } = signal;
    if (signal.type === 'notification') {
      const { title, body } = signal;
      this.raise({ sessionId, why: 'notification', title, body, at: Date.now() });
    } else if (signal.type === 'bell') this.raise({ sessionId, why: 'bell', at: Date.now() });
  }

  /** A session as tabs see it now. Only the change to a bad end counts, not that it was so before. */
  seen({ record: { id }, info }: SessionView): void {
    if (!info) return;
    const before = this.states.get(id);
    this.states.set(id, info.state);
    if (before === 'running' && info.state === 'ended' && endedBadly(info)) {
      this.raise({ sessionId: id, why: 'failed', at: Date.now() });
    } else if (before === 'ended' && info.state === 'running') this.settle([id]);
  }

  /** Somebody has looked. */
  settle(sessionIds: readonly string[]): void {
    const settled = sessionIds.filter((id) => this.needs.delete(id));
    if (settled.length === 0) return;
    for (const id of settled) this.store(() => this.table.delete(id));
    this.tell();
  }

  /** Removes what is stored; to be called in the transaction that removes the session. `dropped` must follow. */
  deleteStored(sessionId: string): void {
    // One that cannot be read goes too: it must not keep a terminal from being closed.
    this.table.discard(sessionId);
    this.table.delete(sessionId);
  }

  /** The session is closed. */
  dropped(sessionId: string): void {
    this.states.delete(sessionId);
    if (this.needs.delete(sessionId)) this.tell();
  }

  private raise(need: Need): void {
    const { sessionId } = need;
    // A newer one goes to the end of the list.
    this.needs.delete(sessionId);
    this.needs.set(sessionId, need);
    this.store(() => this.table.put({ v: 1, id: sessionId, need }));
    this.tell();
  }

  private store(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.log.warn({ reason: String(error) }, 'what needs attention could not be stored');
    }
  }

  private tell(): void {
    this.broadcast('attention:changed', this.list());
  }
}

function endedBadly({ exit }: SessionInfo): boolean {
  return exit?.signal !== undefined || (exit?.code ?? 0) !== 0;
}
