export { canvasActions } from './actions';
export { attempt } from './attempt';
export { camera } from './camera/camera';
export { useSummary, useZoomPercent } from './camera/use-camera';
export {
  createCanvas,
  deleteCanvas,
  openProject,
  renameCanvas,
  showSomeCanvas,
  switchCanvas,
} from './commands/canvases';
export { focusCard, leaveCard, maximise, refill, unmaximise } from './commands/focus';
export { align, fitAll, newNote, newRegion, removeItems, tidy } from './commands/items';
export { revealSession } from './commands/reveal';
export { newTerminal } from './commands/terminals';
export { statusOf } from './items/status';
export { afterMenu, CardMenuItems } from './menus/card-menu';
export { Minimap } from './minimap/minimap';
export { onNeed, settle, settleAll, startAttention, useAttention } from './store/attention';
export { canvasState, setCanvas, useCanvas } from './store/state';
export { openCanvas, startSync } from './store/sync';
export { CanvasSurface } from './surface';
export { useChords } from './use-chords';
