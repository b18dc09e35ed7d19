import type { TSchema } from '@sinclair/typebox';
import type Database from 'better-sqlite3';
import { FailureError } from '../../schemas/result';
import { type Decoded, type Migration, RecordCodec } from './record-codec';

export type { Migration };

export interface RecordOptions {
  /** The version that this program writes; default 1. */
  version?: number;
  /** By the version that it starts from: `{1: old => new}` makes version 2. */
  migrations?: Readonly<Record<number, Migration>>;
}

/** A stored record that cannot be read. It stays as it is until a person discards it. */
export interface CorruptRecord {
  id: string;
  reason: string;
}

export interface Loaded<T> {
  records: T[];
  corrupt: CorruptRecord[];
}

/**
 * All records of one kind. A `scope` groups them (the items of one canvas); it is kept beside the record, so that it
 * is known even of one that cannot be read.
 */
export interface RecordTable<T extends { id: string }> {
  readonly name: string;
  /** In the order in which they were made. */
  all(scope?: string): Loaded<T>;
  /** Throws `record-corrupt` for one that cannot be read. */
  get(id: string): T | undefined;
  /** Throws `record-corrupt` rather than write over one that cannot be read. */
  put(record: T, scope?: string): void;
  /** Throws `record-corrupt` rather than drop one that cannot be read. True if there was one. */
  delete(id: string): boolean;
  /** Drops a record that cannot be read, because a person said so. False if there is no such record. */
  discard(id: string, scope?: string): boolean;
  /** Moves a record that cannot be read out of the way, unchanged, to make room for a new one of its id. */
  setAside(id: string): boolean;
}

/** The scope of records that were set aside; they are in no list. */
const ASIDE = '~aside';

interface Row {
  id: string;
  scope: string;
  version: number;
  json: string;
}

/** Made by `openStorage` only. `guard` turns the database's errors into ones that a person can read. */
export function openRecords<T extends { id: string }>(
  db: Database.Database,
  guard: <R>(work: () => R) => R,
  name: string,
  schema: TSchema,
  options: RecordOptions = {},
): RecordTable<T> {
  if (!/^[a-z][a-z_]{0,40}$/.test(name)) throw new Error(`not a table name: ${name}`);
  const codec = new RecordCodec<T>(schema, options.version ?? 1, options.migrations ?? {});
  guard(() =>
    db.exec(`
      CREATE TABLE IF NOT EXISTS ${name} (
        id TEXT PRIMARY KEY NOT NULL,
        scope TEXT NOT NULL DEFAULT '',
        version INTEGER NOT NULL,
        json TEXT NOT NULL,
        updated_at INTEGER NOT NULL
      );
      CREATE INDEX IF NOT EXISTS ${name}_scope ON ${name} (scope);
    `),
  );
  const selectAll = db.prepare<[], Row>(
    `SELECT id, scope, version, json FROM ${name} WHERE scope <> '${ASIDE}' ORDER BY rowid`,
  );
  const selectScope = db.prepare<[string], Row>(
    `SELECT id, scope, version, json FROM ${name} WHERE scope = ? ORDER BY rowid`,
  );
  const selectOne = db.prepare<[string], Row>(`SELECT id, scope, version, json FROM ${name} WHERE id = ?`);
  const upsert = db.prepare<[string, string, number, string, number]>(
    `INSERT INTO ${name} (id, scope, version, json, updated_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET version = excluded.version, json = excluded.json, updated_at = excluded.updated_at`,
  );
  const moveAside = db.prepare<[string, string]>(`UPDATE ${name} SET id = ?, scope = '${ASIDE}' WHERE id = ?`);
  const remove = db.prepare<[string]>(`DELETE FROM ${name} WHERE id = ?`);

  const decode = (row: Row): Decoded<T> => codec.decode(String(row.id), Number(row.version), String(row.json));
  const corrupt = (id: string, reason: string) =>
    new FailureError('record-corrupt', `The stored record ${id} cannot be read (${reason}). It is kept as it is.`, {
      id,
      table: name,
      reason,
    });

  return {
    name,
    all: (scope) =>
      guard(() => {
        const loaded: Loaded<T> = { records: [], corrupt: [] };
        for (const row of scope === undefined ? selectAll.all() : selectScope.all(scope)) {
          const decoded = decode(row);
          if (decoded.ok) loaded.records.push(decoded.record);
          else loaded.corrupt.push({ id: String(row.id), reason: decoded.reason });
        }
        return loaded;
      }),
    get: (id) =>
      guard(() => {
        const row = selectOne.get(id);
        if (!row) return undefined;
        const decoded = decode(row);
        if (!decoded.ok) throw corrupt(id, decoded.reason);
        return decoded.record;
      }),
    put: (record, scope = '') =>
      guard(() => {
        const row = selectOne.get(record.id);
        let unknown: Record<string, unknown> = {};
        if (row) {
          const decoded = decode(row);
          if (!decoded.ok) throw corrupt(record.id, decoded.reason);
          if (row.scope !== scope) {
            throw new FailureError('id-taken', `The id ${record.id} belongs to something else already.`, {
              id: record.id,
            });
          }
          unknown = decoded.unknown;
        }
        upsert.run(record.id, scope, codec.version, codec.encode(record, unknown), Date.now());
      }),
    delete: (id) =>
      guard(() => {
        const row = selectOne.get(id);
        if (!row) return false;
        const decoded = decode(row);
        if (!decoded.ok) throw corrupt(id, decoded.reason);
        return remove.run(id).changes > 0;
      }),
    discard: (id, scope) =>
      guard(() => {
        const row = selectOne.get(id);
        if (!row || (scope !== undefined && row.scope !== scope) || decode(row).ok) return false;
        return remove.run(id).changes > 0;
      }),
    setAside: (id) =>
      guard(() => {
        const row = selectOne.get(id);
        if (!row || decode(row).ok) return false;
        return moveAside.run(`${id}~${Date.now()}`, id).changes > 0;
      }),
  };
}
