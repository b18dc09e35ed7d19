import { useEffect, useRef, useState } from 'react';
import { CanvasLimits } from '../../../schemas/canvas';
import { camera } from './camera';
import { type Crosser, Crossing } from './crossing';

const isFar = () => camera.place.zoom < CanvasLimits.summaryZoom;
const crossing = new Crossing();
let following = false;

/** Whether this card is a summary now. It renders only when the zoom crosses that border, after those in sight. */
export function useSummary(inSight: boolean): boolean {
  const [far, setFar] = useState(isFar);
  const card = useRef<Crosser & { inSight: boolean; far: boolean }>(undefined);
  card.current ??= { inSight, far, show: setFar };
  card.current.inSight = inSight;
  card.current.far = far;
  useEffect(() => {
    if (!following) {
      following = true;
      camera.onMove(() => crossing.to(isFar()));
    }
    crossing.to(isFar());
    return card.current && crossing.join(card.current, card.current.far);
  }, []);
  return far;
}

/** While the camera moves, the zoom is written this often, in milliseconds. */
const PERCENT_EVERY_MS = 100;
const percentNow = () => Math.round(camera.place.zoom * 100);

/** The zoom in per cent. */
export function useZoomPercent(): number {
  const [percent, setPercent] = useState(100);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = () => {
      timer = undefined;
      setPercent(percentNow());
    };
    show();
    const stop = camera.onMove(() => {
      timer ??= setTimeout(show, PERCENT_EVERY_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, []);
  return percent;
}
