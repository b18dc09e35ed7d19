import { hostname } from 'node:os';
import { type Progress, type SessionSignal, TerminalLimits } from '../../schemas/terminals';
import type { Mirror } from './mirror';
import { withoutControls } from './row-serialiser';

const MAX_NOTIFICATION_TITLE = 200;
const MAX_NOTIFICATION_BODY = 1000;
/** Notifications, bells and clipboard writes that one session may send in a row, and how fast that fills up again. */
const BURST = 5;
const REFILL_MS = 1000;

/** What a program told about itself. */
export interface ShellState {
  title: string;
  /** From OSC 7 (or 633;P;Cwd); the program's own word. */
  cwd?: string;
  progress?: Progress;
  busy?: boolean;
  lastStatus?: number;
}

export type Signal = SessionSignal extends infer S ? (S extends SessionSignal ? Omit<S, 'sessionId'> : never) : never;

/** Lets a few through and then one each second. */
class Limiter {
  private tokens = BURST;
  private last = 0;

  constructor(private readonly now: () => number) {}

  allow(): boolean {
    const now = this.now();
    this.tokens = Math.min(BURST, this.tokens + (now - this.last) / REFILL_MS);
    this.last = now;
    if (this.tokens < 1) return false;
    this.tokens--;
    return true;
  }
}

/** Follows the sequences by which a shell or program tells what it does. Signals are for now, never replayed. */
export function followShell(
  mirror: Mirror,
  hooks: { changed(): void; signal(signal: Signal): void; now(): number },
): ShellState {
  const state: ShellState = { title: '' };
  const { terminal, marks } = mirror;
  const { parser } = terminal;
  const limits = {
    bell: new Limiter(hooks.now),
    notification: new Limiter(hooks.now),
    clipboard: new Limiter(hooks.now),
  };

  const notify = (title: string, body: string): void => {
    if (!limits.notification.allow()) return;
    hooks.signal({
      type: 'notification',
      title: withoutControls(title).slice(0, MAX_NOTIFICATION_TITLE),
      body: withoutControls(body).slice(0, MAX_NOTIFICATION_BODY),
    });
  };
  const setCwd = (path: string | undefined): void => {
    if (!path || path === state.cwd) return;
    state.cwd = path;
    hooks.changed();
  };
  const mark = (kind: 'A' | 'B' | 'C' | 'D', status?: number): void => {
    marks.add(kind, status);
    if (kind === 'C') state.busy = true;
    else if (kind === 'A' || kind === 'D') state.busy = false;
    if (kind === 'D' && status !== undefined) state.lastStatus = status;
    hooks.changed();
  };

  terminal.onTitleChange((title) => {
    state.title = withoutControls(title).slice(0, TerminalLimits.maxTitleLength);
    hooks.changed();
  });
  terminal.onBell(() => {
    if (limits.bell.allow()) hooks.signal({ type: 'bell' });
  });
  parser.registerOscHandler(7, (data) => {
    setCwd(localPath(data));
    return true;
  });
  parser.registerOscHandler(9, (data) => {
    const progress = /^4;(\d)(?:;(\d{1,3}))?;?$/.exec(data);
    if (progress) {
      setProgress(state, Number(progress[1]), Number(progress[2] ?? 0));
      hooks.changed();
    } else if (data.startsWith('9;')) setCwd(absolute(data.slice(2).replace(/^"|"$/g, '')));
    else if (!/^\d+(;|$)/.test(data)) notify('', data);
    return true;
  });
  parser.registerOscHandler(777, (data) => {
    const [action, title, ...body] = data.split(';');
    if (action === 'notify') notify(title ?? '', body.join(';'));
    return true;
  });
  parser.registerOscHandler(52, (data) => {
    const payload = data.slice(data.indexOf(';') + 1);
    // A program never gets to read the clipboard.
    if (payload === '?' || !data.includes(';') || !limits.clipboard.allow()) return true;
    const bytes = Math.floor((payload.length * 3) / 4);
    if (bytes > TerminalLimits.maxClipboardBytes) hooks.signal({ type: 'clipboard-refused', bytes });
    else hooks.signal({ type: 'clipboard', text: Buffer.from(payload, 'base64').toString('utf8') });
    return true;
  });
  const shellMark = (data: string): boolean => {
    const [kind, ...rest] = data.split(';');
    // The next command has not failed because the one before it had.
    if (kind === 'C') delete state.progress;
    if (kind === 'A' || kind === 'B' || kind === 'C') mark(kind);
    else if (kind === 'D') mark('D', statusOf(rest[0]));
    return true;
  };
  parser.registerOscHandler(133, shellMark);
  parser.registerOscHandler(633, (data) => {
    if (data.startsWith('P;Cwd=')) setCwd(absolute(data.slice(6)));
    else shellMark(data);
    return true;
  });
  return state;
}

function statusOf(text: string | undefined): number | undefined {
  return text !== undefined && /^-?\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function setProgress(state: ShellState, kind: number, percent: number): void {
  const kinds = { 1: 'normal', 2: 'error', 3: 'indeterminate', 4: 'paused' } as const;
  const progress = kinds[kind as keyof typeof kinds];
  if (!progress) {
    delete state.progress;
    return;
  }
  // An error or a pause without a number keeps the one that was there.
  const known = percent || (kind === 2 || kind === 4 ? (state.progress?.percent ?? 0) : 0);
  state.progress = { state: progress, percent: Math.min(100, known) };
}

function absolute(path: string): string | undefined {
  return path.startsWith('/') && path.length <= 4096 && !/[\x00-\x1f\x7f]/.test(path) ? path : undefined;
}

/** The path of a file: URL on this machine. Another host's path (over ssh) says nothing about ours. */
function localPath(data: string): string | undefined {
  const match = /^(?:file|kitty-shell-cwd):\/\/([^/]*)(\/.*)$/.exec(data);
  if (!match) return undefined;
  const host = match[1]!.toLowerCase();
  const own = hostname().toLowerCase();
  if (host && host !== 'localhost' && host !== own && host !== own.split('.')[0] && host.split('.')[0] !== own)
    return undefined;
  try {
    return absolute(data.startsWith('kitty') ? match[2]! : decodeURIComponent(match[2]!));
  } catch {
    // Not percent-encoded after all: some shells print the path as it is.
    return absolute(match[2]!);
  }
}

/** The shell has ended: it is at nothing any more. Where it was and how it fared stays known. */
export function shellEnded(shell: ShellState): void {
  delete shell.busy;
  delete shell.progress;
}

/** Another shell starts: only the title stays until it sets its own. */
export function forgetShell(shell: ShellState): void {
  shellEnded(shell);
  delete shell.cwd;
  delete shell.lastStatus;
}
