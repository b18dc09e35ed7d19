import type { CallArgs, CallName, CallResults, NoticeArgs, NoticeName } from '../../../schemas/realtime';
import { SocketLimits } from '../../../schemas/realtime';
import { FailureError } from '../../../schemas/result';
import type { StreamHeader, TerminalTheme, Visibility } from '../../../schemas/terminals';
import { toWire } from '../../../schemas/wire-bytes';
import { InputQueue } from './input-queue';
import { type Output, OutputAssembler, type Snapshot } from './output';

/** Parsed bytes that may stay unacknowledged: an eighth of the window, so that the server never waits for us. */
const ACK_BYTES = SocketLimits.viewerWindowBytes / 8;
/** The rest is acknowledged after this pause. */
const ACK_QUIET_MS = 40;
/** Frames of a terminal that is not focused are acknowledged later, so that typing beside a flood comes first. */
const BACKGROUND_FRAME_MS = 70;
/** A failed attach is tried again; a lost connection tries by itself. */
const ATTACH_RETRY_MS = 1_000;

/** Where a viewer draws. The core knows nothing of the page. */
export interface Screen {
  /** Writes after all that was written before; `parsed` when the emulator has taken it in. */
  write(bytes: Uint8Array, parsed: () => void): void;
  resize(cols: number, rows: number): void;
  /** Replaces everything by this state, without showing what lies between; `done` when it is in place. */
  replace(snapshot: Snapshot, done: () => void): void;
  /** Calls back once what was parsed is painted. */
  painted(done: () => void): void;
}

/** The connection, as far as a viewer needs it. */
export interface ViewerLink {
  call<N extends CallName>(name: N, args: CallArgs<N>): Promise<CallResults[N]>;
  notify<N extends NoticeName>(name: N, args: NoticeArgs<N>): void;
}

/** What the card shows beside the screen. */
export interface ViewerState {
  /** `waiting`: nothing has been shown yet; `failed`: the server refused to attach, and `error` says why. */
  phase: 'waiting' | 'shown' | 'failed';
  /** Painting frames because output comes faster than it can be read. */
  skipping: boolean;
  /** Lines above the screen that this viewer got with the last snapshot, and that the pty host had then. */
  history: number;
  historyTotal: number;
  error?: unknown;
}

export interface TerminalViewerOptions {
  viewerId: string;
  /** The tab's name, the same over reloads. */
  tab: string;
  sessionId: string;
  link: ViewerLink;
  screen: Screen;
  cols: number;
  rows: number;
  /** Lines above the screen to ask for. */
  history: number;
  visibility: Visibility;
  theme?: TerminalTheme;
  onState?(state: ViewerState): void;
  /** Typed bytes were refused and dropped. */
  onInputRefused?(error: unknown): void;
  onInputChange?(): void;
}

/**
 * One mounted terminal as the server knows it: shows the stream exactly once and in order, acknowledges what it has
 * parsed and painted, asks anew when something is missing, and sends what is typed. Free of the DOM.
 */
export class TerminalViewer {
  readonly input: InputQueue;
  private readonly link: ViewerLink;
  private readonly screen: Screen;
  private readonly assembler = new OutputAssembler();
  private outputs: Output[] = [];
  /** The next byte that raw output must begin with; null: only a snapshot can go on. */
  private expected: number | null = null;
  private parsed = 0;
  private acknowledged = 0;
  private ackTimer: ReturnType<typeof setTimeout> | undefined;
  /** Writes that the emulator has not taken in yet. */
  private writing = 0;
  /** Frames and snapshots among them: what the emulator says meanwhile is not the person's. */
  private restoring = 0;
  private replacing = false;
  private held = false;
  private attached = false;
  private attaching = 0;
  private resyncing = false;
  private disposed = false;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly frameTimers = new Set<ReturnType<typeof setTimeout>>();
  private waitingForSnapshot: (() => void)[] = [];
  private grid: { cols: number; rows: number };
  private visibility: Visibility;
  private history: number;
  private theme: TerminalTheme | undefined;
  state: ViewerState = { phase: 'waiting', skipping: false, history: 0, historyTotal: 0 };

  constructor(private readonly options: TerminalViewerOptions) {
    this.link = options.link;
    this.screen = options.screen;
    this.grid = { cols: options.cols, rows: options.rows };
    this.visibility = options.visibility;
    this.history = options.history;
    this.theme = options.theme;
    this.input = new InputQueue({
      send: (piece) =>
        this.link.call('terminal:input', {
          viewerId: options.viewerId,
          sessionId: options.sessionId,
          ...piece,
          bytes: toWire(piece.bytes),
        }),
      onRefused: (error) => options.onInputRefused?.(error),
      onChange: () => options.onInputChange?.(),
    });
  }

  /** A frame or a snapshot is being taken in; answers of the emulator must be dropped. */
  get isRestoring(): boolean {
    return this.restoring > 0 || this.replacing;
  }

  /** First, and again after every lost connection: the same viewer id, so that input goes on where it was. */
  async attach(): Promise<void> {
    const attempt = ++this.attaching;
    clearTimeout(this.retryTimer);
    this.attached = false;
    this.input.pause();
    this.assembler.reset();
    this.outputs = [];
    this.expected = null;
    this.resyncing = true;
    const { viewerId, tab, sessionId } = this.options;
    const { grid, visibility, theme, history } = this;
    try {
      await this.link.call('terminal:attach', {
        viewerId,
        tab,
        sessionId,
        ...grid,
        history,
        visibility,
        ...(theme ? { theme } : {}),
      });
    } catch (error) {
      if (this.disposed || attempt !== this.attaching) return;
      if (this.state.phase !== 'shown') this.setState({ phase: 'failed', error });
      this.retryTimer = setTimeout(() => void this.attach(), ATTACH_RETRY_MS);
      return;
    }
    if (this.disposed) {
      // The card went away meanwhile; the server must not keep a viewer that nobody is.
      this.tell('terminal:detach', { viewerId });
      return;
    }
    if (attempt !== this.attaching) return;
    this.attached = true;
    this.input.resume();
    // What changed while the answer was on its way.
    if (grid !== this.grid) this.tell('terminal:size', { viewerId, ...this.grid });
    if (visibility !== this.visibility) this.tell('terminal:visibility', { viewerId, visibility: this.visibility });
    if (theme !== this.theme && this.theme) this.tell('terminal:theme', { viewerId, theme: this.theme });
    if (history !== this.history) this.tell('terminal:resync', { viewerId, history: this.history });
  }

  /** The connection is gone; what is shown stays. */
  connectionLost(): void {
    clearTimeout(this.retryTimer);
    this.attaching++;
    this.attached = false;
    this.input.pause();
  }

  /** What `terminal:data` brought for this viewer. */
  receive(header: StreamHeader, bytes?: Uint8Array): void {
    if (this.disposed) return;
    const outputs = this.assembler.take(header, bytes);
    if (!outputs) {
      this.ask();
      return;
    }
    this.outputs.push(...outputs);
    this.pump();
  }

  /** While held nothing is written to the screen; the server's window bounds what waits. */
  hold(held: boolean): void {
    if (this.held === held) return;
    this.held = held;
    if (!held) this.pump();
  }

  get isHeld(): boolean {
    return this.held;
  }

  /** Output that waits for the end of a hold. */
  get hasWaiting(): boolean {
    return this.outputs.length > 0;
  }

  setVisibility(visibility: Visibility): void {
    if (this.visibility === visibility) return;
    const wasHidden = this.visibility === 'hidden';
    this.visibility = visibility;
    // What comes after a hidden time begins with a snapshot; a gap before it is not a fault.
    if (wasHidden) this.resyncing = true;
    if (this.attached) this.tell('terminal:visibility', { viewerId: this.options.viewerId, visibility });
  }

  /** The grid that the card has room for. The screen itself follows only the stream's `size`. */
  setGrid(cols: number, rows: number): void {
    if (this.grid.cols === cols && this.grid.rows === rows) return;
    this.grid = { cols, rows };
    if (this.attached) this.tell('terminal:size', { viewerId: this.options.viewerId, cols, rows });
  }

  setTheme(theme: TerminalTheme): void {
    this.theme = theme;
    if (this.attached) this.tell('terminal:theme', { viewerId: this.options.viewerId, theme });
  }

  /** Resolves when a fresh snapshot with that many lines of history is in place. */
  resync(history: number): Promise<void> {
    this.history = history;
    const done = new Promise<void>((resolve) => this.waitingForSnapshot.push(resolve));
    this.resyncing = false;
    this.ask();
    return done;
  }

  dispose(): void {
    this.disposed = true;
    this.attaching++;
    clearTimeout(this.ackTimer);
    clearTimeout(this.retryTimer);
    for (const timer of this.frameTimers) clearTimeout(timer);
    this.frameTimers.clear();
    this.input.finish();
    this.outputs = [];
    for (const resolve of this.waitingForSnapshot.splice(0)) resolve();
    if (this.attached) this.tell('terminal:detach', { viewerId: this.options.viewerId });
    this.attached = false;
  }

  private pump(): void {
    while (!this.disposed && !this.held && !this.replacing) {
      const next = this.outputs[0];
      if (!next) return;
      const mustBeAlone = next.kind !== 'raw' && next.kind !== 'frame';
      if (mustBeAlone && this.writing > 0) return;
      this.outputs.shift();
      this.show(next);
    }
  }

  private show(output: Output): void {
    switch (output.kind) {
      case 'raw':
        this.showRaw(output.offset, output.bytes);
        break;
      case 'frame':
        this.showFrame(output.frame, output.bytes);
        break;
      case 'snapshot':
        this.showSnapshot(output.snapshot);
        break;
      case 'size':
        this.screen.resize(output.cols, output.rows);
        break;
      // The card goes by what the session says of itself.
      case 'ended':
      case 'started':
        break;
    }
  }

  private showRaw(offset: number, bytes: Uint8Array): void {
    if (this.expected === null || offset > this.expected) {
      this.ask();
      return;
    }
    const fresh = bytes.subarray(Math.min(bytes.length, this.expected - offset));
    if (fresh.length === 0) return;
    const end = offset + bytes.length;
    this.expected = end;
    this.resyncing = false;
    this.write(fresh, () => {
      this.parsed = end;
      this.acknowledgeSoon();
    });
  }

  private showFrame(frame: number, bytes: Uint8Array): void {
    this.expected = null;
    // The server is in charge of the way back: a snapshot follows when the flood is over.
    this.resyncing = true;
    if (!this.state.skipping) this.setState({ skipping: true, phase: 'shown' });
    this.restoring++;
    this.write(bytes, () => {
      this.restoring--;
      this.screen.painted(() => this.acknowledgeFrame(frame));
    });
  }

  private acknowledgeFrame(frame: number): void {
    const send = () => {
      if (!this.disposed) this.link.notify('terminal:frame-ack', { viewerId: this.options.viewerId, frame });
    };
    if (this.visibility === 'live') {
      send();
      return;
    }
    const timer = setTimeout(() => {
      this.frameTimers.delete(timer);
      send();
    }, BACKGROUND_FRAME_MS);
    this.frameTimers.add(timer);
  }

  private showSnapshot(snapshot: Snapshot): void {
    this.replacing = true;
    this.screen.replace(snapshot, () => {
      if (this.disposed) return;
      this.replacing = false;
      this.resyncing = false;
      this.expected = snapshot.offset;
      this.parsed = snapshot.offset;
      this.acknowledge();
      const { history, historyTotal } = snapshot;
      this.setState({ phase: 'shown', skipping: false, history, historyTotal, error: undefined });
      for (const resolve of this.waitingForSnapshot.splice(0)) resolve();
      this.pump();
    });
  }

  private write(bytes: Uint8Array, parsed: () => void): void {
    this.writing++;
    this.screen.write(bytes, () => {
      this.writing--;
      if (this.disposed) return;
      parsed();
      if (this.writing === 0) this.pump();
    });
  }

  private acknowledgeSoon(): void {
    if (this.parsed - this.acknowledged >= ACK_BYTES) {
      this.acknowledge();
      return;
    }
    this.ackTimer ??= setTimeout(() => this.acknowledge(), ACK_QUIET_MS);
  }

  private acknowledge(): void {
    clearTimeout(this.ackTimer);
    this.ackTimer = undefined;
    this.acknowledged = this.parsed;
    this.link.notify('terminal:ack', { viewerId: this.options.viewerId, offset: this.parsed });
  }

  /** Something is missing: only a fresh snapshot can go on. Asked once until it comes. */
  private ask(): void {
    this.expected = null;
    if (this.resyncing || !this.attached) return;
    this.resyncing = true;
    this.tell('terminal:resync', { viewerId: this.options.viewerId, history: this.history });
  }

  /** A question whose answer changes nothing here. Without a stream, attaching anew puts it right. */
  private tell<N extends CallName>(name: N, args: CallArgs<N>): void {
    this.link.call(name, args).catch((error: unknown) => {
      if (this.disposed || !this.attached) return;
      console.warn(`${name} failed`, error);
      const unknown = error instanceof FailureError && error.code === 'viewer-missing';
      if (!unknown && name !== 'terminal:resync' && name !== 'terminal:visibility') return;
      clearTimeout(this.retryTimer);
      this.retryTimer = setTimeout(() => void this.attach(), ATTACH_RETRY_MS);
    });
  }

  private setState(change: Partial<ViewerState>): void {
    this.state = { ...this.state, ...change };
    this.options.onState?.(this.state);
  }
}
