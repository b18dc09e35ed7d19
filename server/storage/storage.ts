import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { TSchema } from '@sinclair/typebox';
import Database from 'better-sqlite3';
import { FailureError } from '../../schemas/result';
import { openRecords, type RecordOptions, type RecordTable } from './records';

/** In the data folder; settings, projects, canvases, sessions and signed-in browsers. Only the server writes it. */
export const DATABASE_FILE = 'tessera.db';

/** How long a write waits for another process that holds the file, such as a backup. */
const BUSY_TIMEOUT_MS = 5000;

/** Changes of the file as a whole; records have versions of their own. The position is the `user_version` after it. */
const fileMigrations: readonly string[] = [];

/** The server's database. */
export interface Storage {
  /** Opens the table of one kind of record, and makes it if it is not there. */
  records<T extends { id: string }>(table: string, schema: TSchema, options?: RecordOptions): RecordTable<T>;
  /** All or nothing. May be nested. What `fn` throws comes out again, after everything is undone. */
  transaction<R>(fn: () => R): R;
  close(): void;
}

/**
 * Opens `<dataDir>/tessera.db`, readable by its owner only. Throws `storage-unreadable` or `storage-newer` and leaves
 * the file alone when it is not one that this program can use. `maxPages` bounds the file's size; tests use it.
 */
export function openStorage(dataDir: string, limits: { maxPages?: number } = {}): Storage {
  const file = join(dataDir, DATABASE_FILE);
  const guard = guardOf(file);
  const db = guard(() => openDatabase(dataDir, file));
  if (limits.maxPages) db.pragma(`max_page_count = ${limits.maxPages}`);
  return {
    records: <T extends { id: string }>(table: string, schema: TSchema, options?: RecordOptions) =>
      openRecords<T>(db, guard, table, schema, options),
    transaction: <R>(fn: () => R) => guard(() => db.transaction(fn).immediate()),
    close: () => {
      if (db.open) db.close();
    },
  };
}

function openDatabase(dataDir: string, file: string): Database.Database {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  chmodSync(dataDir, 0o700);
  // SQLite gives its -wal and -shm files the mode of the database itself, so it must be right from the first byte.
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
  const db = new Database(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    migrateFile(db, file);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function migrateFile(db: Database.Database, file: string): void {
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version > fileMigrations.length) {
    throw new FailureError(
      'storage-newer',
      `${file} was made by a newer version of Tessera. Start that version, or choose another folder with --data-dir.`,
      { file },
    );
  }
  db.transaction(() => {
    for (const sql of fileMigrations.slice(version)) db.exec(sql);
    db.pragma(`user_version = ${fileMigrations.length}`);
  }).immediate();
}

/** SQLite's and the file system's own errors, said to a person. */
function guardOf(file: string): <R>(work: () => R) => R {
  return (work) => {
    try {
      return work();
    } catch (error) {
      const code = (error as { code?: unknown } | null)?.code;
      if (code === 'SQLITE_FULL' || code === 'ENOSPC' || code === 'EDQUOT') {
        throw new FailureError('disk-full', `The disk is full: nothing was saved in ${file}. Free some space first.`, {
          file,
        });
      }
      if (code === 'SQLITE_NOTADB' || (typeof code === 'string' && code.startsWith('SQLITE_CORRUPT'))) {
        throw new FailureError(
          'storage-unreadable',
          `${file} is damaged and was left as it is. Put a backup in its place, or move it away to start afresh.`,
          { file },
        );
      }
      if (typeof code === 'string' && (code === 'SQLITE_READONLY' || code === 'EACCES' || code === 'SQLITE_CANTOPEN')) {
        throw new FailureError('storage-denied', `${file} cannot be written (${code}). Check who owns it.`, { file });
      }
      if (typeof code === 'string' && code.startsWith('SQLITE_BUSY')) {
        throw new FailureError('storage-busy', `Another program holds ${file}. Nothing was saved; try again.`, {
          file,
        });
      }
      if (typeof code === 'string' && code.startsWith('SQLITE_IOERR')) {
        throw new FailureError('storage-failed', `Reading or writing ${file} failed (${code}). Nothing was saved.`, {
          file,
          reason: code,
        });
      }
      throw error;
    }
  };
}
