import type { SearchAddon } from '@xterm/addon-search';
import type { IDisposable, Terminal } from '@xterm/xterm';
import { nanoid } from 'nanoid';
import type { Visibility } from '../../schemas/terminals';
import { call, notify, onReconnected, tabName, useConnection, useSettings } from '../connection';
import { copyText } from './clipboard';
import { receiveStream } from './data-stream';
import { HostEvents } from './host-events';
import { joinHolding, openSoon } from './schedule';
import { BUSY_FROM_BYTES, type Sending, SendingState } from './sending-state';
import type { Snapshot } from './viewer/output';
import { PASTE_END, pasteText } from './viewer/paste-text';
import { type Screen, TerminalViewer, type ViewerState } from './viewer/terminal-viewer';
import { gridFor } from './xterm/cell-size';
import { createTerminal } from './xterm/create-terminal';
import { GridKeeper } from './xterm/grid-keeper';
import { KeyProtocol } from './xterm/key-protocol';
import { meaningOfKey } from './xterm/keys';
import { installLinks } from './xterm/links';
import { CommandMarks } from './xterm/marks';
import { replaceScreen, writeFirstSnapshot } from './xterm/replace-screen';
import { installTextInput, isImeKey } from './xterm/text-input';
import { onPaletteChange, pageTheme, xtermTheme } from './xterm/theme';
import { installTouchScroll } from './xterm/touch';
import { patchSelectionRefresh } from './xterm/xterm-internals';

/** Lines above the screen that a viewer asks for; the rest comes when someone scrolls to the top or searches. */
const FIRST_HISTORY = 5_000;
/** Ctrl+C, Ctrl+Z and Ctrl+\\: they do not queue behind a paste. */
const INTERRUPTS = new Set([0x03, 0x1a, 0x1c]);
const FOCUS_REPORT = /^\x1b\[[IO]$/;

/** What the card shows round the grid. */
export interface CardState {
  viewer: ViewerState;
  opened: boolean;
  /** Target of the link under the pointer. */
  link: string | null;
  /** A paste that takes long: bytes that are still under way, and of how many. */
  sending: Sending | null;
  inputError: unknown;
  /** An interrupt dropped the rest of a paste; until the person has seen it. */
  dropped: boolean;
}

export interface CardTerminalOptions {
  cardId: string;
  sessionId: string;
  /** Holds the terminal; its layout size decides the grid. */
  host: HTMLElement;
  fontSize: number;
  visibility: Visibility;
  focused: boolean;
  describeStatus(status: number): string;
  onState(state: CardState): void;
  /** Enter or Ctrl+D on a card whose process has ended. */
  onRestart(): void;
  /** A large paste asks first. */
  confirmPaste(text: string): void;
}

const encoder = new TextEncoder();
const isMac = typeof navigator !== 'undefined' && /Mac|iP(hone|ad|od)/.test(navigator.platform);

/** One terminal of one card: xterm at the rim of a TerminalViewer, with everything that a person does to it. */
export class CardTerminal {
  readonly term: Terminal;
  readonly viewer: TerminalViewer;
  readonly marks: CommandMarks;
  private readonly keyProtocol: KeyProtocol;
  private readonly grid: GridKeeper;
  private readonly viewerId = nanoid();
  private readonly endings: (() => void)[] = [];
  private searchAddon: SearchAddon | undefined;
  private state: CardState;
  private opened = false;
  private ended = false;
  private focused: boolean;
  private hostEvents: HostEvents | undefined;
  private visibility: Visibility;
  private readonly sending = new SendingState(
    () => this.viewer.input,
    (sending) => {
      if (sending || this.state.sending) this.setState({ sending });
    },
  );
  private loading: Promise<void> | undefined;
  private disposed = false;

  /** The font must have been loaded: the grid is measured at once. */
  constructor(private readonly options: CardTerminalOptions) {
    const { host, fontSize, sessionId } = options;
    const { settings } = useSettings.getState();
    const { cols, rows } = gridFor(host.clientWidth, host.clientHeight, fontSize);
    this.focused = options.focused;
    this.visibility = options.visibility;
    this.term = createTerminal({
      cols,
      rows,
      fontSize,
      scrollback: settings.scrollback,
      screenReader: settings.screenReader,
    });
    this.keyProtocol = new KeyProtocol(this.term);
    this.marks = new CommandMarks(this.term, options.describeStatus);
    this.viewer = new TerminalViewer({
      viewerId: this.viewerId,
      tab: tabName(),
      sessionId,
      link: { call, notify },
      screen: this.screen(),
      cols,
      rows,
      history: Math.min(FIRST_HISTORY, settings.scrollback),
      visibility: options.visibility,
      theme: pageTheme(fontSize),
      onState: (viewer) => this.setState({ viewer }),
      onInputRefused: (inputError) => this.setState({ inputError }),
      onInputChange: () => this.sending.changed(),
    });
    this.state = {
      viewer: this.viewer.state,
      opened: false,
      link: null,
      sending: null,
      inputError: null,
      dropped: false,
    };
    this.grid = new GridKeeper(host, this.term, fontSize, (size) => this.viewer.setGrid(size.cols, size.rows));
    this.listen();
    if (useConnection.getState().status === 'connected') void this.viewer.attach();
  }

  setVisibility(visibility: Visibility): void {
    if (visibility === this.visibility) return;
    this.visibility = visibility;
    // A card that changed its size while nobody saw it: the new size goes first, so that the snapshot fits it.
    this.grid.setActive(visibility !== 'hidden' && !this.ended);
    this.viewer.setVisibility(visibility);
  }

  setFocused(focused: boolean): void {
    if (focused === this.focused) return;
    this.focused = focused;
    if (focused) {
      this.viewer.hold(false);
      this.focus();
    } else if (this.term.element?.contains(document.activeElement)) {
      this.term.blur();
    }
  }

  setFontSize(fontSize: number): void {
    if (this.term.options.fontSize === fontSize) return;
    this.term.options.fontSize = fontSize;
    this.grid.setFontSize(fontSize);
    this.viewer.setTheme(pageTheme(fontSize));
  }

  setOptions({ scrollback, screenReader }: { scrollback: number; screenReader: boolean }): void {
    this.term.options.scrollback = scrollback;
    this.term.options.screenReaderMode = screenReader;
  }

  /** The process has ended: keys are no longer for it. */
  setEnded(ended: boolean): void {
    this.ended = ended;
    // What the program prints next is meant for all of the rows, and the pty host knows what stands in them.
    if (this.grid.setFolding(ended)) {
      const lines = Math.max(this.viewer.state.history, FIRST_HISTORY);
      void this.viewer.resync(Math.min(lines, useSettings.getState().settings.scrollback));
    }
    this.grid.setActive(!ended && this.visibility !== 'hidden');
  }

  focus(): void {
    if (this.opened) this.term.focus();
  }

  get isFocused(): boolean {
    return this.focused;
  }

  get isHeld(): boolean {
    return this.viewer.isHeld;
  }

  get hasWaiting(): boolean {
    return this.viewer.hasWaiting;
  }

  hold(held: boolean): void {
    this.viewer.hold(held);
  }

  /** Types `data` as if the person did. */
  type(data: string): void {
    if (!data || this.ended) return;
    this.viewer.input.push(encoder.encode(data));
    this.term.scrollToBottom();
  }

  /** Sends a text as one paste; a very large one asks first. */
  paste(text: string): void {
    if (this.ended || text === '') return;
    if (text.length > 5 * 1024 * 1024) this.options.confirmPaste(text);
    else this.pasteNow(text);
  }

  pasteNow(text: string): void {
    const bracketed = this.term.modes.bracketedPasteMode;
    this.viewer.input.push(encoder.encode(pasteText(text, bracketed)), bracketed);
    this.term.scrollToBottom();
  }

  cancelPaste(): void {
    this.viewer.input.cancel(encoder.encode(PASTE_END));
  }

  /** The person has read that a paste was cut off. */
  forgetDropped(): void {
    this.setState({ dropped: false });
  }

  /** Puts the selection on the clipboard. Answers whether there was one. */
  async copySelection(): Promise<boolean> {
    const text = this.term.getSelection();
    if (!text) return false;
    await copyText(text);
    this.term.clearSelection();
    return true;
  }

  /** All that the pty host keeps of this session, when this viewer has less. */
  loadHistory(): Promise<void> {
    const { history, historyTotal } = this.viewer.state;
    if (history >= historyTotal) return Promise.resolve();
    // Asking again would begin it anew.
    this.loading ??= this.viewer.resync(useSettings.getState().settings.scrollback).finally(() => {
      this.loading = undefined;
    });
    return this.loading;
  }

  async search(): Promise<SearchAddon> {
    if (!this.searchAddon) {
      const { SearchAddon } = await import('@xterm/addon-search');
      this.searchAddon = new SearchAddon({ highlightLimit: 10_000 });
      if (!this.disposed) this.term.loadAddon(this.searchAddon);
    }
    return this.searchAddon;
  }

  dispose(): void {
    this.disposed = true;
    this.sending.dispose();
    for (const end of this.endings.splice(0).reverse()) end();
    this.grid.dispose();
    this.viewer.dispose();
    this.marks.dispose();
    this.keyProtocol.dispose();
    this.term.dispose();
  }

  private screen(): Screen {
    return {
      write: (bytes, parsed) => this.term.write(bytes, parsed),
      resize: (cols, rows) => {
        this.term.resize(cols, rows);
        this.grid.show();
      },
      replace: (snapshot, done) => this.replace(snapshot, done),
      painted: (done) => {
        if (this.opened) requestAnimationFrame(() => !this.disposed && done());
        else done();
      },
    };
  }

  private replace(snapshot: Snapshot, done: () => void): void {
    const finish = () => {
      if (this.disposed) return;
      this.grid.show();
      done();
    };
    if (this.opened) {
      replaceScreen(this.term, snapshot, finish);
      return;
    }
    void writeFirstSnapshot(this.term, snapshot, () => {
      if (this.disposed) return;
      this.endings.push(
        openSoon(() => {
          this.open();
          finish();
        }),
      );
    });
  }

  private open(): void {
    if (this.opened || this.disposed) return;
    this.opened = true;
    this.term.open(this.options.host);
    patchSelectionRefresh(this.term);
    this.term.textarea?.setAttribute('data-terminal-input', this.options.sessionId);
    const { host } = this.options;
    const links = installLinks(this.term, (link) => this.setState({ link }));
    this.endings.push(() => links.dispose(), installTextInput(this.term, host), installTouchScroll(this.term, host));
    this.setState({ opened: true });
    // The keyboard is not taken from another card to which the person has gone on meanwhile.
    const active = document.activeElement?.closest('[data-card-id]');
    if (this.focused && (!active || active.contains(host))) this.term.focus();
  }

  private listen(): void {
    const { host } = this.options;
    this.endings.push(
      receiveStream(this.viewerId, (header, bytes) => this.viewer.receive(header, bytes)),
      onReconnected(() => void this.viewer.attach()),
      useConnection.subscribe(({ status }, before) => {
        if (status === before.status) return;
        if (status === 'connected' && before.status === 'connecting') void this.viewer.attach();
        if (status === 'reconnecting') this.viewer.connectionLost();
      }),
      joinHolding(this),
      onPaletteChange(() => this.recolour()),
    );
    const disposables: IDisposable[] = [
      this.term.onData((data) => this.fromEmulator(data)),
      this.term.onBinary((data) => this.send(Uint8Array.from(data, (char) => char.charCodeAt(0) & 0xff))),
      this.term.onScroll(() => this.reachedTop()),
    ];
    this.endings.push(() => disposables.forEach((one) => void one.dispose()));
    this.term.attachCustomKeyEventHandler((event) => this.onKey(event));

    this.hostEvents = new HostEvents(host, {
      pasted: (text) => this.paste(text),
      wheel: () => this.reachedTop(),
    });
    this.endings.push(() => this.hostEvents?.dispose());
  }

  private fromEmulator(data: string): void {
    // A screen that is being restored switches focus reports on, and the emulator then reports at once. Only a real
    // change of the focus is the program's business.
    if (FOCUS_REPORT.test(data) && (this.viewer.isRestoring || !this.hostEvents?.focusChanges)) return;
    if (this.ended) {
      if (data === '\r' || data === '\x04') this.options.onRestart();
      return;
    }
    this.send(encoder.encode(data));
  }

  private send(bytes: Uint8Array): void {
    if (this.ended) return;
    const { input } = this.viewer;
    if (bytes.length === 1 && INTERRUPTS.has(bytes[0]!)) {
      const pending = input.interrupt(bytes, encoder.encode(PASTE_END));
      if (pending >= BUSY_FROM_BYTES) this.setState({ dropped: true });
    } else input.push(bytes);
  }

  private onKey(event: KeyboardEvent): boolean {
    if (isImeKey(event)) return false;
    const meaning = meaningOfKey(event, {
      hasSelection: this.term.hasSelection(),
      isMac,
      distinctKeys: this.keyProtocol.distinctKeys,
    });
    switch (meaning.kind) {
      case 'program':
        return true;
      case 'native':
        return false;
      case 'copy':
        event.preventDefault();
        event.stopPropagation();
        if (event.type === 'keydown') void this.copySelection();
        return false;
      case 'send':
        event.preventDefault();
        event.stopPropagation();
        this.term.input(meaning.data, true);
        return false;
      case 'ignore':
        event.preventDefault();
        return false;
    }
  }

  /** Older lines are fetched when someone looks for them. */
  private reachedTop(): void {
    const { type, viewportY, baseY } = this.term.buffer.active;
    if (!this.opened || type === 'alternate' || baseY === 0 || viewportY > 0) return;
    if (!this.viewer.isRestoring) void this.loadHistory();
  }

  private recolour(): void {
    this.term.options.theme = xtermTheme();
    this.viewer.setTheme(pageTheme(this.term.options.fontSize ?? this.options.fontSize));
  }

  private setState(change: Partial<CardState>): void {
    if (this.disposed) return;
    this.state = { ...this.state, ...change };
    this.options.onState(this.state);
  }
}
