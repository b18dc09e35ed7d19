import { bottom, clamp, type Rect, right } from './rect';

export const Snap = {
  /** Screen pixels within which an edge or a centre is drawn to another one's. */
  magnet: 10,
  /** The gap in canvas units that neighbours like to keep. */
  gap: 20,
  /** Where no neighbour draws, positions and sizes are multiples of this. */
  grid: 10,
} as const;

/** A line that shows what a moved edge or centre is in line with. */
export interface Guide {
  axis: 'x' | 'y';
  /** Where the line lies on its axis. */
  at: number;
  from: number;
  to: number;
}

export interface Snapped {
  dx: number;
  dy: number;
  guides: Guide[];
}

interface Span {
  start: number;
  end: number;
  crossStart: number;
  crossEnd: number;
}

const spanOn = (axis: 'x' | 'y', rect: Rect): Span =>
  axis === 'x'
    ? { start: rect.x, end: right(rect), crossStart: rect.y, crossEnd: bottom(rect) }
    : { start: rect.y, end: bottom(rect), crossStart: rect.x, crossEnd: right(rect) };

const overlapsAcross = (a: Span, b: Span) => a.crossStart < b.crossEnd && a.crossEnd > b.crossStart;

interface Pull {
  by: number;
  at: number;
  with: Span;
}

/** The nearest place to which one of the moved `lines` is drawn. Gap lines count only beside a neighbour. */
function pullOn(
  moved: Span,
  lines: readonly { value: number; kind: 'start' | 'middle' | 'end' }[],
  others: readonly Span[],
  reach: number,
): Pull | undefined {
  let best: Pull | undefined;
  const consider = (value: number, at: number, other: Span, shown = at) => {
    const by = at - value;
    if (Math.abs(by) <= reach && (!best || Math.abs(by) < Math.abs(best.by))) best = { by, at: shown, with: other };
  };
  for (const other of others) {
    const middle = (other.start + other.end) / 2;
    const beside = overlapsAcross(moved, other);
    for (const line of lines) {
      if (line.kind === 'middle') {
        consider(line.value, middle, other);
        continue;
      }
      consider(line.value, other.start, other);
      consider(line.value, other.end, other);
      if (beside && line.kind === 'start') consider(line.value, other.end + Snap.gap, other);
      if (beside && line.kind === 'end') consider(line.value, other.start - Snap.gap, other);
    }
  }
  return best;
}

function guideFor(axis: 'x' | 'y', pull: Pull, moved: Span): Guide {
  return {
    axis,
    at: pull.at,
    from: Math.min(moved.crossStart, pull.with.crossStart),
    to: Math.max(moved.crossEnd, pull.with.crossEnd),
  };
}

const toGrid = (value: number) => Math.round(value / Snap.grid) * Snap.grid;

/** How far a moved rectangle should still go to lie in line with its neighbours, or on the grid. */
export function snapMove(moved: Rect, others: readonly Rect[], zoom: number): Snapped {
  const reach = Snap.magnet / zoom;
  const guides: Guide[] = [];
  const by = (['x', 'y'] as const).map((axis) => {
    const span = spanOn(axis, moved);
    const lines = [
      { value: span.start, kind: 'start' },
      { value: (span.start + span.end) / 2, kind: 'middle' },
      { value: span.end, kind: 'end' },
    ] as const;
    const pull = pullOn(
      span,
      lines,
      others.map((other) => spanOn(axis, other)),
      reach,
    );
    if (!pull) return toGrid(span.start) - span.start;
    guides.push(guideFor(axis, pull, span));
    return pull.by;
  });
  return { dx: by[0]!, dy: by[1]!, guides };
}

export type Edge = 'n' | 's' | 'e' | 'w' | 'ne' | 'nw' | 'se' | 'sw';

export interface Bounds {
  minWidth: number;
  minHeight: number;
  maxWidth: number;
  maxHeight: number;
}

/** The rectangle after its `edge` was drawn by (dx, dy), within the bounds; the opposite edge stays where it is. */
export function resized(rect: Rect, edge: Edge, dx: number, dy: number, bounds: Bounds): Rect {
  const width = clamp(
    edge.includes('e') ? rect.width + dx : edge.includes('w') ? rect.width - dx : rect.width,
    bounds.minWidth,
    bounds.maxWidth,
  );
  const height = clamp(
    edge.includes('s') ? rect.height + dy : edge.includes('n') ? rect.height - dy : rect.height,
    bounds.minHeight,
    bounds.maxHeight,
  );
  return {
    x: edge.includes('w') ? right(rect) - width : rect.x,
    y: edge.includes('n') ? bottom(rect) - height : rect.y,
    width,
    height,
  };
}

/** Like `resized`, with the drawn edges snapping to neighbours or the grid. */
export function snapResize(
  rect: Rect,
  edge: Edge,
  dx: number,
  dy: number,
  bounds: Bounds,
  others: readonly Rect[],
  zoom: number,
): { rect: Rect; guides: Guide[] } {
  const free = resized(rect, edge, dx, dy, bounds);
  const reach = Snap.magnet / zoom;
  const guides: Guide[] = [];
  const more = { x: 0, y: 0 };
  for (const axis of ['x', 'y'] as const) {
    const kind = edge.includes(axis === 'x' ? 'w' : 'n')
      ? 'start'
      : edge.includes(axis === 'x' ? 'e' : 's')
        ? 'end'
        : undefined;
    if (!kind) continue;
    const span = spanOn(axis, free);
    const value = kind === 'start' ? span.start : span.end;
    const pull = pullOn(
      span,
      [{ value, kind }],
      others.map((other) => spanOn(axis, other)),
      reach,
    );
    more[axis] = pull ? pull.by : toGrid(value) - value;
    if (pull) guides.push(guideFor(axis, pull, span));
  }
  // From the free one, so that the pointer's way beyond a bound does not count against the snap.
  return { rect: resized(free, edge, more.x, more.y, bounds), guides };
}
