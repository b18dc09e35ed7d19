const POINTER_EVENTS = [
  ...['pointerdown', 'pointermove', 'pointerup', 'pointercancel', 'mousedown', 'mousemove', 'mouseup', 'click'],
  ...['dblclick', 'auxclick', 'contextmenu', 'wheel', 'mouseover', 'mouseout', 'mouseenter', 'mouseleave'],
];
/** Scales nearer to 1 than this change no cell. */
const NO_SCALE = 1e-4;

/** Where the pointer really was, on events that `installEventScaler` has mapped. */
export interface RawPoint {
  rawClientX?: number;
  rawClientY?: number;
}

/**
 * xterm reads pointer positions as if its element were not scaled. Under the canvas's zoom every event inside a
 * terminal (or of a drag that began in one) therefore gets its coordinates in the terminal's own layout pixels, before
 * anyone sees it; the true ones stay as `rawClientX` and `rawClientY`. The event itself stays the trusted one.
 * Install once, before the first terminal.
 */
export function installEventScaler(win: Window = window): () => void {
  let drag: Element | null = null;

  const map = (event: Event) => {
    const target = event.target as Element | null;
    const inside = target?.closest?.('.xterm') ?? null;
    if (event.type === 'pointerdown' || (event.type === 'mousedown' && !drag)) drag = inside;
    const terminal = drag ?? inside;
    if (terminal) toLayoutPixels(event as MouseEvent, terminal, win);
    if (event.type === 'mouseup' || event.type === 'pointercancel') drag = null;
  };
  // A button that is released outside the window is never reported.
  const forget = () => {
    drag = null;
  };

  for (const type of POINTER_EVENTS) win.addEventListener(type, map, true);
  win.addEventListener('blur', forget);
  return () => {
    for (const type of POINTER_EVENTS) win.removeEventListener(type, map, true);
    win.removeEventListener('blur', forget);
  };
}

function toLayoutPixels(event: MouseEvent & RawPoint, terminal: Element, win: Window): void {
  const screen = terminal.querySelector<HTMLElement>('.xterm-screen');
  if (!screen || event.rawClientX !== undefined) return;
  const rect = screen.getBoundingClientRect();
  const scale = screen.offsetWidth > 0 ? rect.width / screen.offsetWidth : 1;
  if (Math.abs(scale - 1) <= NO_SCALE || scale === 0) return;
  const { clientX, clientY } = event;
  const x = rect.left + (clientX - rect.left) / scale;
  const y = rect.top + (clientY - rect.top) / scale;
  const values = { clientX: x, clientY: y, x, y, pageX: x + win.scrollX, pageY: y + win.scrollY };
  const raw = { rawClientX: clientX, rawClientY: clientY };
  for (const [name, value] of Object.entries({ ...values, ...raw })) {
    Object.defineProperty(event, name, { value, configurable: true });
  }
}
