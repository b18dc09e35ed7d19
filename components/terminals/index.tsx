'use client';

export { terminalActions } from './actions';
export { TerminalProgress } from './progress';
export { sendKeys, terminalOfCard } from './registry';
export { cameraMoving } from './schedule';
export { onRevealSession } from './signals';
export { installTerminals } from './start';
export { TerminalBody, type TerminalBodyProps } from './terminal-body';
export { shortFolder, TerminalSummary, titleOf } from './terminal-summary';
export { PATH_TYPE, uploadDropped } from './uploads';
export { gridFor, terminalFont } from './xterm/cell-size';
export { installEventScaler, type RawPoint } from './xterm/event-scaler';
export { fixedTerminalKeys } from './xterm/keys';
export { pageTheme } from './xterm/theme';
