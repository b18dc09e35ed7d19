import { call, useCanvases, useSessions } from '../../connection';
import { canvasState, useCanvas } from '../store/state';
import { switchCanvas } from './canvases';
import { focusCard } from './focus';

const cardOf = (sessionId: string) =>
  [...canvasState().items.values()].find((item) => item.kind === 'terminal' && item.sessionId === sessionId);

/** Shows the card of a session and gives it the keyboard, whichever canvas it lies on. */
export async function revealSession(sessionId: string): Promise<void> {
  const here = cardOf(sessionId);
  if (here) {
    focusCard(here.id);
    return;
  }
  const projectId = useSessions.getState().sessions[sessionId]?.record.projectId;
  const others = useCanvases
    .getState()
    .canvases.filter((canvas) => canvas.id !== canvasState().canvasId)
    .sort((a, b) => Number(b.projectId === projectId) - Number(a.projectId === projectId));
  for (const canvas of others) {
    const state = await call('canvas:open', { canvasId: canvas.id });
    if (!state.items.some((item) => item.kind === 'terminal' && item.sessionId === sessionId)) continue;
    switchCanvas(canvas.id);
    await until(() => canvasState().canvasId === canvas.id && cardOf(sessionId) !== undefined);
    const card = cardOf(sessionId);
    if (card) focusCard(card.id);
    return;
  }
}

/** Resolves when the canvas is in that state, or after five seconds. */
function until(condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      stop();
      resolve();
    };
    const timer = setTimeout(done, 5_000);
    const stop = useCanvas.subscribe(() => condition() && done());
    if (condition()) done();
  });
}
