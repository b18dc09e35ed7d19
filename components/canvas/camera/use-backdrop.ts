import { type RefObject, useEffect, useState } from 'react';
import { Backdrop } from './backdrop';
import { camera } from './camera';
import { expectMotion } from './expect-motion';

/** Draws what follows the camera. Returns where the sheet is to be put. */
export function useBackdrop(stage: RefObject<HTMLElement | null>): (sheet: HTMLElement | null) => void {
  // React Flow puts its portal there one drawing later than the rest.
  const [sheet, setSheet] = useState<HTMLElement | null>(null);
  useEffect(() => {
    const moved = sheet?.closest<HTMLElement>('.react-flow__viewport');
    if (!stage.current || !sheet || !moved) return;
    const backdrop = new Backdrop(sheet);
    const draw = () => backdrop.draw(camera.place, camera.view(), camera.moving);
    draw();
    const resized = new ResizeObserver(draw);
    resized.observe(stage.current);
    const stops = [camera.onMove(draw), camera.onMoving(draw), expectMotion(moved), () => resized.disconnect()];
    return () => {
      for (const stop of stops) stop();
    };
  }, [stage, sheet]);
  return setSheet;
}
