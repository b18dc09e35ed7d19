import { type Static, Type } from '@sinclair/typebox';
import { nanoid } from 'nanoid';
import { AuthLimits, type BrowserSession } from '../../schemas/auth';
import { Id } from '../../schemas/ids';
import { Closed } from '../../schemas/result';
import { hashOf, matches, newSecret } from './secrets';

const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' });

/** A signed-in browser as it is stored: of its two secrets only the hashes. */
export const BrowserRecord = Closed({
  v: Type.Literal(1),
  id: Id,
  cookieHash: Hash,
  keyHash: Hash,
  label: Type.String({ maxLength: 120 }),
  createdAt: Type.Integer(),
  seenAt: Type.Integer(),
});
export type BrowserRecord = Static<typeof BrowserRecord>;

/** Where the records are kept; the storage room's table is one. */
export interface BrowserTable {
  all(): { records: BrowserRecord[] };
  put(record: BrowserRecord): void;
  delete(id: string): boolean;
}

/** Being seen is written down at most this often. */
const SEEN_STEP_MS = 60_000;
/** More than a person has; the one that was not seen for longest goes. */
const MAX_BROWSERS = 100;

/** Signed-in browsers. Each holds two secrets: a cookie, which reads documents, and a key, which everything else needs too. */
export class Browsers {
  private readonly byId = new Map<string, BrowserRecord>();

  constructor(
    private readonly table: BrowserTable,
    private readonly now: () => number = Date.now,
    /** Told when a browser could not be written down, e.g. on a full disk: nobody is shut out for that. */
    private readonly onUnwritten: (error: unknown) => void = () => {},
  ) {
    for (const record of table.all().records) this.byId.set(record.id, record);
    for (const record of [...this.byId.values()]) if (this.isOver(record)) this.attempt(() => this.revoke(record.id));
  }

  /** Signs a browser in. One that is signed in already (`knownId`) stays the same one, with new secrets. */
  signIn(label: string, knownId?: string): { id: string; cookie: string; key: string } {
    const before = knownId === undefined ? undefined : this.byId.get(knownId);
    const secret = newSecret();
    const key = newSecret();
    const now = this.now();
    const id = before?.id ?? nanoid();
    this.keep({
      v: 1,
      id,
      cookieHash: hashOf(secret),
      keyHash: hashOf(key),
      label: label.slice(0, 120),
      createdAt: before?.createdAt ?? now,
      seenAt: now,
    });
    this.dropSurplus();
    return { id, cookie: `${id}.${secret}`, key };
  }

  /** The browser whose cookie this is. */
  byCookie(cookie: string | undefined): BrowserRecord | null {
    const [id = '', secret] = cookie?.split('.') ?? [];
    const record = this.byId.get(id);
    if (!record || !matches(secret, record.cookieHash)) return null;
    if (this.isOver(record)) {
      this.revoke(id);
      return null;
    }
    return this.seen(record);
  }

  /** The browser whose cookie and key these are. */
  byCookieAndKey(cookie: string | undefined, key: string | undefined): BrowserRecord | null {
    const record = this.byCookie(cookie);
    return record && matches(key, record.keyHash) ? record : null;
  }

  keyMatches(id: string, key: string | undefined): boolean {
    const record = this.byId.get(id);
    return record !== undefined && !this.isOver(record) && matches(key, record.keyHash);
  }

  /** It has a tab open: its time starts anew. */
  touch(id: string): void {
    const record = this.byId.get(id);
    if (record && !this.isOver(record)) this.seen(record);
  }

  /** Newest first. */
  list(currentId: string): BrowserSession[] {
    return [...this.byId.values()]
      .filter((record) => !this.isOver(record))
      .sort((a, b) => b.seenAt - a.seenAt)
      .map(({ id, label, createdAt, seenAt }) => ({ id, label, createdAt, seenAt, current: id === currentId }));
  }

  /** False: it is not there. Throws when it is signed out now, but could not be written down, and would be back. */
  revoke(id: string): boolean {
    const known = this.byId.delete(id);
    return this.table.delete(id) || known;
  }

  private isOver(record: BrowserRecord): boolean {
    return this.now() - record.seenAt > AuthLimits.sessionMs;
  }

  private seen(record: BrowserRecord): BrowserRecord {
    if (this.now() - record.seenAt < SEEN_STEP_MS) return record;
    const fresh = { ...record, seenAt: this.now() };
    this.keep(fresh);
    return fresh;
  }

  /** Only in memory while the disk takes nothing; what is seen later is written then. */
  private keep(record: BrowserRecord): void {
    this.byId.set(record.id, record);
    this.attempt(() => this.table.put(record));
  }

  private dropSurplus(): void {
    const oldest = [...this.byId.values()].sort((a, b) => b.seenAt - a.seenAt).slice(MAX_BROWSERS);
    for (const record of oldest) this.attempt(() => this.revoke(record.id));
  }

  private attempt(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.onUnwritten(error);
    }
  }
}
