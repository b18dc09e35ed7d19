import { describe, expect, it } from 'vitest';
import type { CanvasItem, CanvasState, ItemChange, NoteCard, TerminalCard } from '../../../schemas/canvas';
import { inverseOf, LayoutHistory } from './history';
import { applyChanges, Layout } from './layout';

const note = (id: string, x = 0, more: Partial<NoteCard> = {}): NoteCard => ({
  v: 1,
  id,
  kind: 'note',
  x,
  y: 0,
  width: 200,
  height: 150,
  z: 1,
  text: '',
  colour: 'amber',
  ...more,
});
const terminal = (id: string, x = 0): TerminalCard => ({
  v: 1,
  id,
  kind: 'terminal',
  sessionId: `${id}-session`,
  x,
  y: 0,
  width: 700,
  height: 430,
  z: 1,
});
const place = (id: string, x: number): ItemChange => ({ type: 'place', id, x, y: 0, width: 200, height: 150, z: 1 });
const state = (revision: number, items: CanvasItem[]): CanvasState => ({
  canvas: { v: 1, id: 'canvas-1', projectId: 'project-1', name: 'Main', position: 0 },
  revision,
  items,
  corrupt: [],
});
const at = (layout: Layout, id: string) => layout.view().get(id)?.x;

function opened(...items: CanvasItem[]): Layout {
  const layout = new Layout();
  layout.open(state(1, items));
  return layout;
}

describe('a layout of one tab', () => {
  it('shows its own changes at once and takes its echo as confirmation', () => {
    const layout = opened(note('note-a'));
    layout.apply('op-1', [place('note-a', 50)]);
    expect(at(layout, 'note-a')).toBe(50);
    expect(layout.remote({ revision: 2, changes: [place('note-a', 50)], opId: 'op-1' })).toBe('applied');
    expect(layout.unconfirmed).toEqual([]);
    expect([at(layout, 'note-a'), layout.revision]).toEqual([50, 2]);
  });

  it('keeps what is on its way on top of what others did meanwhile', () => {
    const layout = opened(note('note-a'), note('note-b'));
    layout.apply('op-1', [place('note-a', 50)]);
    layout.remote({ revision: 2, changes: [place('note-a', 10), place('note-b', 20)], opId: 'other' });
    expect([at(layout, 'note-a'), at(layout, 'note-b')]).toEqual([50, 20]);
  });

  it('takes back what the server refuses', () => {
    const layout = opened(note('note-a'));
    layout.apply('op-1', [place('note-a', 50)]);
    layout.refused('op-1');
    expect(at(layout, 'note-a')).toBe(0);
  });

  it.each([
    ['acknowledgement, then echo', true],
    ['echo, then acknowledgement', false],
  ])('ends an op by %s', (_, acknowledgedFirst) => {
    const layout = opened(note('note-a'));
    layout.apply('op-1', [place('note-a', 50)]);
    if (acknowledgedFirst) layout.acknowledged('op-1', 2);
    layout.remote({ revision: 2, changes: [place('note-a', 50)], opId: 'op-1' });
    layout.acknowledged('op-1', 2);
    expect([layout.unconfirmed, at(layout, 'note-a')]).toEqual([[], 50]);
  });

  it('ends an op that changed nothing, which has no echo', () => {
    const layout = opened(note('note-a'));
    layout.apply('op-1', [{ type: 'remove', id: 'note-gone' }]);
    layout.acknowledged('op-1', 1);
    expect(layout.unconfirmed).toEqual([]);
  });

  it('forgets an op whose echo was missed and whose acknowledgement came before the reopening', () => {
    const layout = opened(note('note-a'));
    layout.apply('op-1', [place('note-a', 100)]);
    expect(layout.remote({ revision: 3, changes: [place('note-a', 100)], opId: 'op-1' })).toBe('missed');
    layout.acknowledged('op-1', 3);
    layout.open(state(3, [note('note-a', 100)]));
    expect(layout.unconfirmed).toEqual([]);
    layout.remote({ revision: 4, changes: [place('note-a', 500)] });
    expect(at(layout, 'note-a')).toBe(500);
    layout.apply('op-2', [place('note-a', 700)]);
    layout.remote({ revision: 5, changes: [place('note-a', 700)], opId: 'op-2' });
    layout.acknowledged('op-2', 5);
    expect([layout.unconfirmed, at(layout, 'note-a')]).toEqual([[], 700]);
  });

  it('keeps an acknowledged op on top of a reopening that was answered before it', () => {
    const layout = opened(note('note-a'));
    layout.apply('op-1', [place('note-a', 100)]);
    layout.acknowledged('op-1', 4);
    layout.open(state(3, [note('note-a', 20)]));
    expect(at(layout, 'note-a')).toBe(100);
    layout.remote({ revision: 4, changes: [place('note-a', 100)], opId: 'op-1' });
    expect([layout.unconfirmed, at(layout, 'note-a')]).toEqual([[], 100]);
  });

  it('notices a missed revision and ignores an old one', () => {
    const layout = opened(note('note-a'));
    expect(layout.remote({ revision: 3, changes: [place('note-a', 9)] })).toBe('missed');
    expect(layout.remote({ revision: 1, changes: [place('note-a', 9)] })).toBe('known');
    expect(at(layout, 'note-a')).toBe(0);
  });

  it('does not let others move what a gesture holds, and lets go to what is newest', () => {
    const layout = opened(note('note-a'));
    layout.hold(new Map([['note-a', { x: 70, y: 0, width: 200, height: 150, z: 1 }]]));
    layout.remote({ revision: 2, changes: [place('note-a', 10)] });
    expect(at(layout, 'note-a')).toBe(70);
    layout.hold(new Map());
    expect(at(layout, 'note-a')).toBe(10);
  });

  it('shows a rename that arrives while the card is being moved', () => {
    const layout = opened(note('note-a'));
    layout.hold(new Map([['note-a', { x: 70, y: 0, width: 200, height: 150, z: 1 }]]));
    layout.remote({ revision: 2, changes: [{ type: 'put', item: note('note-a', 5, { text: 'hello' }) }] });
    expect(layout.view().get('note-a')).toEqual(note('note-a', 70, { text: 'hello' }));
  });

  it('never changes the order of its items: frames would be loaded anew', () => {
    const layout = opened(note('note-a'), note('note-b'), note('note-c'));
    layout.remote({
      revision: 2,
      changes: [
        { type: 'put', item: note('note-a', 1) },
        { type: 'remove', id: 'note-b' },
        { type: 'put', item: note('note-d') },
      ],
    });
    expect([...layout.view().keys()]).toEqual(['note-a', 'note-c', 'note-d']);
    layout.open(state(9, [note('note-d'), note('note-e'), note('note-c'), note('note-a', 1)]));
    expect([...layout.view().keys()]).toEqual(['note-a', 'note-c', 'note-d', 'note-e']);
  });

  it('keeps the very objects of items that did not change', () => {
    const layout = opened(note('note-a'), note('note-b'));
    const before = layout.view();
    layout.apply('op-1', [place('note-a', 50)]);
    expect(layout.view().get('note-b')).toBe(before.get('note-b'));
    layout.open(state(2, [note('note-a'), note('note-b')]));
    expect(layout.view().get('note-b')).toBe(before.get('note-b'));
    expect(layout.view()).toBe(layout.view());
  });

  it('keeps pending changes over a reopening, in order, to send them again', () => {
    const layout = opened(note('note-a'));
    layout.apply('op-1', [place('note-a', 50)]);
    layout.apply('op-2', [place('note-a', 60)]);
    layout.open(state(7, [note('note-a')]));
    expect(layout.unconfirmed.map((op) => op.opId)).toEqual(['op-1', 'op-2']);
    expect(at(layout, 'note-a')).toBe(60);
  });
});

describe('canvas:undo: undo and redo', () => {
  it('takes back a move, a new note, a removal and a change of text', () => {
    const before = new Map(
      [note('note-a'), note('note-b', 5, { text: 'keep' })].map((item) => [item.id, item as CanvasItem]),
    );
    const changes: ItemChange[] = [
      place('note-a', 50),
      place('note-a', 90),
      { type: 'put', item: note('note-new') },
      { type: 'put', item: note('note-b', 5, { text: 'other' }) },
      { type: 'remove', id: 'note-b' },
    ];
    const after = new Map(before);
    applyChanges(after, changes);
    applyChanges(after, inverseOf(before, changes));
    expect(new Map([...after].sort())).toEqual(before);
  });

  it('goes back and forward step by step', () => {
    const history = new LayoutHistory();
    const items = new Map([['note-a', note('note-a') as CanvasItem]]);
    history.record([place('note-a', 0)], [place('note-a', 50)]);
    history.record([place('note-a', 50)], [place('note-a', 70)]);
    expect(history.undo(items)).toEqual([place('note-a', 50)]);
    expect(history.undo(items)).toEqual([place('note-a', 0)]);
    expect(history.undo(items)).toBeUndefined();
    expect(history.redo(items)).toEqual([place('note-a', 50)]);
    history.record([place('note-a', 50)], [place('note-a', 1)]);
    expect(history.redo(items)).toBeUndefined();
  });

  it('passes over steps about cards that are gone, and never brings back a closed terminal', () => {
    const history = new LayoutHistory();
    history.record([place('note-a', 0)], [place('note-a', 50)]);
    history.record([{ type: 'put', item: terminal('terminal-a') }], [place('terminal-a', 9)]);
    expect(history.undo(new Map([['note-a', note('note-a')]]))).toEqual([place('note-a', 0)]);
  });
});
