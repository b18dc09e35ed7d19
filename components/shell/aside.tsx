'use client';

import { type ReactNode, useEffect, useRef, useState } from 'react';
import { camera, useCanvas } from '../canvas';

/** Chrome that steps aside while it would float over what the person types into. */
export function Aside({ className, children }: { className: string; children: ReactNode }) {
  const element = useRef<HTMLDivElement>(null);
  const [aside, setAside] = useState(false);
  const focused = useCanvas((state) =>
    state.focusedId && !state.maximised ? state.items.get(state.focusedId) : undefined,
  );
  useEffect(() => {
    const look = () => {
      const box = element.current?.getBoundingClientRect();
      if (!box || !focused) {
        setAside(false);
        return;
      }
      const from = camera.toScreen(focused);
      const to = camera.toScreen({ x: focused.x + focused.width, y: focused.y + focused.height });
      setAside(box.width > 0 && from.x < box.right && to.x > box.left && from.y < box.bottom && to.y > box.top);
    };
    look();
    return camera.onMoving((moving) => !moving && look());
  }, [focused]);
  return (
    <div ref={element} className={`aside ${className}`} data-aside={aside} inert={aside}>
      {children}
    </div>
  );
}
