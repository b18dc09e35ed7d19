import { nanoid } from 'nanoid';
import { asName } from '../../../schemas/names';
import { call, useCanvases } from '../../connection';
import { text } from '../../i18n';
import { confirm } from '../../ui';
import { camera } from '../camera/camera';
import { canvasState } from '../store/state';
import { closeCanvas, openCanvas } from '../store/sync';
import { keepViewports, saveCanvas, savedCanvas, saveViewport } from '../store/viewports';

/** Shows another canvas in this tab; the camera goes to where it stood there. */
export function switchCanvas(canvasId: string): void {
  const { canvasId: current } = canvasState();
  if (current === canvasId) return;
  if (current && !camera.locked) saveViewport(current, camera.destination);
  camera.locked = false;
  camera.places.clear();
  saveCanvas(canvasId);
  void openCanvas(canvasId);
}

/** The canvas with which this tab begins, or goes on when its own is gone. */
export function showSomeCanvas(): void {
  leaveGoneCanvas();
  // Afterwards: leaving a canvas writes down where one stood on it.
  keepViewports(new Set(useCanvases.getState().canvases.map(({ id }) => id)));
}

function leaveGoneCanvas(): void {
  const { canvases, projects } = useCanvases.getState();
  const { canvasId } = canvasState();
  if (canvasId && canvases.some((canvas) => canvas.id === canvasId)) return;
  const saved = savedCanvas();
  const newest = [...projects].sort((a, b) => b.openedAt - a.openedAt)[0];
  const ofNewest = canvases.filter((canvas) => canvas.projectId === newest?.id).sort((a, b) => a.position - b.position);
  const next = canvases.find((canvas) => canvas.id === saved) ?? ofNewest[0] ?? canvases[0];
  if (next) switchCanvas(next.id);
  else closeCanvas();
}

/** Makes a canvas, shows it and gives its id. */
export async function createCanvas(projectId: string): Promise<string> {
  const { canvases } = useCanvases.getState();
  const names = new Set(canvases.filter((canvas) => canvas.projectId === projectId).map((canvas) => canvas.name));
  let number = names.size + 1;
  while (names.has(text('canvases.newName', { number }))) number++;
  const canvas = await call('canvas:create', { opId: nanoid(), projectId, name: text('canvases.newName', { number }) });
  useCanvases.setState((state) =>
    state.canvases.some((one) => one.id === canvas.id) ? {} : { canvases: [...state.canvases, canvas] },
  );
  switchCanvas(canvas.id);
  return canvas.id;
}

export async function renameCanvas(canvasId: string, name: string): Promise<void> {
  const wanted = asName(name);
  if (wanted) await call('canvas:rename', { canvasId, name: wanted });
}

export async function deleteCanvas(canvasId: string): Promise<void> {
  const canvas = useCanvases.getState().canvases.find((one) => one.id === canvasId);
  if (!canvas) return;
  const { canvasId: shown, status, items, corrupt } = canvasState();
  // Nothing is on it: nothing can be lost.
  const empty = shown === canvasId && status === 'ready' && items.size === 0 && corrupt.length === 0;
  if (empty) {
    await call('canvas:delete', { canvasId });
    return;
  }
  const yes = await confirm({
    title: text('canvases.deleteTitle', { name: canvas.name }),
    text: text('canvases.deleteText'),
    yes: text('canvases.deleteYes'),
    no: text('ui.cancel'),
    danger: true,
  });
  if (yes) await call('canvas:delete', { canvasId });
}

export async function openProject(folder: string): Promise<void> {
  const { project, canvas } = await call('project:open', { folder });
  useCanvases.setState((state) => ({
    projects: state.projects.some((one) => one.id === project.id) ? state.projects : [project, ...state.projects],
    canvases: state.canvases.some((one) => one.id === canvas.id) ? state.canvases : [...state.canvases, canvas],
  }));
  switchCanvas(canvas.id);
}
