'use client';

import { useEffect, useRef } from 'react';
import type { Canvas } from '../../schemas/canvas';
import { attempt, renameCanvas } from '../canvas';
import { useT } from '../i18n';
import { useShell } from './state';

/** In the place of a canvas's name while it is written anew. Enter takes it, Escape leaves it as it was. */
export function CanvasNameField({ canvas }: { canvas: Canvas }) {
  const t = useT();
  const field = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.select();
    });
    return () => cancelAnimationFrame(frame);
  }, []);
  const finish = (take: boolean) => {
    if (done.current) return;
    done.current = true;
    useShell.setState({ renamingCanvas: null });
    const name = field.current?.value ?? '';
    if (take && name.trim() !== canvas.name) attempt(renameCanvas(canvas.id, name));
  };
  return (
    <input
      ref={field}
      className="title-field w-32"
      aria-label={t('canvases.nameField')}
      defaultValue={canvas.name}
      maxLength={80}
      onBlur={() => finish(true)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') finish(true);
        if (event.key === 'Escape') finish(false);
      }}
    />
  );
}
