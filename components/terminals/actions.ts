import type { Action } from '../actions';
import { call, useSessions } from '../connection';
import { copyText } from './clipboard';
import { activeTerminal, useTerminalFocus } from './registry';

const FontSize = { least: 6, most: 40, step: 1 } as const;

const active = () => activeTerminal()?.terminal;
const hasTerminal = () => active() !== undefined;
const isEnded = () => {
  const entry = activeTerminal();
  return entry ? useSessions.getState().sessions[entry.sessionId]?.info?.state === 'ended' : false;
};

function changeFont(by: number | null): void {
  const entry = activeTerminal();
  if (!entry?.setFontSize) return;
  if (by === null) entry.setFontSize(null);
  else entry.setFontSize(Math.max(FontSize.least, Math.min(FontSize.most, entry.fontSize + by)));
}

/** Starts the program of an ended session again, under its id, with the grid of its card. */
export async function restartSession(sessionId: string, cols: number, rows: number): Promise<void> {
  await call('terminal:restart', { sessionId, cols, rows });
}

async function pasteFromClipboard(): Promise<void> {
  active()?.paste(await navigator.clipboard.readText());
}

/** A chord that the browser keeps for itself, sent by name. */
function sender(id: string, data: string): Action {
  return { id, section: 'terminal', keys: [], enabled: hasTerminal, run: () => active()?.type(data) };
}

/** What can be done to the terminal that has the focus. */
export const terminalActions: Action[] = [
  {
    id: 'terminal.search',
    section: 'terminal',
    keys: ['$mod+Shift+KeyF'],
    reserved: true,
    enabled: hasTerminal,
    run: () => useTerminalFocus.setState(({ active: searching }) => ({ searching })),
  },
  {
    id: 'terminal.previousCommand',
    section: 'terminal',
    keys: ['Control+Shift+PageUp'],
    reserved: true,
    enabled: hasTerminal,
    run: () => active()?.marks.jump(-1),
  },
  {
    id: 'terminal.nextCommand',
    section: 'terminal',
    keys: ['Control+Shift+PageDown'],
    reserved: true,
    enabled: hasTerminal,
    run: () => active()?.marks.jump(1),
  },
  {
    id: 'terminal.copyLastOutput',
    section: 'terminal',
    keys: [],
    enabled: () => active()?.marks.lastOutputText() !== undefined,
    run: () => copyText(active()?.marks.lastOutputText() ?? ''),
  },
  {
    id: 'terminal.selectLastOutput',
    section: 'terminal',
    keys: [],
    enabled: () => active()?.marks.lastOutputText() !== undefined,
    run: () => active()?.marks.selectLastOutput(),
  },
  {
    id: 'terminal.copy',
    section: 'terminal',
    keys: [],
    enabled: () => active()?.term.hasSelection() ?? false,
    run: async () => void (await active()?.copySelection()),
  },
  { id: 'terminal.paste', section: 'terminal', keys: [], enabled: hasTerminal, run: pasteFromClipboard },
  {
    id: 'terminal.selectAll',
    section: 'terminal',
    keys: [],
    enabled: hasTerminal,
    run: () => active()?.term.selectAll(),
  },
  {
    id: 'terminal.clear',
    section: 'terminal',
    keys: [],
    enabled: hasTerminal,
    // The shell's own "clear the screen": history stays, here and on the server.
    run: () => active()?.type('\x0c'),
  },
  {
    id: 'terminal.fontBigger',
    section: 'terminal',
    keys: [],
    enabled: hasTerminal,
    run: () => changeFont(FontSize.step),
  },
  {
    id: 'terminal.fontSmaller',
    section: 'terminal',
    keys: [],
    enabled: hasTerminal,
    run: () => changeFont(-FontSize.step),
  },
  { id: 'terminal.fontReset', section: 'terminal', keys: [], enabled: hasTerminal, run: () => changeFont(null) },
  {
    id: 'terminal.restart',
    section: 'terminal',
    keys: [],
    enabled: () => hasTerminal() && isEnded(),
    run: async () => {
      const entry = activeTerminal();
      if (entry?.terminal) await restartSession(entry.sessionId, entry.terminal.term.cols, entry.terminal.term.rows);
    },
  },
  sender('terminal.sendCtrlW', '\x17'),
  sender('terminal.sendCtrlT', '\x14'),
  sender('terminal.sendCtrlN', '\x0e'),
];
