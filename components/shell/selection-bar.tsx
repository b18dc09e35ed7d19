'use client';

import {
  AlignCenterHorizontal,
  AlignCenterVertical,
  AlignEndHorizontal,
  AlignEndVertical,
  AlignHorizontalDistributeCenter,
  AlignStartHorizontal,
  AlignStartVertical,
  AlignVerticalDistributeCenter,
  LayoutGrid,
  SquareDashed,
  X,
} from 'lucide-react';
import { runAction } from '../actions';
import { useCanvas, useChords } from '../canvas';
import { useT } from '../i18n';
import { IconButton } from '../ui';

const alignments = [
  ['layout.alignLeft', AlignStartVertical],
  ['layout.alignCentre', AlignCenterVertical],
  ['layout.alignRight', AlignEndVertical],
  ['layout.alignTop', AlignStartHorizontal],
  ['layout.alignMiddle', AlignCenterHorizontal],
  ['layout.alignBottom', AlignEndHorizontal],
] as const;

/** What can be done with several cards at once; shown while several are selected. */
export function SelectionBar() {
  const t = useT();
  const chords = useChords();
  const count = useCanvas((state) => state.selection.size);
  const still = useCanvas((state) => state.gesture === 'none' && state.drawing === null);
  if (count < 2 || !still) return null;
  const button = (id: string, Icon: typeof LayoutGrid) => (
    <IconButton key={id} side="top" label={t(`actions.${id}`)} keys={chords(id)} onClick={() => runAction(id)}>
      <Icon aria-hidden />
    </IconButton>
  );
  return (
    <div className="float selection-bar" role="toolbar" aria-label={t('selection.label', { count })}>
      <span className="px-2 text-xs whitespace-nowrap text-ink-2 tabular-nums">{t('selection.count', { count })}</span>
      {alignments.map(([id, Icon]) => button(id, Icon))}
      {count > 2 ? button('layout.distributeAcross', AlignHorizontalDistributeCenter) : null}
      {count > 2 ? button('layout.distributeDown', AlignVerticalDistributeCenter) : null}
      <span className="sep" />
      {button('layout.tidy', LayoutGrid)}
      {button('region.new', SquareDashed)}
      <span className="sep" />
      {button('card.close', X)}
    </div>
  );
}
