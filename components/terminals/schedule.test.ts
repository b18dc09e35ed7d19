import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { cameraMoving, type Holdable, joinHolding, openSoon } from './schedule';

class Viewer implements Holdable {
  isHeld = false;
  hasWaiting = false;
  constructor(readonly isFocused = false) {}
  hold(held: boolean) {
    this.isHeld = held;
  }
}

let frames: FrameRequestCallback[] = [];
const nextFrame = () => {
  for (const frame of frames.splice(0)) frame(0);
};
const leave: (() => void)[] = [];
const join = (viewer: Viewer) => {
  leave.push(joinHolding(viewer));
  return viewer;
};

beforeEach(() => {
  vi.useFakeTimers();
  frames = [];
  vi.stubGlobal('requestAnimationFrame', (frame: FrameRequestCallback) => frames.push(frame));
});
afterEach(() => {
  cameraMoving(false);
  vi.runAllTimers();
  while (frames.length > 0) nextFrame();
  for (const end of leave.splice(0)) end();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('while the camera moves all but the focused terminal are held, also one that comes later', () => {
  const [one, focused] = [join(new Viewer()), join(new Viewer(true))];
  cameraMoving(true);
  const late = join(new Viewer());
  expect([one.isHeld, focused.isHeld, late.isHeld]).toEqual([true, false, true]);
});

test('after it came to rest two of those with output are released in a frame, the others at once', () => {
  const busy = Array.from({ length: 5 }, () => join(new Viewer()));
  const quiet = join(new Viewer());
  cameraMoving(true);
  for (const viewer of busy) viewer.hasWaiting = true;
  cameraMoving(false);
  expect(busy.every((viewer) => viewer.isHeld)).toBe(true);
  vi.advanceTimersByTime(200);
  const held = () => busy.filter((viewer) => viewer.isHeld).length;
  nextFrame();
  expect(held()).toBe(3);
  nextFrame();
  expect(held()).toBe(1);
  nextFrame();
  expect([held(), quiet.isHeld]).toEqual([0, false]);
  expect(frames).toEqual([]);
});

test('a short pause of the camera releases nothing', () => {
  const viewer = join(new Viewer());
  cameraMoving(true);
  cameraMoving(false);
  vi.advanceTimersByTime(50);
  cameraMoving(true);
  vi.advanceTimersByTime(1_000);
  nextFrame();
  expect(viewer.isHeld).toBe(true);
});

test('two terminals are opened in a frame, and one that is gone is not', () => {
  const opened: number[] = [];
  const withdraw = [1, 2, 3, 4, 5].map((n) => openSoon(() => opened.push(n)));
  withdraw[2]!();
  nextFrame();
  expect(opened).toEqual([1, 2]);
  nextFrame();
  expect(opened).toEqual([1, 2, 4, 5]);
});
