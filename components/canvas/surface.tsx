'use client';

import { ReactFlow, ReactFlowProvider, useReactFlow, useStoreApi, ViewportPortal } from '@xyflow/react';
import { useEffect, useMemo, useRef } from 'react';
import { CanvasLimits } from '../../schemas/canvas';
import { holdSessionNews } from '../connection';
import { useT } from '../i18n';
import { cameraMoving } from '../terminals';
import { isPhone } from '../ui';
import { camera } from './camera/camera';
import { useBackdrop } from './camera/use-backdrop';
import { useCanvasInput } from './camera/use-canvas-input';
import { focusCard, refill } from './commands/focus';
import { fitAll } from './commands/items';
import { CorruptNode } from './items/corrupt-card';
import { type CanvasNode, NodeList } from './items/nodes';
import { NoteNode } from './items/note-card';
import { RegionNode } from './items/region-card';
import { TerminalNode } from './items/terminal-card';
import { PointMenus } from './menus/point-menus';
import { Overlay } from './overlay';
import { canvasState, setCanvas, useCanvas } from './store/state';
import { savedViewport, saveViewport } from './store/viewports';

const nodeTypes = { terminal: TerminalNode, note: NoteNode, region: RegionNode, corrupt: CorruptNode };
const noEdges: never[] = [];
const panButtons = [0];
const attribution = { hideAttribution: true };

/** The canvas itself: React Flow as camera and layer of nodes, everything else is ours. */
export function CanvasSurface() {
  return (
    <ReactFlowProvider>
      <Surface />
    </ReactFlowProvider>
  );
}

function Surface() {
  const t = useT();
  const element = useRef<HTMLDivElement>(null);
  const nodes = useNodes();
  const gesture = useCanvas((state) => state.gesture);
  const regionTool = useCanvas((state) => state.regionTool);
  useStage(element);
  const sheet = useBackdrop(element);
  useCanvasInput(element);
  useFirstViewport();
  return (
    // biome-ignore lint/a11y/useSemanticElements: React Flow stands inside
    <div
      ref={element}
      className="canvas"
      role="region"
      aria-label={t('canvas.label')}
      data-gesture={gesture}
      data-tool={regionTool ? 'region' : undefined}
      onDoubleClick={(event) => {
        if (isPane(event.target)) setCanvas({ menu: { kind: 'launcher', at: { x: event.clientX, y: event.clientY } } });
      }}
    >
      <ReactFlow<CanvasNode>
        nodes={nodes}
        edges={noEdges}
        nodeTypes={nodeTypes}
        minZoom={CanvasLimits.minZoom}
        maxZoom={CanvasLimits.maxZoom}
        zIndexMode="manual"
        elevateNodesOnSelect={false}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        panActivationKeyCode={null}
        zoomActivationKeyCode={null}
        panOnDrag={panButtons}
        panOnScroll={false}
        zoomOnScroll={false}
        zoomOnPinch={false}
        zoomOnDoubleClick={false}
        preventScrolling
        proOptions={attribution}
        onPaneClick={() => {
          (document.activeElement as HTMLElement | null)?.blur();
          setCanvas({ focusedId: null, editingNoteId: null, selection: new Set() });
        }}
        onPaneContextMenu={(event) => {
          event.preventDefault();
          setCanvas({ menu: { kind: 'canvas', at: { x: event.clientX, y: event.clientY } } });
        }}
      >
        <ViewportPortal>
          <div ref={sheet} className="canvas-sheet" />
        </ViewportPortal>
      </ReactFlow>
      <Overlay />
      <PointMenus />
    </div>
  );
}

const isPane = (target: EventTarget) => target instanceof Element && target.classList.contains('react-flow__pane');

function useNodes(): CanvasNode[] {
  const list = useRef(new NodeList());
  const items = useCanvas((state) => state.items);
  const corrupt = useCanvas((state) => state.corrupt);
  const maximised = useCanvas((state) => state.maximised);
  return useMemo(() => list.current.of(items, corrupt, maximised), [items, corrupt, maximised]);
}

/** Ties the camera to React Flow. */
function useStage(element: React.RefObject<HTMLDivElement | null>): void {
  const flow = useReactFlow();
  const store = useStoreApi();
  useEffect(() => {
    const stage = element.current;
    if (!stage) return;
    const stops = [
      camera.attach(flow, stage),
      store.subscribe((now, before) => {
        if (now.transform === before.transform) return;
        const [x, y, zoom] = now.transform;
        camera.moved({ x, y, zoom });
      }),
      camera.onMoving((moving) => {
        cameraMoving(moving);
        holdSessionNews(moving);
        const { canvasId, maximised, status } = canvasState();
        if (!moving && canvasId && !maximised && status === 'ready') saveViewport(canvasId, camera.place);
      }),
    ];
    const observer = new ResizeObserver(() => refill());
    observer.observe(stage);
    return () => {
      observer.disconnect();
      for (const stop of stops) stop();
    };
  }, [element, flow, store]);
}

/** A canvas that was just opened is shown from where this tab stood, else whole. */
function useFirstViewport(): void {
  const canvasId = useCanvas((state) => state.canvasId);
  const ready = useCanvas((state) => state.status === 'ready');
  useEffect(() => {
    if (!canvasId || !ready) return;
    const saved = savedViewport(canvasId);
    if (saved) camera.jump(saved, { animate: false, remember: false });
    else if (canvasState().items.size > 0) {
      fitAll({ animate: false, remember: false });
      // The first terminal of all waits for what the person types.
      const [only, ...more] = canvasState().items.values();
      if (only?.kind === 'terminal' && more.length === 0 && !isPhone()) focusCard(only.id);
    } else camera.jump({ x: 0, y: 0, zoom: 1 }, { animate: false, remember: false });
  }, [canvasId, ready]);
}
