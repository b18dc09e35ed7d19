import type { Terminal } from '@xterm/xterm';
import { cellSize, gridFor, PADDING, SCROLLBAR } from './cell-size';

/** A change of size is told once it has been still for this long. */
const QUIET_MS = 60;
/** While a pointer drags, a pause of this length may be told, but at most this often: each is a signal to the program. */
const DRAG_PAUSE_MS = 300;
const MAX_IN_DRAG = 1;

/**
 * Knows how many columns and rows the card has room for, in layout pixels, whatever the canvas's zoom. Says so only when
 * the number changes, and not while it is inactive: hidden, or its program has ended and the last screen must stay as it
 * was. Shows a grid that is larger than the card (another tab decided its size) scaled down to fit. A bar under an ended
 * program takes rows and not the size of the text: what it covers goes up into the scrollback.
 */
export class GridKeeper {
  private readonly observer: ResizeObserver;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private last: string;
  private active = true;
  private dragging = false;
  private toldInDrag = 0;
  private folding = false;
  /** Rows of the terminal before it was folded. */
  private unfolded: number | undefined;

  constructor(
    private readonly host: HTMLElement,
    private readonly term: Terminal,
    private fontSize: number,
    private readonly tell: (grid: { cols: number; rows: number }) => void,
  ) {
    this.last = `${term.cols}x${term.rows}`;
    this.observer = new ResizeObserver(() => this.resized());
    this.observer.observe(host);
    window.addEventListener('pointerdown', this.dragBegins, true);
    for (const type of ['pointerup', 'pointercancel', 'blur']) window.addEventListener(type, this.dragEnds, true);
  }

  setActive(active: boolean): void {
    if (active === this.active) return;
    this.active = active;
    clearTimeout(this.timer);
    if (active) this.settled();
  }

  /** On: rows that have no room go. Off: all are there again; answers whether the screen has to be asked for anew. */
  setFolding(on: boolean): boolean {
    this.folding = on;
    const rows = this.unfolded;
    this.unfolded = undefined;
    if (on) this.show();
    else if (rows !== undefined && rows > this.term.rows) this.term.resize(this.term.cols, rows);
    return !on && rows !== undefined;
  }

  setFontSize(fontSize: number): void {
    this.fontSize = fontSize;
    this.measure();
    this.show();
  }

  /** Tells the grid now, if it is another one. */
  measure(): void {
    clearTimeout(this.timer);
    const { clientWidth, clientHeight } = this.host;
    // A card that is not laid out has no size.
    if (clientWidth === 0 || clientHeight === 0) return;
    const grid = gridFor(clientWidth, clientHeight, this.fontSize);
    const key = `${grid.cols}x${grid.rows}`;
    if (key === this.last) return;
    this.last = key;
    this.tell(grid);
  }

  /** Fits the drawn grid into the card after the grid or the card has changed. */
  show(): void {
    const { element } = this.term;
    const screen = element?.querySelector<HTMLElement>('.xterm-screen');
    if (!element || !screen) return;
    const room = {
      width: this.host.clientWidth - PADDING.left,
      height: this.host.clientHeight - PADDING.top - PADDING.bottom,
    };
    if (room.width <= 0 || room.height <= 0) return;
    if (this.folding) this.fold(room.height);
    const scale = Math.min(1, room.width / screen.offsetWidth, room.height / screen.offsetHeight);
    // While the card is dragged smaller the grid follows in a moment; do not scale for that.
    const foreign = !this.active || `${this.term.cols}x${this.term.rows}` !== this.last;
    const scaled = foreign && !this.dragging && scale < 1;
    element.style.transformOrigin = '0 0';
    element.style.transform = scaled ? `scale(${scale})` : '';
    element.style.width = scaled ? `${screen.offsetWidth + SCROLLBAR}px` : '';
    element.style.height = scaled ? `${screen.offsetHeight}px` : '';
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.observer.disconnect();
    window.removeEventListener('pointerdown', this.dragBegins, true);
    for (const type of ['pointerup', 'pointercancel', 'blur']) window.removeEventListener(type, this.dragEnds, true);
  }

  /** Only by what a bar takes: a grid of another tab's size is scaled as ever. */
  private fold(height: number): void {
    const rows = Math.max(1, Math.floor(height / cellSize(this.fontSize).height));
    if (rows >= this.term.rows || this.term.rows > Number(this.last.split('x')[1])) return;
    this.unfolded ??= this.term.rows;
    this.term.resize(this.term.cols, rows);
  }

  private resized(): void {
    if (!this.active) {
      this.show();
      return;
    }
    clearTimeout(this.timer);
    if (!this.dragging) {
      this.timer = setTimeout(() => this.settled(), QUIET_MS);
      return;
    }
    if (this.toldInDrag >= MAX_IN_DRAG) return;
    this.timer = setTimeout(() => {
      this.toldInDrag++;
      this.settled();
    }, DRAG_PAUSE_MS);
  }

  private settled(): void {
    this.measure();
    this.show();
  }

  private readonly dragBegins = () => {
    this.dragging = true;
    this.toldInDrag = 0;
  };

  private readonly dragEnds = () => {
    if (!this.dragging) return;
    this.dragging = false;
    if (this.active) this.timer = setTimeout(() => this.settled(), QUIET_MS);
  };
}
