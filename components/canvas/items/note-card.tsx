'use client';

import type { NodeProps } from '@xyflow/react';
import { X } from 'lucide-react';
import { memo, useEffect, useRef } from 'react';
import { CanvasLimits, type NoteCard as Item } from '../../../schemas/canvas';
import { useT } from '../../i18n';
import { IconButton } from '../../ui';
import { attempt } from '../attempt';
import { byZoom } from '../camera/by-zoom';
import { endNote, removeItems, writeNote } from '../commands/items';
import { NoteMenuButton } from '../menus/card-menu';
import { canvasState, select, setCanvas, useCanvas } from '../store/state';
import { sendNow } from '../store/sync';
import { pressItem } from '../tools/moving';
import { Handles } from './handles';
import type { ItemNode } from './nodes';
import { isOwn } from './own-event';

/** What was typed reaches the server after this pause, in milliseconds. */
const WRITE_MS = 300;

/** A sticky note. */
export const NoteNode = memo(
  function NoteNode({ data }: NodeProps<ItemNode>) {
    return data.item.kind === 'note' ? <NoteCard item={data.item} /> : null;
  },
  (a, b) => a.data === b.data,
);

function NoteCard({ item }: { item: Item }) {
  const t = useT();
  const { id, text } = item;
  const editing = useCanvas((state) => state.editingNoteId === id);
  const selected = useCanvas((state) => state.selection.has(id));
  const maximised = useCanvas((state) => state.maximised?.id === id);
  const [first = '', ...rest] = text.split('\n');
  const edit = () => setCanvas({ editingNoteId: id, focusedId: id, selection: new Set([id]) });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a note is no fieldset
    <div
      ref={byZoom}
      role="group"
      aria-label={t('note.label', { text: first || t('note.empty') })}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: notes are reached by Tab, and written on with Enter
      tabIndex={0}
      data-card-kind="note"
      data-card-id={id}
      data-colour={item.colour}
      data-selected={selected}
      data-maximised={maximised}
      className="note nodrag nopan nowheel nokey"
      onFocus={(event) => {
        if (event.target === event.currentTarget) select([id]);
      }}
      onKeyDown={(event) => {
        if (event.target !== event.currentTarget || event.key !== 'Enter') return;
        event.preventDefault();
        edit();
      }}
      onPointerDown={(event) => {
        if (editing || !isOwn(event) || (event.target as Element).closest('button')) return;
        event.preventDefault();
        const element = event.currentTarget;
        pressItem(event.nativeEvent, id, { onClick: () => element.focus({ preventScroll: true }) });
      }}
      onClick={(event) => {
        // Nothing else can be meant where it cannot be moved.
        if (maximised && !editing && isOwn(event) && !(event.target as Element).closest('button')) edit();
      }}
      onDoubleClick={(event) => {
        if (isOwn(event) && !(event.target as Element).closest('button')) edit();
      }}
      onContextMenu={(event) => {
        if (editing || !isOwn(event)) return;
        event.preventDefault();
        if (!canvasState().selection.has(id)) select([id]);
        setCanvas({ menu: { kind: 'note', id, at: { x: event.clientX, y: event.clientY } } });
      }}
    >
      {editing ? (
        <NoteField item={item} />
      ) : (
        <div className="note-text">
          {text ? <b>{first}</b> : <span className="note-hint">{t(maximised ? 'note.hintTap' : 'note.hint')}</span>}
          {rest.length > 0 ? `\n${rest.join('\n')}` : null}
        </div>
      )}
      <span className="note-buttons">
        <NoteMenuButton id={id} />
        <IconButton label={t('note.close')} onClick={() => attempt(removeItems([id]))}>
          <X aria-hidden />
        </IconButton>
      </span>
      {maximised ? null : <Handles id={id} />}
    </div>
  );
}

function NoteField({ item }: { item: Item }) {
  const t = useT();
  const field = useRef<HTMLTextAreaElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const before = useRef(item.text);
  const { id } = item;

  useEffect(() => {
    const element = field.current;
    // A page that goes has no time for the pause.
    const flush = () => {
      if (!element || timer.current === undefined) return;
      clearTimeout(timer.current);
      timer.current = undefined;
      writeNote(id, element.value);
      sendNow();
    };
    window.addEventListener('pagehide', flush);
    document.addEventListener('visibilitychange', flush);
    const frame = requestAnimationFrame(() => {
      element?.focus({ preventScroll: true });
      element?.setSelectionRange(element.value.length, element.value.length);
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer.current);
      window.removeEventListener('pagehide', flush);
      document.removeEventListener('visibilitychange', flush);
      if (!element) return;
      writeNote(id, element.value);
      endNote(id, before.current);
    };
  }, [id]);

  // What another tab writes on the same note shows, unless this one is ahead of it.
  useEffect(() => {
    if (field.current && timer.current === undefined && field.current.value !== item.text)
      field.current.value = item.text;
  }, [item.text]);

  return (
    <textarea
      ref={field}
      className="note-field"
      data-card-body
      aria-label={t('note.field')}
      placeholder={t('note.placeholder')}
      maxLength={CanvasLimits.maxNoteLength}
      defaultValue={item.text}
      onChange={() => {
        clearTimeout(timer.current);
        timer.current = setTimeout(() => {
          timer.current = undefined;
          if (field.current) writeNote(id, field.current.value);
        }, WRITE_MS);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        const card = event.currentTarget.closest<HTMLElement>('[data-card-id]');
        setCanvas({ editingNoteId: null, focusedId: null });
        card?.focus({ preventScroll: true });
      }}
      onBlur={() => {
        if (canvasState().editingNoteId === id)
          setCanvas({
            editingNoteId: null,
            focusedId: canvasState().focusedId === id ? null : canvasState().focusedId,
          });
      }}
    />
  );
}
