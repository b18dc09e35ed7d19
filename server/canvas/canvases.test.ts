import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ItemChange, NoteCard } from '../../schemas/canvas';
import type { Broadcast } from '../realtime';
import { DATABASE_FILE, openStorage, type Storage } from '../storage';
import { type Canvases, createCanvases } from './index';

let dataDir: string;
let storage: Storage;
let told: unknown[][];

const tell: Broadcast = (event, ...args) => {
  told.push([event, ...args]);
};
/** As after a restart of the server. */
const start = (): Canvases => createCanvases({ storage, broadcast: tell }).canvases;
const sql = (statement: string, ...values: unknown[]) => {
  const db = new Database(join(dataDir, DATABASE_FILE));
  try {
    return db.prepare(statement).run(...values);
  } finally {
    db.close();
  }
};

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'tessera-canvas-'));
  storage = openStorage(dataDir);
  told = [];
});
afterEach(() => {
  storage.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const note = (id: string, text = ''): NoteCard => ({
  ...{ v: 1, kind: 'note', id, x: 0, y: 0, width: 220, height: 150, z: 1, text, colour: 'blue' },
});
const put = (id: string, text?: string): ItemChange => ({ type: 'put', item: note(id, text) });
const card = (id: string) => ({ id, sessionId: `session-${id}`, x: 0, y: 0, width: 700, height: 430 });

describe('canvases', () => {
  it('a project begins with one, more are made once only, renamed and listed after a restart', () => {
    const canvases = start();
    const main = canvases.ensure('project-1');
    expect(canvases.ensure('project-1')).toEqual(main);
    const second = canvases.create('operation-1', 'project-1', 'Second');
    expect(canvases.create('operation-1', 'project-1', 'Second')).toEqual(second);
    expect(() => canvases.create('operation-2', 'nobody', 'x')).toThrow(
      expect.objectContaining({ code: 'project-missing' }),
    );
    canvases.rename(second.id, 'Вторая');
    expect(start().list()).toEqual([
      { ...main, name: 'Main', position: 0 },
      { ...second, name: 'Вторая', position: 1 },
    ]);
    expect(told.at(-1)).toEqual(['canvases:changed', canvases.list()]);
  });

  it('applies once per opId, over a restart too, stores before it tells, and goes on counting', () => {
    const canvases = start();
    const { id } = canvases.ensure('project-1');
    expect(canvases.apply(id, 'operation-1', [put('note-1'), put('note-2')])).toBe(1);
    expect(canvases.apply(id, 'operation-1', [put('note-1'), put('note-2')])).toBe(1);
    expect(told.filter(([event]) => event === 'canvas:changed')).toEqual([
      ['canvas:changed', { canvasId: id, revision: 1, changes: [put('note-1'), put('note-2')], opId: 'operation-1' }],
    ]);
    const again = start();
    expect(again.apply(id, 'operation-1', [put('note-1'), put('note-2')])).toBe(1);
    expect(again.apply(id, 'operation-2', [{ type: 'remove', id: 'note-2' }])).toBe(2);
    expect(start().open(id)).toMatchObject({ revision: 2, items: [note('note-1')], corrupt: [] });
  });

  it('refuses an opId that did something else, on another canvas too, and changes nothing', () => {
    const canvases = start();
    const { id } = canvases.ensure('project-1');
    const other = canvases.create('operation-0', 'project-1', 'Other');
    canvases.apply(id, 'operation-1', [put('note-1')]);
    const reused = expect.objectContaining({ code: 'operation-reused' });
    expect(() => canvases.apply(other.id, 'operation-1', [put('note-1')])).toThrow(reused);
    expect(() => canvases.apply(id, 'operation-1', [put('note-2')])).toThrow(reused);
    expect(() => canvases.apply(id, 'operation-0', [put('note-2')])).toThrow(reused);
    expect(() => canvases.create('operation-0', 'project-1', 'Another')).toThrow(reused);
    expect([canvases.open(id).items, canvases.open(other.id).items, canvases.list().length]).toEqual([
      [note('note-1')],
      [],
      2,
    ]);
  });

  it('canvas:corrupt-record: an item that cannot be read hides no other, is not overwritten, and goes only when a person discards it', () => {
    const first = start();
    const { id } = first.ensure('project-1');
    first.apply(id, 'operation-1', [put('note-1'), put('note-2'), put('note-3')]);
    sql(`UPDATE canvas_items SET json = '{"v":1' WHERE id = 'note-2'`);
    const canvases = start();
    const corrupt = [{ id: 'note-2', reason: expect.stringContaining('not JSON') }];
    expect(canvases.open(id)).toMatchObject({ items: [note('note-1'), note('note-3')], corrupt });
    expect(() => canvases.apply(id, 'operation-2', [put('note-4'), put('note-2')])).toThrow(
      expect.objectContaining({ code: 'record-corrupt' }),
    );
    expect(canvases.open(id)).toMatchObject({ revision: 1, items: [note('note-1'), note('note-3')], corrupt });
    canvases.discardCorrupt(id, 'note-1');
    canvases.discardCorrupt(id, 'note-2');
    expect(told.at(-1)).toEqual([
      'canvas:changed',
      { canvasId: id, revision: 2, changes: [{ type: 'remove', id: 'note-2' }] },
    ]);
    expect(start().open(id)).toMatchObject({ revision: 2, items: [note('note-1'), note('note-3')], corrupt: [] });
  });

  it('a full disk leaves memory as it was and tells nobody', () => {
    const { id } = start().ensure('project-1');
    storage.close();
    const db = new Database(join(dataDir, DATABASE_FILE));
    const pages = Number(db.pragma('page_count', { simple: true }));
    db.close();
    storage = openStorage(dataDir, { maxPages: pages });
    const canvases = start();
    told = [];
    const big = Array.from({ length: 30 }, (_, i) => put(`note-${i}`, 'z'.repeat(9000)));
    expect(() => canvases.apply(id, 'operation-1', big)).toThrow(expect.objectContaining({ code: 'disk-full' }));
    expect(canvases.open(id)).toMatchObject({ revision: 0, items: [] });
    expect(told).toEqual([]);
  });

  it('an item of one canvas cannot be taken by another', () => {
    const canvases = start();
    const { id } = canvases.ensure('project-1');
    const other = canvases.create('operation-1', 'project-1', 'Other');
    canvases.apply(id, 'operation-2', [put('note-1')]);
    expect(() => canvases.apply(other.id, 'operation-3', [put('note-1')])).toThrow(
      expect.objectContaining({ code: 'id-taken' }),
    );
  });

  it('terminals put and remove their cards, together with what they store themselves', () => {
    const canvases = start();
    const { id } = canvases.ensure('project-1');
    canvases.apply(id, 'operation-1', [put('note-1')]);
    const failing = () => {
      throw new Error('no');
    };
    expect(() => canvases.putCard(id, card('card-1'), { stored: failing })).toThrow('no');
    expect(canvases.open(id).items).toEqual([note('note-1')]);
    const item = canvases.putCard(id, card('card-1'));
    expect(item.z).toBe(2);
    expect(canvases.cards()).toEqual([{ ...item, canvasId: id }]);
    canvases.removeCards('session-card-1');
    expect(start().cards()).toEqual([]);
  });

  it('is deleted with its notes, not while terminals run on it, not if it is the last', async () => {
    const canvases = start();
    const main = canvases.ensure('project-1');
    await expect(canvases.delete(main.id)).rejects.toMatchObject({ code: 'canvas-last' });
    const other = canvases.create('operation-1', 'project-1', 'Other');
    canvases.apply(other.id, 'operation-2', [put('note-1')]);
    canvases.putCard(other.id, card('card-1'));
    await expect(canvases.delete(other.id)).rejects.toMatchObject({ code: 'canvas-busy' });
    canvases.listen({
      deleting: async (sessionIds) => {
        for (const sessionId of sessionIds) canvases.removeCards(sessionId);
      },
      discarded: () => undefined,
    });
    await canvases.delete(other.id);
    expect(start().list()).toEqual([main]);
    expect(() => canvases.open(other.id)).toThrow(expect.objectContaining({ code: 'canvas-missing' }));
  });
});
