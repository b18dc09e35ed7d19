'use client';

import type { NodeProps } from '@xyflow/react';
import { Ellipsis } from 'lucide-react';
import { memo } from 'react';
import type { RegionCard as Item } from '../../../schemas/canvas';
import { useT } from '../../i18n';
import { IconButton } from '../../ui';
import { byZoom } from '../camera/by-zoom';
import { renameRegion } from '../commands/items';
import { canvasState, select, setCanvas, useCanvas } from '../store/state';
import { pressItem } from '../tools/moving';
import { Handles } from './handles';
import type { ItemNode } from './nodes';
import { Title } from './title';

/** A named part of the canvas, behind the cards. Its label moves it and what lies wholly inside. */
export const RegionNode = memo(
  function RegionNode({ data }: NodeProps<ItemNode>) {
    return data.item.kind === 'region' ? <RegionCard item={data.item} /> : null;
  },
  (a, b) => a.data === b.data,
);

function RegionCard({ item }: { item: Item }) {
  const t = useT();
  const { id, name } = item;
  const selected = useCanvas((state) => state.selection.has(id));
  const openMenu = (x: number, y: number) => {
    if (!canvasState().selection.has(id)) select([id]);
    setCanvas({ menu: { kind: 'region', id, at: { x, y } } });
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a region is no fieldset
    <div
      role="group"
      aria-label={t('region.label', { name })}
      data-card-kind="region"
      data-card-id={id}
      data-colour={item.colour}
      data-selected={selected}
      className="region nodrag nopan"
      ref={byZoom}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the same by keyboard is its menu and the arrow keys */}
      <div
        className="region-label"
        onPointerDown={(event) => {
          if ((event.target as Element).closest('button.btn, input')) return;
          event.preventDefault();
          const button = event.currentTarget.querySelector('button');
          pressItem(event.nativeEvent, id, { onClick: () => button?.focus({ preventScroll: true }) });
        }}
        onDoubleClick={(event) => {
          if (!(event.target as Element).closest('.btn')) setCanvas({ renamingId: id });
        }}
        onContextMenu={(event) => {
          event.preventDefault();
          openMenu(event.clientX, event.clientY);
        }}
      >
        <Title
          id={id}
          title={name}
          label={t('region.nameField')}
          className="region-name"
          onRename={(next) => renameRegion(id, next)}
        />
        <IconButton
          label={t('region.menu', { name })}
          className="region-menu"
          onFocus={() => select([id])}
          onClick={(event) => {
            const box = event.currentTarget.getBoundingClientRect();
            openMenu(box.left, box.bottom);
          }}
        >
          <Ellipsis aria-hidden />
        </IconButton>
      </div>
      <Handles id={id} />
    </div>
  );
}
