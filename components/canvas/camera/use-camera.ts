import { useSyncExternalStore } from 'react';
import { CanvasLimits } from '../../../schemas/canvas';
import { camera } from './camera';

const isSummary = () => camera.place.zoom < CanvasLimits.summaryZoom;

function onCrossing(changed: () => void): () => void {
  let was = isSummary();
  return camera.onMove(() => {
    if (was === isSummary()) return;
    was = !was;
    changed();
  });
}

/** Whether cards are summaries now. Renders only when the zoom crosses that border. */
export function useSummary(): boolean {
  return useSyncExternalStore(onCrossing, isSummary, () => false);
}

/** The zoom in per cent, when the camera rests. */
export function useZoomPercent(): number {
  return useSyncExternalStore(
    (changed) => {
      const stopMove = camera.onMove(changed);
      return stopMove;
    },
    () => Math.round(camera.place.zoom * 100),
    () => 100,
  );
}
