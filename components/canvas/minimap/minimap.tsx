'use client';

import { useEffect, useMemo, useRef, useState } from 'react';
import { useSessions } from '../../connection';
import { useT } from '../../i18n';
import { camera } from '../camera/camera';
import { expectMotion } from '../camera/expect-motion';
import { holds } from '../geometry/rect';
import { useAttention } from '../store/attention';
import { useCanvas } from '../store/state';
import { followPointer, pointOf } from '../tools/pointer';
import { fromMap, onMap, type Projection, projectionOf } from './projection';

const size = { width: 186, height: 116 };
/** Part of the view that an arrow key moves by. */
const STEP = 0.25;

/** The whole canvas small: a click goes there, a drag takes the view along, arrow keys move it. Amber is who needs you. */
export function Minimap() {
  const t = useT();
  const items = useCanvas((state) => state.items);
  const focusedId = useCanvas((state) => state.focusedId);
  const sessions = useSessions((state) => state.sessions);
  const needs = useAttention((state) => state.needs);
  const resting = useRestingView();
  const frame = useRef<HTMLElement>(null);

  const projection = useMemo(() => projectionOf([...items.values()], resting, size), [items, resting]);
  useEffect(() => {
    let drawn = 0;
    const draw = () => {
      const box = onMap(camera.view(), projection);
      if (!frame.current) return;
      const { style } = frame.current;
      // Another size is a new picture of it; while the camera moves, the one that there is is scaled.
      if (drawn === 0 || !camera.moving) {
        drawn = box.width;
        Object.assign(style, { width: `${box.width}px`, height: `${box.height}px` });
      }
      style.transform = `translate(${box.x}px, ${box.y}px) scale(${box.width / drawn})`;
    };
    draw();
    return camera.onMove(draw);
  }, [projection]);
  useEffect(() => (frame.current ? expectMotion(frame.current) : undefined), []);

  const needed = new Set(needs.map((need) => need.sessionId));
  const stateOf = (sessionId: string): string | undefined => {
    const info = sessions[sessionId]?.info;
    if (needed.has(sessionId)) return 'need';
    if (info?.state === 'ended' && (info.exit?.signal || info.exit?.code)) return 'failed';
    return info?.state === 'running' && (info.busy || info.progress) ? 'busy' : undefined;
  };

  return (
    <div
      className="minimap"
      role="application"
      aria-label={t('minimap.label')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes keys of its own
      tabIndex={0}
      data-owns-keys
      onPointerDown={(event) => press(event.nativeEvent, event.currentTarget, projection)}
      onKeyDown={(event) => {
        const { width, height } = camera.size;
        const by = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
        if (!by) return;
        event.preventDefault();
        camera.panBy(by[0]! * width * STEP, by[1]! * height * STEP);
      }}
    >
      {[...items.values()]
        .sort((a, b) => Number(b.kind === 'region') - Number(a.kind === 'region') || a.z - b.z)
        .map((item) => {
          const { x, y, width, height } = onMap(item, projection);
          return (
            <i
              key={item.id}
              data-kind={item.kind}
              data-map-item={item.id}
              data-focused={item.id === focusedId}
              data-state={item.kind === 'terminal' ? stateOf(item.sessionId) : undefined}
              style={{ left: x, top: y, width: Math.max(2, width), height: Math.max(2, height) }}
            />
          );
        })}
      <u ref={frame} data-map-view />
    </div>
  );
}

/** The camera's view whenever it has come to rest. */
function useRestingView() {
  const [view, setView] = useState(() => camera.view());
  useEffect(() => {
    const stop = camera.onMoving((moving) => !moving && setView(camera.view()));
    const resized = () => setView(camera.view());
    resized();
    window.addEventListener('resize', resized);
    return () => {
      stop();
      window.removeEventListener('resize', resized);
    };
  }, []);
  return view;
}

/** Inside the camera's frame it is grabbed and does not jump; elsewhere it first goes there. */
function press(down: PointerEvent, map: HTMLElement, projection: Projection): void {
  if (down.button !== 0) return;
  const box = map.getBoundingClientRect();
  const canvasAt = (at: { x: number; y: number }) => fromMap({ x: at.x - box.left, y: at.y - box.top }, projection);
  const centreOn = (at: { x: number; y: number }) => {
    const { width, height } = camera.size;
    const { zoom } = camera.place;
    return { x: width / 2 - at.x * zoom, y: height / 2 - at.y * zoom, zoom };
  };
  const start = canvasAt(pointOf(down));
  if (!holds(camera.view(), start)) camera.jump(centreOn(start), { animate: false });
  let last = pointOf(down);
  followPointer(
    down,
    {
      move(_event, at) {
        const { zoom } = camera.place;
        camera.panBy((-(at.x - last.x) / projection.scale) * zoom, (-(at.y - last.y) / projection.scale) * zoom);
        last = at;
      },
      end: () => {},
      cancel: () => {},
      click: () => camera.jump(centreOn(start)),
    },
    2,
  );
}
