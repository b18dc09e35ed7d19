import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Closed } from '../../schemas/result';
import { DATABASE_FILE, Operations, openStorage, type Storage } from './index';

const Note = Closed({ v: Type.Literal(1), id: Type.String(), text: Type.String({ maxLength: 10_000 }) });
type Note = Static<typeof Note>;

let dataDir: string;
let open: Storage[];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'tessera-storage-'));
  open = [];
});
afterEach(() => {
  for (const storage of open) storage.close();
  rmSync(dataDir, { recursive: true, force: true });
});

function start(): Storage {
  const storage = openStorage(dataDir);
  open.push(storage);
  return storage;
}

/** Another program's hands on the file. */
function tamper(sql: string, ...values: unknown[]): void {
  const db = new Database(join(dataDir, DATABASE_FILE));
  db.prepare(sql).run(...values);
  db.close();
}

function rawJson(table: string, id: string): unknown {
  const db = new Database(join(dataDir, DATABASE_FILE), { readonly: true });
  const row = db.prepare(`SELECT json FROM ${table} WHERE id = ?`).get(id) as { json: string } | undefined;
  db.close();
  return row?.json;
}

const note = (id: string, text = 'x'): Note => ({ v: 1, id, text });

describe('records', () => {
  it('keeps records over a restart, in the order in which they were made', () => {
    const first = start().records<Note>('notes', Note);
    first.put(note('b'));
    first.put(note('a'));
    first.put(note('b', 'changed'));
    expect(first.delete('nobody')).toBe(false);
    open[0]!.close();
    const again = start().records<Note>('notes', Note);
    expect(again.all()).toEqual({ records: [note('b', 'changed'), note('a')], corrupt: [] });
    expect(again.get('a')).toEqual(note('a'));
    expect(again.get('nobody')).toBeUndefined();
  });

  it('is readable by its owner only, with its side files', () => {
    mkdirSync(join(dataDir, 'sub'), { mode: 0o755 });
    const storage = openStorage(join(dataDir, 'sub'));
    open.push(storage);
    storage.records<Note>('notes', Note).put(note('a'));
    expect(statSync(join(dataDir, 'sub')).mode & 0o777).toBe(0o700);
    for (const file of ['', '-wal', '-shm']) {
      expect(statSync(join(dataDir, 'sub', DATABASE_FILE + file)).mode & 0o777).toBe(0o600);
    }
  });

  it.each([
    ['{"v":1,', /^not JSON/],
    ['[]', /^not an object/],
    ['{"v":1,"id":"bad"}', /text/],
    ['{"v":1,"id":"other","text":"x"}', /id differs/],
    ['{"v":1,"id":"bad","text":7}', /text must be string/],
  ])('a corrupt record (%s) hides no other and is never overwritten', (json, reason) => {
    const notes = start().records<Note>('notes', Note);
    for (const id of ['one', 'bad', 'two']) notes.put(note(id));
    tamper('UPDATE notes SET json = ? WHERE id = ?', json, 'bad');
    const loaded = notes.all();
    expect(loaded.records).toEqual([note('one'), note('two')]);
    expect(loaded.corrupt).toEqual([{ id: 'bad', reason: expect.stringMatching(reason) }]);
    for (const attempt of [() => notes.put(note('bad')), () => notes.delete('bad'), () => notes.get('bad')]) {
      expect(attempt).toThrow(expect.objectContaining({ code: 'record-corrupt' }));
    }
    expect(rawJson('notes', 'bad')).toBe(json);
    expect(notes.discard('one')).toBe(false);
    expect(notes.discard('bad')).toBe(true);
    notes.put(note('bad', 'new'));
    expect(notes.get('bad')).toEqual(note('bad', 'new'));
  });

  it('a record of a newer version is kept and reported', () => {
    const notes = start().records<Note>('notes', Note);
    notes.put(note('a'));
    tamper('UPDATE notes SET version = 2, json = ?', '{"v":2,"id":"a","body":"x"}');
    expect(notes.all()).toEqual({
      records: [],
      corrupt: [{ id: 'a', reason: expect.stringContaining('newer version') }],
    });
    expect(() => notes.put(note('a'))).toThrow(expect.objectContaining({ code: 'record-corrupt' }));
    expect(rawJson('notes', 'a')).toBe('{"v":2,"id":"a","body":"x"}');
  });

  it('an older record is migrated step by step; a migration that throws loses nothing', () => {
    start().records<Note>('notes', Note).put(note('a', 'old'));
    const Third = Closed({ v: Type.Literal(3), id: Type.String(), body: Type.String(), length: Type.Integer() });
    const broken = open[0]!.records('notes', Third, {
      version: 3,
      migrations: {
        1: () => {
          throw new Error('no');
        },
      },
    });
    expect(broken.all().corrupt[0]?.reason).toContain('version 1 to 2: no');
    const third = open[0]!.records<Static<typeof Third>>('notes', Third, {
      version: 3,
      migrations: {
        1: ({ text, ...rest }) => ({ ...rest, v: 2, body: text }),
        2: (old) => ({ ...old, v: 3, length: String(old.body).length }),
      },
    });
    expect(third.all()).toEqual({ records: [{ v: 3, id: 'a', body: 'old', length: 3 }], corrupt: [] });
    expect(rawJson('notes', 'a')).toBe('{"v":1,"id":"a","text":"old"}');
    third.put({ v: 3, id: 'a', body: 'new', length: 3 });
    expect(third.get('a')).toEqual({ v: 3, id: 'a', body: 'new', length: 3 });
  });

  it('an unknown field is not shown and survives a change', () => {
    const notes = start().records<Note>('notes', Note);
    notes.put(note('a'));
    tamper('UPDATE notes SET json = ?', '{"v":1,"id":"a","text":"x","pinned":{"by":"me"}}');
    expect(notes.all()).toEqual({ records: [note('a')], corrupt: [] });
    notes.put(note('a', 'y'));
    expect(JSON.parse(String(rawJson('notes', 'a')))).toEqual({ v: 1, id: 'a', text: 'y', pinned: { by: 'me' } });
  });

  it('refuses a record that breaks its own schema', () => {
    const notes = start().records<Note>('notes', Note);
    expect(() => notes.put({ v: 1, id: 'a', text: 5 as unknown as string })).toThrow(/text must be string/);
    expect(notes.all().records).toEqual([]);
  });

  it('an id cannot move to another scope', () => {
    const notes = start().records<Note>('notes', Note);
    notes.put(note('a'), 'first');
    notes.put(note('b'), 'second');
    expect(notes.all('first').records).toEqual([note('a')]);
    expect(() => notes.put(note('a'), 'second')).toThrow(expect.objectContaining({ code: 'id-taken' }));
  });
});

describe('transactions', () => {
  it('undo everything when something in them fails', () => {
    const storage = start();
    const notes = storage.records<Note>('notes', Note);
    notes.put(note('a', 'before'));
    expect(() =>
      storage.transaction(() => {
        notes.put(note('a', 'after'));
        notes.put(note('b'));
        throw new Error('stop');
      }),
    ).toThrow('stop');
    expect(notes.all().records).toEqual([note('a', 'before')]);
  });
});

describe('a full disk', () => {
  it('fails in words for a person and leaves what was there', () => {
    const storage = start();
    const notes = storage.records<Note>('notes', Note);
    notes.put(note('a', 'before'));
    open[0]!.close();
    // A file that may not grow is SQLite's own way to say that the disk is full.
    const db = new Database(join(dataDir, DATABASE_FILE));
    const pages = Number(db.pragma('page_count', { simple: true }));
    db.close();
    const limited = openStorage(dataDir, { maxPages: pages });
    open.push(limited);
    const again = limited.records<Note>('notes', Note);
    const big = 'z'.repeat(9000);
    expect(() =>
      limited.transaction(() => {
        for (let i = 0; i < 20; i += 1) again.put(note(`n${i}`, big));
      }),
    ).toThrow(expect.objectContaining({ code: 'disk-full', message: expect.stringContaining('disk is full') }));
    expect(again.all().records).toEqual([note('a', 'before')]);
  });
});

describe('the file', () => {
  it('that is not a database is left as it is', () => {
    const file = join(dataDir, DATABASE_FILE);
    writeFileSync(file, 'my diary, not a database at all, and it is long enough to be read as a header of one');
    expect(() => start()).toThrow(expect.objectContaining({ code: 'storage-unreadable' }));
    expect(statSync(file).size).toBe(84);
  });

  it('of a newer program is left as it is', () => {
    start().close();
    const db = new Database(join(dataDir, DATABASE_FILE));
    db.pragma('user_version = 99');
    db.close();
    expect(() => start()).toThrow(expect.objectContaining({ code: 'storage-newer' }));
  });
});

describe('operations', () => {
  it('are remembered by call, over a restart, the last thousand at least', () => {
    const storage = start();
    const operations = Operations.of(storage);
    storage.transaction(() => {
      for (let i = 0; i < 2500; i += 1) operations.remember('canvas:apply', `operation-${i}`, { i }, i);
    });
    storage.close();
    const again = Operations.of(start());
    expect(again.recall('canvas:apply', 'operation-0', { i: 0 })).toBeUndefined();
    for (const i of [1500, 2499]) expect(again.recall('canvas:apply', `operation-${i}`, { i })).toBe(i);
  });

  it('are bound to their call and to what was asked for, whatever the order of its keys', () => {
    const operations = Operations.of(start());
    operations.remember('canvas:apply', 'operation-1', { canvasId: 'a', changes: [{ x: 1, y: 2 }] }, 7);
    expect(operations.recall('canvas:apply', 'operation-1', { changes: [{ y: 2, x: 1 }], canvasId: 'a' })).toBe(7);
    for (const [call, asked] of [
      ['canvas:create', { canvasId: 'a', changes: [{ x: 1, y: 2 }] }],
      ['canvas:apply', { canvasId: 'b', changes: [{ x: 1, y: 2 }] }],
      ['canvas:apply', { canvasId: 'a', changes: [{ x: 1, y: 3 }] }],
    ] as const) {
      expect(() => operations.recall(call, 'operation-1', asked)).toThrow(
        expect.objectContaining({ code: 'operation-reused' }),
      );
    }
  });
});
