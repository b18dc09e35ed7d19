import type { Action } from '../actions';
import { useCanvases } from '../connection';
import { camera } from './camera/camera';
import { deleteCanvas, switchCanvas } from './commands/canvases';
import { bringToFront, leaveCard, toggleMaximised, unmaximise } from './commands/focus';
import {
  align,
  fitAll,
  fitSelection,
  focusToward,
  grow,
  newNote,
  newRegion,
  nudge,
  removeItems,
  selectAll,
  targetId,
  tidy,
} from './commands/items';
import { revealSession } from './commands/reveal';
import { duplicateTerminal, newTerminal, splitBelow } from './commands/terminals';
import type { Alignment } from './geometry/arrange';
import type { Direction } from './geometry/direction';
import { useAttention } from './store/attention';
import { canvasState, select, setCanvas } from './store/state';
import { canRedo, canUndo, redo, undo } from './store/sync';

/** A key moves by one step of the grid, with Shift by five. */
const STEP = 10;
const FAR = 50;
const ZOOM_STEP = 1.22;

const isReady = () => canvasState().status === 'ready';
const hasItems = () => canvasState().items.size > 0;
const selectedCount = () => canvasState().selection.size;
const target = () => {
  const id = targetId();
  return id ? canvasState().items.get(id) : undefined;
};
const isTerminal = () => target()?.kind === 'terminal';
const isCard = () => target() !== undefined && target()?.kind !== 'region';
const onTerminal = (run: (id: string) => void | Promise<void>) => () => {
  const item = target();
  if (item?.kind === 'terminal') return run(item.id);
};

const alignments: readonly [string, Alignment, number][] = [
  ['alignLeft', 'left', 2],
  ['alignCentre', 'centre', 2],
  ['alignRight', 'right', 2],
  ['alignTop', 'top', 2],
  ['alignMiddle', 'middle', 2],
  ['alignBottom', 'bottom', 2],
  ['distributeAcross', 'distribute-x', 3],
  ['distributeDown', 'distribute-y', 3],
];
const directions: readonly [name: string, direction: Direction, x: number, y: number][] = [
  ['Left', 'left', -1, 0],
  ['Right', 'right', 1, 0],
  ['Up', 'up', 0, -1],
  ['Down', 'down', 0, 1],
];

/** Shows the canvas before or after this one, of the same project. */
function stepCanvas(by: number): void {
  const { canvases } = useCanvases.getState();
  const current = canvases.find((canvas) => canvas.id === canvasState().canvasId);
  const row = canvases
    .filter((canvas) => canvas.projectId === current?.projectId)
    .sort((a, b) => a.position - b.position);
  const next = row[(row.findIndex((canvas) => canvas.id === current?.id) + by + row.length) % row.length];
  if (next) switchCanvas(next.id);
}

/** Everything that can be done on the canvas. With a terminal focused only what is `reserved` works. */
export const canvasActions: Action[] = [
  {
    id: 'terminal.new',
    section: 'canvas',
    keys: ['$mod+Shift+Enter'],
    reserved: true,
    enabled: isReady,
    run: () => newTerminal(),
  },
  { id: 'note.new', section: 'canvas', keys: ['KeyN'], enabled: isReady, run: () => newNote() },
  { id: 'region.new', section: 'canvas', keys: ['KeyR'], enabled: isReady, run: () => newRegion() },
  {
    id: 'region.draw',
    section: 'canvas',
    keys: ['Shift+KeyR'],
    enabled: isReady,
    run: () => setCanvas({ regionTool: true }),
  },

  {
    id: 'card.maximise',
    section: 'card',
    keys: ['$mod+Shift+KeyM'],
    reserved: true,
    enabled: isCard,
    run: () => toggleMaximised(targetId()!),
  },
  {
    id: 'card.rename',
    section: 'card',
    keys: ['F2'],
    enabled: () => isTerminal() || target()?.kind === 'region',
    run: () => {
      const item = target()!;
      setCanvas({ renamingId: item.id });
      camera.reveal(item);
    },
  },
  {
    id: 'card.duplicate',
    section: 'card',
    keys: ['$mod+KeyD'],
    enabled: isTerminal,
    run: onTerminal(duplicateTerminal),
  },
  { id: 'card.split', section: 'card', keys: ['$mod+Alt+KeyD'], enabled: isTerminal, run: onTerminal(splitBelow) },
  { id: 'card.toFront', section: 'card', keys: [], enabled: isCard, run: () => bringToFront([targetId()!]) },
  {
    id: 'card.close',
    section: 'card',
    keys: ['Delete', '$mod+Backspace'],
    enabled: () => selectedCount() > 0 || target() !== undefined,
    run: () => removeItems(selectedCount() > 0 ? canvasState().selection : [targetId()!]),
  },

  ...directions.map(
    ([name, direction]): Action => ({
      id: `focus.${direction}`,
      section: 'view',
      keys: [`$mod+Shift+Arrow${name}`],
      reserved: true,
      enabled: hasItems,
      run: () => focusToward(direction),
    }),
  ),
  {
    id: 'focus.leave',
    section: 'view',
    keys: ['$mod+Shift+KeyL'],
    reserved: true,
    enabled: () => canvasState().focusedId !== null,
    run: leaveCard,
  },
  {
    id: 'attention.next',
    section: 'view',
    keys: ['$mod+Shift+KeyA'],
    reserved: true,
    enabled: () => useAttention.getState().needs.length > 0,
    run: () => revealSession(useAttention.getState().needs[0]!.sessionId),
  },

  { id: 'selection.all', section: 'canvas', keys: ['$mod+KeyA'], enabled: hasItems, run: selectAll },
  { id: 'layout.undo', section: 'canvas', keys: ['$mod+KeyZ'], enabled: canUndo, run: undo },
  { id: 'layout.redo', section: 'canvas', keys: ['$mod+Shift+KeyZ', '$mod+KeyY'], enabled: canRedo, run: redo },
  { id: 'layout.tidy', section: 'canvas', keys: ['KeyT'], enabled: hasItems, run: tidy },
  ...alignments.map(
    ([name, how, least]): Action => ({
      id: `layout.${name}`,
      section: 'canvas',
      keys: [],
      enabled: () => selectedCount() >= least,
      run: () => align(how),
    }),
  ),

  {
    id: 'view.fit',
    section: 'view',
    keys: ['$mod+Shift+Digit1', 'Digit1'],
    reserved: true,
    enabled: hasItems,
    run: () => fitAll(),
  },
  { id: 'view.fitSelection', section: 'view', keys: ['Digit2'], enabled: () => selectedCount() > 0, run: fitSelection },
  {
    id: 'view.zoomReset',
    section: 'view',
    keys: ['$mod+Shift+Digit0', 'Digit0'],
    reserved: true,
    enabled: isReady,
    run: () => camera.zoomStep(1, target()),
  },
  {
    id: 'view.zoomIn',
    section: 'view',
    keys: ['Equal', 'Shift+Equal', 'NumpadAdd'],
    enabled: isReady,
    run: () => camera.zoomStep((zoom) => zoom * ZOOM_STEP),
  },
  {
    id: 'view.zoomOut',
    section: 'view',
    keys: ['Minus', 'NumpadSubtract'],
    enabled: isReady,
    run: () => camera.zoomStep((zoom) => zoom / ZOOM_STEP),
  },
  {
    id: 'view.back',
    section: 'view',
    keys: ['$mod+Shift+Comma', 'BracketLeft'],
    reserved: true,
    enabled: () => camera.places.canGoBack && !camera.locked,
    run: () => camera.back(),
  },
  {
    id: 'view.forward',
    section: 'view',
    keys: ['$mod+Shift+Period', 'BracketRight'],
    reserved: true,
    enabled: () => camera.places.canGoForward && !camera.locked,
    run: () => camera.forward(),
  },
  {
    id: 'view.escape',
    section: 'view',
    keys: ['Escape'],
    enabled: () => {
      const { maximised, regionTool, selection } = canvasState();
      return regionTool || maximised !== null || selection.size > 0;
    },
    run: () => {
      const { maximised, regionTool } = canvasState();
      if (regionTool) setCanvas({ regionTool: false });
      else if (maximised) unmaximise();
      else select([]);
    },
  },

  ...directions.flatMap(([name, , x, y]): Action[] => [
    {
      id: `canvas.nudge${name}`,
      section: 'canvas',
      keys: [`Arrow${name}`],
      enabled: isReady,
      run: () => nudge(x * STEP, y * STEP),
    },
    {
      id: `canvas.nudgeFar${name}`,
      section: 'canvas',
      keys: [`Shift+Arrow${name}`],
      enabled: isReady,
      run: () => nudge(x * FAR, y * FAR),
    },
    {
      id: `canvas.grow${name}`,
      section: 'canvas',
      keys: [`Alt+Shift+Arrow${name}`],
      enabled: () => selectedCount() > 0,
      run: () => grow(x * FAR, y * FAR),
    },
  ]),

  { id: 'canvases.next', section: 'canvas', keys: [], enabled: isReady, run: () => stepCanvas(1) },
  { id: 'canvases.previous', section: 'canvas', keys: [], enabled: isReady, run: () => stepCanvas(-1) },
  {
    id: 'canvases.delete',
    section: 'canvas',
    keys: [],
    enabled: isReady,
    run: () => deleteCanvas(canvasState().canvasId!),
  },
];
