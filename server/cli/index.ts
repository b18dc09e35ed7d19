export { removeRedirectFiles, writeRedirectFile } from './browser';
export { type ControlHandlers, type ControlReplies, controlRequests, controlRoutes } from './control';
export { parseStart, type StartOptions } from './options';
export { letIn, openRunning, readyLine } from './second-start';
