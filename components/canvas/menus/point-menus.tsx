'use client';

import {
  BoxSelect,
  Frame,
  LayoutGrid,
  Maximize,
  Redo2,
  SquareDashed,
  SquareTerminal,
  StickyNote,
  Undo2,
} from 'lucide-react';
import { useT } from '../../i18n';
import { MenuItem, MenuLine, PointMenu } from '../../ui';
import { attempt } from '../attempt';
import { camera } from '../camera/camera';
import { fitAll, newNote, newRegion, selectAll, tidy } from '../commands/items';
import { newTerminal } from '../commands/terminals';
import { canvasState, type OpenMenu, setCanvas, useCanvas } from '../store/state';
import { canRedo, canUndo, redo, undo } from '../store/sync';
import { useChords } from '../use-chords';
import { afterMenu, CardMenuItems, NoteMenuItems, RegionMenuItems } from './card-menu';

/** The menu that is open at a point: the launcher, or the context menu of what was clicked. */
export function PointMenus() {
  const t = useT();
  const menu = useCanvas((state) => state.menu);
  if (!menu) return null;
  const close = () => {
    if (canvasState().menu === menu) setCanvas({ menu: null });
    if (menu.id) afterMenu(menu.id);
  };
  return (
    <PointMenu
      key={`${menu.at.x},${menu.at.y}`}
      at={menu.at}
      label={t(menu.kind === 'launcher' ? 'launcher.label' : 'ui.contextMenu')}
      onClose={close}
      items={<Items menu={menu} />}
    />
  );
}

function Items({ menu }: { menu: OpenMenu }) {
  switch (menu.kind) {
    case 'launcher':
      return <LauncherItems menu={menu} />;
    case 'canvas':
      return <CanvasItems menu={menu} />;
    case 'card':
      return <CardMenuItems id={menu.id!} />;
    case 'note':
      return <NoteMenuItems id={menu.id!} />;
    case 'region':
      return <RegionMenuItems id={menu.id!} />;
  }
}

function LauncherItems({ menu }: { menu: OpenMenu }) {
  const t = useT();
  const chords = useChords();
  const at = camera.toCanvas(menu.at);
  return (
    <>
      <MenuItem
        icon={<SquareTerminal aria-hidden />}
        keys={chords('terminal.new')}
        onSelect={() => attempt(newTerminal({ at }))}
      >
        {t('launcher.terminal')}
      </MenuItem>
      <MenuItem icon={<StickyNote aria-hidden />} keys={chords('note.new')} onSelect={() => newNote(at)}>
        {t('launcher.note')}
      </MenuItem>
      <MenuItem
        icon={<SquareDashed aria-hidden />}
        keys={chords('region.new')}
        onSelect={() => newRegion({ x: at.x - 300, y: at.y - 200, width: 600, height: 400 })}
      >
        {t('launcher.region')}
      </MenuItem>
    </>
  );
}

function CanvasItems({ menu }: { menu: OpenMenu }) {
  const t = useT();
  const chords = useChords();
  const empty = useCanvas((state) => state.items.size === 0);
  return (
    <>
      <LauncherItems menu={menu} />
      <MenuItem icon={<BoxSelect aria-hidden />} onSelect={() => setCanvas({ regionTool: true })}>
        {t('actions.region.draw')}
      </MenuItem>
      <MenuLine />
      <MenuItem icon={<Undo2 aria-hidden />} keys={chords('layout.undo')} disabled={!canUndo()} onSelect={undo}>
        {t('actions.layout.undo')}
      </MenuItem>
      <MenuItem icon={<Redo2 aria-hidden />} keys={chords('layout.redo')} disabled={!canRedo()} onSelect={redo}>
        {t('actions.layout.redo')}
      </MenuItem>
      <MenuLine />
      <MenuItem icon={<Frame aria-hidden />} keys={chords('selection.all')} disabled={empty} onSelect={selectAll}>
        {t('actions.selection.all')}
      </MenuItem>
      <MenuItem icon={<LayoutGrid aria-hidden />} keys={chords('layout.tidy')} disabled={empty} onSelect={tidy}>
        {t('actions.layout.tidy')}
      </MenuItem>
      <MenuItem icon={<Maximize aria-hidden />} keys={chords('view.fit')} disabled={empty} onSelect={() => fitAll()}>
        {t('actions.view.fit')}
      </MenuItem>
    </>
  );
}
