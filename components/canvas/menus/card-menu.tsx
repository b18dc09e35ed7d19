'use client';

import {
  AArrowDown,
  AArrowUp,
  ArrowDownToLine,
  BringToFront,
  Copy,
  CopyPlus,
  Ellipsis,
  HardDrive,
  Maximize2,
  Minimize2,
  Palette,
  Pencil,
  RotateCw,
  Rows2,
  Search,
  Trash2,
  X,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { allActions, runAction } from '../../actions';
import { useSessions, useSettings } from '../../connection';
import { useT } from '../../i18n';
import { IconButton, Menu, MenuCheck, MenuItem, MenuLabel, MenuLine, useIsPhone } from '../../ui';
import { attempt } from '../attempt';
import { bringToFront, focusCard, focusContent, toggleMaximised } from '../commands/focus';
import { type Colour, colourItem, colours, removeItems } from '../commands/items';
import { duplicateTerminal, keepJournal, restartTerminal, setFontSize, splitBelow } from '../commands/terminals';
import { canvasState, select, setCanvas, useCanvas } from '../store/state';
import { useChords } from '../use-chords';

/** The rest of what can be done with a card, behind its ⋯. */
export function CardMenuButton({ id }: { id: string }) {
  const t = useT();
  return (
    <Menu
      label={t('card.menu')}
      align="end"
      items={<CardMenuItems id={id} />}
      onClose={() => afterMenu(id)}
      onOpenChange={(open) => open && !canvasState().selection.has(id) && select([id])}
    >
      <IconButton label={t('card.menu')}>
        <Ellipsis aria-hidden />
      </IconButton>
    </Menu>
  );
}

/** Back into the card, unless what was chosen needs the keyboard elsewhere. */
export function afterMenu(id: string): void {
  const { renamingId, editingNoteId, focusedId } = canvasState();
  if (!renamingId && !editingNoteId && focusedId === id) focusContent(id, 0);
}

/** Runs an action of the terminals room on this card. */
function onTerminal(id: string, action: string): void {
  focusCard(id, { reveal: false });
  // The terminal knows that it has the focus after the next drawing.
  requestAnimationFrame(() => requestAnimationFrame(() => runAction(action)));
}

export function CardMenuItems({ id }: { id: string }) {
  const t = useT();
  const chordOf = useChords();
  const focused = useCanvas((state) => state.focusedId === id);
  // With the terminal focused the other chords are its program's: Ctrl+D would end the shell, not open another.
  const chords = (action: string) =>
    !focused || allActions().some((one) => one.id === action && one.reserved) ? chordOf(action) : undefined;
  const item = useCanvas((state) => state.items.get(id));
  const maximised = useCanvas((state) => state.maximised?.id === id);
  // There the way back is to the whole canvas.
  const phone = useIsPhone();
  const sessionId = item?.kind === 'terminal' ? item.sessionId : '';
  const view = useSessions((state) => state.sessions[sessionId]);
  const usual = useSettings((state) => state.settings.terminalFontSize);
  if (item?.kind !== 'terminal') return null;
  const size = item.fontSize ?? usual;
  const known = new Set(allActions().map((action) => action.id));
  const ended = view?.info?.state === 'ended';
  const journal = view?.record.journal ?? true;
  return (
    <>
      <MenuItem
        icon={<Pencil aria-hidden />}
        keys={chords('card.rename')}
        onSelect={() => setCanvas({ renamingId: id })}
      >
        {t('actions.card.rename')}
      </MenuItem>
      {ended ? (
        <MenuItem icon={<RotateCw aria-hidden />} onSelect={() => attempt(restartTerminal(id))}>
          {t('card.restart')}
        </MenuItem>
      ) : null}
      <MenuItem
        icon={<CopyPlus aria-hidden />}
        keys={chords('card.duplicate')}
        onSelect={() => attempt(duplicateTerminal(id))}
      >
        {t('actions.card.duplicate')}
      </MenuItem>
      <MenuItem icon={<Rows2 aria-hidden />} keys={chords('card.split')} onSelect={() => attempt(splitBelow(id))}>
        {t('actions.card.split')}
      </MenuItem>
      <MenuLine />
      {known.has('terminal.search') ? (
        <MenuItem
          icon={<Search aria-hidden />}
          keys={chords('terminal.search')}
          onSelect={() => onTerminal(id, 'terminal.search')}
        >
          {t('card.search')}
        </MenuItem>
      ) : null}
      {known.has('terminal.copyLastOutput') ? (
        <MenuItem icon={<Copy aria-hidden />} onSelect={() => onTerminal(id, 'terminal.copyLastOutput')}>
          {t('card.copyLastOutput')}
        </MenuItem>
      ) : null}
      <MenuItem icon={<AArrowUp aria-hidden />} disabled={size >= 40} onSelect={() => setFontSize(id, size + 1)}>
        {t('card.fontBigger')}
      </MenuItem>
      <MenuItem icon={<AArrowDown aria-hidden />} disabled={size <= 6} onSelect={() => setFontSize(id, size - 1)}>
        {t('card.fontSmaller')}
      </MenuItem>
      {item.fontSize !== undefined ? (
        <MenuItem icon={<ArrowDownToLine aria-hidden />} onSelect={() => setFontSize(id, null)}>
          {t('card.fontReset', { size: usual })}
        </MenuItem>
      ) : null}
      <MenuCheck icon={<HardDrive aria-hidden />} checked={journal} onSelect={() => attempt(keepJournal(id, !journal))}>
        {t('card.journal')}
      </MenuCheck>
      <MenuLine />
      {phone && maximised ? null : (
        <MenuItem
          icon={maximised ? <Minimize2 aria-hidden /> : <Maximize2 aria-hidden />}
          keys={chords('card.maximise')}
          onSelect={() => toggleMaximised(id)}
        >
          {maximised ? t('card.unmaximise') : t('card.maximise')}
        </MenuItem>
      )}
      <MenuItem icon={<BringToFront aria-hidden />} onSelect={() => bringToFront([id])}>
        {t('card.toFront')}
      </MenuItem>
      <MenuItem danger icon={<X aria-hidden />} keys={chords('card.close')} onSelect={() => attempt(removeItems([id]))}>
        {t('card.close')}
      </MenuItem>
    </>
  );
}

/** A small ⋯ at the corner of a note. */
export function NoteMenuButton({ id }: { id: string }): ReactNode {
  const t = useT();
  return (
    <Menu
      label={t('note.menu')}
      align="end"
      items={<NoteMenuItems id={id} />}
      onClose={() => focusContent(id, 0)}
      onOpenChange={(open) => open && select([id])}
    >
      <IconButton label={t('note.menu')}>
        <Ellipsis aria-hidden />
      </IconButton>
    </Menu>
  );
}

export function NoteMenuItems({ id }: { id: string }) {
  const t = useT();
  return (
    <>
      <MenuItem
        icon={<Pencil aria-hidden />}
        onSelect={() => requestAnimationFrame(() => setCanvas({ editingNoteId: id, focusedId: id }))}
      >
        {t('note.edit')}
      </MenuItem>
      <MenuItem icon={<BringToFront aria-hidden />} onSelect={() => bringToFront([id])}>
        {t('card.toFront')}
      </MenuItem>
      <Colours id={id} />
      <MenuLine />
      <MenuItem danger icon={<X aria-hidden />} onSelect={() => attempt(removeItems([id]))}>
        {t('note.close')}
      </MenuItem>
    </>
  );
}

export function RegionMenuItems({ id }: { id: string }) {
  const t = useT();
  return (
    <>
      <MenuItem icon={<Pencil aria-hidden />} onSelect={() => setCanvas({ renamingId: id })}>
        {t('region.rename')}
      </MenuItem>
      <Colours id={id} />
      <MenuLine />
      <MenuItem danger icon={<Trash2 aria-hidden />} onSelect={() => attempt(removeItems([id]))}>
        {t('region.delete')}
      </MenuItem>
    </>
  );
}

function Colours({ id }: { id: string }) {
  const t = useT();
  const now = useCanvas((state) => {
    const item = state.items.get(id);
    return item && item.kind !== 'terminal' ? item.colour : undefined;
  });
  return (
    <>
      <MenuLabel>
        <span className="flex items-center gap-2">
          <Palette className="size-3.5" aria-hidden /> {t('colours.title')}
        </span>
      </MenuLabel>
      {colours.map((colour: Colour) => (
        <MenuCheck
          key={colour}
          checked={now === colour}
          icon={<span className="swatch" data-colour={colour} aria-hidden />}
          onSelect={() => colourItem(id, colour)}
        >
          {t(`colours.${colour}`)}
        </MenuCheck>
      ))}
    </>
  );
}
