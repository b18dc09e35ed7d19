// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test } from 'vitest';
import { installEventScaler, type RawPoint } from './event-scaler';

let uninstall: () => void;
let screen: HTMLElement;
let outside: HTMLElement;

/** A terminal of 400 layout pixels at (100, 50), shown at the given scale. */
function show(scale: number): void {
  document.body.innerHTML = '<div class="xterm"><div class="xterm-screen"></div></div><div class="cm-editor"></div>';
  screen = document.querySelector('.xterm-screen')!;
  outside = document.querySelector('.cm-editor')!;
  Object.defineProperty(screen, 'offsetWidth', { value: 400 });
  screen.getBoundingClientRect = () => ({ left: 100, top: 50, width: 400 * scale, height: 200 * scale }) as DOMRect;
}

function seen(target: Element, type: string, x: number, y: number): [number, number, number | undefined] {
  let result: [number, number, number | undefined] = [0, 0, undefined];
  const read = (event: Event) => {
    const mouse = event as MouseEvent & RawPoint;
    result = [mouse.clientX, mouse.clientY, mouse.rawClientX];
  };
  target.addEventListener(type, read, { once: true });
  target.dispatchEvent(new MouseEvent(type, { clientX: x, clientY: y, bubbles: true }));
  return result;
}

beforeEach(() => {
  uninstall = installEventScaler(window);
});
afterEach(() => uninstall());

test('pain 1: inside a scaled terminal the pointer is where its layout says, and the true place is kept', () => {
  show(2);
  expect(seen(screen, 'mousemove', 300, 150)).toEqual([200, 100, 300]);
  show(0.5);
  expect(seen(screen, 'mousedown', 150, 75)).toEqual([200, 100, 150]);
});

test('pain 2: a drag keeps its terminal outside of it, until the button is released', () => {
  show(2);
  seen(screen, 'mousedown', 300, 150);
  expect(seen(document.body, 'mousemove', 300, 850)).toEqual([200, 450, 300]);
  seen(document.body, 'mouseup', 300, 850);
  expect(seen(document.body, 'mousemove', 300, 850)).toEqual([300, 850, undefined]);
});

test('a button that is released outside the window ends the drag', () => {
  show(2);
  seen(screen, 'mousedown', 300, 150);
  window.dispatchEvent(new Event('blur'));
  expect(seen(document.body, 'mousemove', 300, 150)).toEqual([300, 150, undefined]);
});

test('editors and everything else get true coordinates, and an unscaled terminal too', () => {
  show(2);
  expect(seen(outside, 'mousemove', 300, 150)).toEqual([300, 150, undefined]);
  show(1);
  expect(seen(screen, 'mousemove', 300, 150)).toEqual([300, 150, undefined]);
});
