import { canvasState, createCanvas } from '../canvas';
import { useCanvases } from '../connection';
import { isPhone } from '../ui';
import { useShell } from './state';

/** The project of the canvas that is shown. */
export const currentProject = (): string | undefined =>
  useCanvases.getState().canvases.find((canvas) => canvas.id === canvasState().canvasId)?.projectId;

/** Makes a canvas, shows it and lets the person name it at once; Enter or Escape leads on to the canvas itself. */
export async function newCanvas(projectId: string): Promise<void> {
  const canvasId = await createCanvas(projectId);
  // On a phone its keyboard would cover the new canvas.
  if (!isPhone()) useShell.setState({ renamingCanvas: canvasId });
}
