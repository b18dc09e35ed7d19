import { describe, expect, it } from 'vitest';
import { type CanvasItem, CanvasLimits, type ItemChange, type NoteCard, type TerminalCard } from '../../schemas/canvas';
import { CanvasDocument } from './document';

const note = (id: string, change: Partial<NoteCard> = {}): NoteCard => ({
  ...{ v: 1, kind: 'note', id, x: 0, y: 0, width: 220, height: 150, z: 1, text: '', colour: 'amber' },
  ...change,
});
const terminal = (id: string, change: Partial<TerminalCard> = {}): TerminalCard => ({
  ...{ v: 1, kind: 'terminal', id, x: 0, y: 0, width: 700, height: 430, z: 1, sessionId: `session-${id}` },
  ...change,
});
const put = (item: CanvasItem): ItemChange => ({ type: 'put', item });
const place = (id: string, x: number): ItemChange => ({ type: 'place', id, x, y: 0, width: 700, height: 430, z: 2 });

function apply(document: CanvasDocument, changes: ItemChange[], changer: 'page' | 'terminals' = 'page') {
  const prepared = document.prepare(changes, changer);
  document.commit(prepared);
  return prepared;
}

describe('a canvas document', () => {
  it('applies changes in order, as one revision', () => {
    const document = new CanvasDocument('canvas', [note('note-1')], 7);
    const prepared = apply(document, [
      put(note('note-2')),
      put(note('note-2', { text: 'twice' })),
      { type: 'place', id: 'note-1', x: 5, y: 6, width: 300, height: 200, z: 9 },
    ]);
    expect(document.revision).toBe(8);
    expect(document.top).toBe(9);
    expect(prepared.puts).toEqual(document.all().toReversed());
    expect(document.all()).toEqual([
      note('note-1', { x: 5, y: 6, width: 300, height: 200, z: 9 }),
      note('note-2', { text: 'twice' }),
    ]);
  });

  it('changes nothing until it is committed, and nothing at all if one change is refused', () => {
    const document = new CanvasDocument('canvas', [note('note-1')], 0);
    document.prepare([{ type: 'remove', id: 'note-1' }], 'page');
    expect(document.all()).toHaveLength(1);
    expect(() => document.prepare([{ type: 'remove', id: 'note-1' }, put(terminal('term-1'))], 'page')).toThrow(
      expect.objectContaining({ code: 'terminal-item' }),
    );
    expect(document.revision).toBe(0);
  });

  it('a removal wins over a move of another tab, and repeats are harmless', () => {
    const document = new CanvasDocument('canvas', [note('note-1'), terminal('term-1')], 3);
    apply(document, [{ type: 'remove', id: 'note-1' }]);
    const late = apply(document, [place('note-1', 50), place('term-1', 60), { type: 'remove', id: 'note-1' }]);
    expect(late.changes).toEqual([place('term-1', 60)]);
    expect(document.revision).toBe(5);
    expect(apply(document, [{ type: 'remove', id: 'note-1' }])).toMatchObject({ revision: 5, changes: [] });
  });

  it('makes and removes within one set without a trace on disk', () => {
    const document = new CanvasDocument('canvas', [], 0);
    const prepared = apply(document, [put(note('note-1')), { type: 'remove', id: 'note-1' }]);
    expect(prepared).toMatchObject({ puts: [], removes: [] });
  });

  it('lets a page move and style a terminal, never make, remove or rebind one', () => {
    const document = new CanvasDocument('canvas', [terminal('term-1')], 0);
    apply(document, [put(terminal('term-1', { fontSize: 20, x: 9 }))]);
    expect(document.get('term-1')).toEqual(terminal('term-1', { fontSize: 20, x: 9 }));
    for (const change of [
      put(terminal('term-2')),
      put(terminal('term-1', { sessionId: 'session-other' })),
      { type: 'remove', id: 'term-1' } as ItemChange,
    ]) {
      expect(() => document.prepare([change], 'page')).toThrow(expect.objectContaining({ code: 'terminal-item' }));
    }
    expect(() => document.prepare([put(note('term-1'))], 'page')).toThrow(
      expect.objectContaining({ code: 'kind-changed' }),
    );
    apply(document, [put(terminal('term-2')), { type: 'remove', id: 'term-1' }], 'terminals');
    expect(document.all()).toEqual([terminal('term-2')]);
  });

  it('keeps sizes within the limits of the kind', () => {
    const document = new CanvasDocument('canvas', [terminal('term-1')], 0);
    for (const change of [
      put(note('note-1', { width: 100 })),
      put(note('note-1', { height: 900 })),
      { type: 'place', id: 'term-1', x: 0, y: 0, width: 200, height: 430, z: 1 } as ItemChange,
    ]) {
      expect(() => document.prepare([change], 'page')).toThrow(expect.objectContaining({ code: 'item-size' }));
    }
    expect(document.prepare([put(note('note-1', { width: 139.9999 }))], 'page').puts).toHaveLength(1);
  });

  it('holds a bounded number of items', () => {
    const full = Array.from({ length: CanvasLimits.maxItems }, (_, i) => note(`note-${i}`));
    const document = new CanvasDocument('canvas', full, 0);
    expect(() => document.prepare([put(note('one-more'))], 'page')).toThrow(
      expect.objectContaining({ code: 'canvas-full' }),
    );
    apply(document, [{ type: 'remove', id: 'note-0' }, put(note('one-more'))]);
    expect(document.all()).toHaveLength(CanvasLimits.maxItems);
  });
});
