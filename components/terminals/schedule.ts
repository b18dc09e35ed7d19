/** Terminals that take in what waited for them, and terminals that are opened, in one frame: more would be a visible jolt. */
const RELEASES_PER_FRAME = 2;
const OPENINGS_PER_FRAME = 2;
/** The camera counts as still after this time. */
const REST_MS = 150;

/** A viewer that can wait. */
export interface Holdable {
  hold(held: boolean): void;
  readonly isHeld: boolean;
  readonly hasWaiting: boolean;
  /** The person types here: it stays live while the camera moves. */
  readonly isFocused: boolean;
}

const viewers = new Set<Holdable>();
const openings: (() => void)[] = [];
let moving = false;
let restTimer: ReturnType<typeof setTimeout> | undefined;
let frame = 0;

/** Tells the terminals that the camera moves (as often as it likes) or has come to rest. */
export function cameraMoving(isMoving: boolean): void {
  clearTimeout(restTimer);
  if (!isMoving) {
    restTimer = setTimeout(() => {
      moving = false;
      wake();
    }, REST_MS);
    return;
  }
  if (moving) return;
  moving = true;
  for (const viewer of viewers) if (!viewer.isFocused) viewer.hold(true);
}

/** Takes part in holding until the returned function is called. */
export function joinHolding(viewer: Holdable): () => void {
  viewers.add(viewer);
  if (moving && !viewer.isFocused) viewer.hold(true);
  return () => viewers.delete(viewer);
}

/** Opens a terminal in one of the next frames. Returns what withdraws it. */
export function openSoon(open: () => void): () => void {
  openings.push(open);
  wake();
  return () => {
    const at = openings.indexOf(open);
    if (at >= 0) openings.splice(at, 1);
  };
}

function wake(): void {
  if (frame === 0) frame = requestAnimationFrame(work);
}

function work(): void {
  frame = 0;
  for (const open of openings.splice(0, OPENINGS_PER_FRAME)) {
    try {
      open();
    } catch (error) {
      // One that cannot be opened keeps no other from it.
      reportError(error);
    }
  }
  const left = moving ? false : releaseSome();
  if (left || openings.length > 0) wake();
}

function releaseSome(): boolean {
  let released = 0;
  for (const viewer of viewers) {
    if (!viewer.isHeld) continue;
    // Those for which nothing came cost nothing.
    if (viewer.hasWaiting && ++released > RELEASES_PER_FRAME) return true;
    viewer.hold(false);
  }
  return false;
}
