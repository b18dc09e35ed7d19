import { type Exit, type SessionInfo, SessionRecord, type SessionView } from '../../schemas/terminals';
import type { CorruptRecord, RecordTable, Storage } from '../storage';

type Notice = NonNullable<SessionInfo['notice']>;

/**
 * Every session: what is stored of it and what the pty host last said. Revisions that tabs see are given here, because
 * a new pty host, or none, must never look older than what a tab knows already.
 */
export class SessionBook {
  private readonly table: RecordTable<SessionRecord>;
  private readonly records = new Map<string, SessionRecord>();
  private readonly infos = new Map<string, SessionInfo>();
  /** The pty host's own revision of each info, within one connection to it. */
  private hostRevisions = new Map<string, number>();
  private readonly notices = new Map<string, Notice>();
  private readonly unreadable = new Set<string>();

  constructor(
    storage: Storage,
    private readonly changed: (view: SessionView) => void,
  ) {
    this.table = storage.records<SessionRecord>('sessions', SessionRecord);
    const { records, corrupt } = this.table.all();
    for (const record of records) this.records.set(record.id, record);
    for (const { id } of corrupt) this.unreadable.add(id);
  }

  get size(): number {
    return this.records.size;
  }

  ids(): string[] {
    return [...this.records.keys()];
  }

  views(): SessionView[] {
    return this.ids().map((id) => this.view(id)!);
  }

  view(id: string): SessionView | undefined {
    const record = this.records.get(id);
    if (!record) return undefined;
    const info = this.infos.get(id);
    return info ? { record, info } : { record };
  }

  record(id: string): SessionRecord | undefined {
    return this.records.get(id);
  }

  info(id: string): SessionInfo | undefined {
    return this.infos.get(id);
  }

  corrupt(): CorruptRecord[] {
    return this.table.all().corrupt;
  }

  /** It is on record, readable or not. */
  isKnown(id: string): boolean {
    return this.records.has(id) || this.unreadable.has(id);
  }

  /** Stores a record; tells nobody. For a session whose stored record cannot be read it is kept in memory only. */
  put(record: SessionRecord): void {
    if (!this.unreadable.has(record.id)) this.table.put(record);
    this.records.set(record.id, record);
  }

  /** As `put`, and tells every tab. Throws `record-corrupt` when the stored one cannot be read. */
  change(id: string, change: Partial<SessionRecord>): SessionView {
    const record = { ...this.records.get(id)!, ...change };
    this.table.put(record);
    this.records.set(id, record);
    return this.tell(id);
  }

  /** Removes what is stored; to be called in a transaction. `dropped` must follow when it is through. */
  deleteStored(id: string): void {
    if (this.unreadable.has(id)) this.table.discard(id);
    else this.table.delete(id);
  }

  dropped(id: string): void {
    this.records.delete(id);
    this.infos.delete(id);
    this.notices.delete(id);
    this.hostRevisions.delete(id);
    this.unreadable.delete(id);
  }

  /** A new connection to a pty host: it counts revisions anew. */
  newHost(): void {
    this.hostRevisions = new Map();
  }

  /** Takes what the pty host says, unless it is older than what it said before; gives it as tabs see it. */
  heard(info: SessionInfo): SessionInfo {
    const id = info.sessionId;
    const known = this.infos.get(id);
    const before = this.hostRevisions.get(id);
    if (known && before !== undefined && info.revision <= before) return known;
    this.hostRevisions.set(id, info.revision);
    if (info.state === 'running') this.notices.delete(id);
    const notice = info.notice ?? this.notices.get(id);
    return this.setInfo({ ...info, ...(notice ? { notice } : {}) });
  }

  /** The session is over, and there is no pty host to say so. */
  markEnded(id: string, notice?: Notice): void {
    const record = this.records.get(id);
    if (!record) return;
    if (notice) this.notices.set(id, notice);
    const known = this.infos.get(id);
    if (known?.state === 'ended') return;
    const exit: Exit = {};
    const base: SessionInfo = known ?? {
      sessionId: id,
      revision: 0,
      state: 'ended',
      cols: record.cols,
      rows: record.rows,
      produced: 0,
      keptFrom: 0,
      title: '',
      cwd: record.cwd,
      lastLine: '',
      altScreen: false,
      journal: { state: record.journal ? 'on' : 'off' },
      startedAt: record.createdAt,
    };
    const { pid: _pid, progress: _progress, busy: _busy, ...rest } = base;
    this.setInfo({ ...rest, state: 'ended', exit, endedAt: Date.now(), ...(notice ? { notice } : {}) });
  }

  tell(id: string): SessionView {
    const view = this.view(id)!;
    this.changed(view);
    return view;
  }

  private setInfo(info: SessionInfo): SessionInfo {
    const id = info.sessionId;
    // Milliseconds, so that a new server begins above what an old one gave.
    const revision = Math.max(Date.now(), (this.infos.get(id)?.revision ?? 0) + 1);
    const numbered = { ...info, revision };
    this.infos.set(id, numbered);
    if (this.records.has(id)) this.tell(id);
    return numbered;
  }
}
