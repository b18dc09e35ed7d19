import { camera } from '../camera/camera';
import { setCanvas } from '../store/state';
import { followPointer, pointOf } from './pointer';

/** Moves the camera with the pointer from where it was pressed; a mere press may mean something else. */
export function pressToPan(down: PointerEvent, onClick?: () => void): void {
  let last = pointOf(down);
  const end = () => setCanvas({ gesture: 'none' });
  followPointer(
    down,
    {
      start: () => setCanvas({ gesture: 'pan' }),
      move(_event, at) {
        camera.panBy(at.x - last.x, at.y - last.y);
        last = at;
      },
      end,
      cancel: end,
      click: onClick,
    },
    onClick ? undefined : 0,
  );
}
