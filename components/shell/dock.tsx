'use client';

import { Command, Maximize, Minus, Plus, SquareDashed, SquareTerminal, StickyNote } from 'lucide-react';
import { runAction } from '../actions';
import { setCanvas, useCanvas, useChords, useZoomPercent } from '../canvas';
import { useT } from '../i18n';
import { Button, IconButton, Tip } from '../ui';

/** What one puts onto the canvas, at the bottom. */
export function Dock() {
  const t = useT();
  const chords = useChords();
  const drawing = useCanvas((state) => state.regionTool);
  return (
    <div className="float dock" role="toolbar" aria-label={t('dock.label')}>
      <Tip side="top" text={t('actions.terminal.new')} keys={chords('terminal.new')}>
        <Button onClick={() => runAction('terminal.new')} aria-label={t('actions.terminal.new')}>
          <SquareTerminal aria-hidden />
          {t('dock.terminal')}
        </Button>
      </Tip>
      <Tip side="top" text={t('actions.note.new')} keys={chords('note.new')}>
        <Button onClick={() => runAction('note.new')} aria-label={t('actions.note.new')}>
          <StickyNote aria-hidden />
          {t('dock.note')}
        </Button>
      </Tip>
      <Tip side="top" text={t('actions.region.draw')} keys={chords('region.draw')}>
        <Button
          aria-pressed={drawing}
          onClick={() => setCanvas({ regionTool: !drawing })}
          aria-label={t('actions.region.draw')}
        >
          <SquareDashed aria-hidden />
          {t('dock.region')}
        </Button>
      </Tip>
      <span className="sep" />
      <Tip side="top" text={t('actions.palette.open')} keys={chords('palette.open')}>
        <Button onClick={() => runAction('palette.open')} aria-label={t('actions.palette.open')}>
          <Command aria-hidden />
          {t('dock.palette')}
        </Button>
      </Tip>
    </div>
  );
}

/** How large everything is, at the lower right. */
export function ZoomBar() {
  const t = useT();
  const chords = useChords();
  const percent = useZoomPercent();
  return (
    <div className="float zoom-bar" role="toolbar" aria-label={t('zoom.label')}>
      <IconButton
        side="top"
        label={t('actions.view.zoomOut')}
        keys={chords('view.zoomOut')}
        onClick={() => runAction('view.zoomOut')}
      >
        <Minus aria-hidden />
      </IconButton>
      <Tip side="top" text={t('actions.view.zoomReset')} keys={chords('view.zoomReset')}>
        <Button
          className="w-14 tabular-nums"
          aria-label={t('zoom.now', { percent })}
          onClick={() => runAction('view.zoomReset')}
        >
          {percent} %
        </Button>
      </Tip>
      <IconButton
        side="top"
        label={t('actions.view.zoomIn')}
        keys={chords('view.zoomIn')}
        onClick={() => runAction('view.zoomIn')}
      >
        <Plus aria-hidden />
      </IconButton>
      <IconButton
        side="top"
        label={t('actions.view.fit')}
        keys={chords('view.fit')}
        onClick={() => runAction('view.fit')}
      >
        <Maximize aria-hidden />
      </IconButton>
    </div>
  );
}
