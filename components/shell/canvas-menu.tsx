'use client';

import { Check, ChevronDown, Pencil, Plus, Trash2 } from 'lucide-react';
import type { Canvas } from '../../schemas/canvas';
import { attempt, deleteCanvas, switchCanvas, useCanvas } from '../canvas';
import { useCanvases } from '../connection';
import { useT } from '../i18n';
import { Button, Menu, MenuItem, MenuLine } from '../ui';
import { CanvasNameField } from './canvas-name-field';
import { newCanvas } from './new-canvas';
import { useShell } from './state';

/** The items by which the canvas that is shown is renamed and deleted. */
export function CanvasItems({ canvas, alone }: { canvas: Canvas; alone: boolean }) {
  const t = useT();
  return (
    <>
      <MenuItem icon={<Pencil aria-hidden />} onSelect={() => renameCanvasHere(canvas.id)}>
        {t('canvases.rename')}
      </MenuItem>
      <MenuItem danger disabled={alone} icon={<Trash2 aria-hidden />} onSelect={() => attempt(deleteCanvas(canvas.id))}>
        {t('canvases.delete')}
      </MenuItem>
    </>
  );
}

/** Once the menu has given the focus back. */
export function renameCanvasHere(canvasId: string): void {
  requestAnimationFrame(() => useShell.setState({ renamingCanvas: canvasId }));
}

/** Where there is no room for a tab for each: the canvas that is shown, and the others of its project behind it. */
export function CanvasMenu() {
  const t = useT();
  const canvasId = useCanvas((state) => state.canvasId);
  const all = useCanvases((state) => state.canvases);
  const renamingId = useShell((state) => state.renamingCanvas);
  const current = all.find((canvas) => canvas.id === canvasId);
  if (!current) return null;
  const canvases = all.filter((canvas) => canvas.projectId === current.projectId);
  if (renamingId === current.id) return <CanvasNameField canvas={current} />;
  const items = (
    <>
      {canvases.map((canvas) => (
        <MenuItem
          key={canvas.id}
          icon={canvas.id === current.id ? <Check aria-hidden /> : <span className="w-4" />}
          onSelect={() => switchCanvas(canvas.id)}
        >
          {canvas.name}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem icon={<Plus aria-hidden />} onSelect={() => attempt(newCanvas(current.projectId))}>
        {t('actions.canvases.new')}
      </MenuItem>
      <CanvasItems canvas={current} alone={canvases.length === 1} />
    </>
  );
  return (
    <Menu items={items} label={t('canvases.menu', { name: current.name })}>
      <Button className="canvas-name" aria-label={t('canvases.menu', { name: current.name })} title={current.name}>
        <span className="max-w-24 truncate leading-[1.3]">{current.name}</span>
        <ChevronDown aria-hidden />
      </Button>
    </Menu>
  );
}
