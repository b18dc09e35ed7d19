'use client';

import type { Visibility } from '../../schemas/terminals';
import type { Action } from '../actions/types';

export function TerminalBody(_props: {
  cardId: string;
  sessionId: string;
  fontSize: number;
  visibility: Visibility;
  focused: boolean;
}) {
  return <div className="xterm h-full bg-term-bg text-term-ink" />;
}
export function TerminalSummary(_props: { sessionId: string }) {
  return null;
}
export const terminalActions: Action[] = [];
export function installEventScaler(): () => void {
  return () => {};
}
export function cameraMoving(_moving: boolean): void {}
