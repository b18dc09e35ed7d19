import { CanvasLimits } from '../../../schemas/canvas';
import { centre, type Point, type Rect } from '../geometry/rect';
import { type CameraPlace, Places } from './places';
import { between, clampZoom, fitting, fittingClear, type Insets, revealing, revealingAmong, zoomedAt } from './zooming';

/** After the last move, in milliseconds, the camera counts as resting. */
const REST_MS = 200;
const JUMP_MS = 200;

/** What the camera moves: React Flow's viewport. */
export interface CameraStage {
  getViewport(): CameraPlace;
  setViewport(place: CameraPlace): unknown;
}

/** The one camera of the page. It knows where it stands, moves, and tells those who draw by it; React takes no part in a move. */
export class Camera {
  readonly places = new Places();
  /** What the chrome covers now. */
  insets: Insets = { top: 68, right: 20, bottom: 76, left: 20 };
  /** The lower left corner of the window that the minimap takes, pixels. */
  corner: { width: number; height: number } | undefined;
  /** While it is locked (a card fills the window) nothing moves it but `jump`. */
  locked = false;

  private stage: CameraStage | undefined;
  private element: HTMLElement | undefined;
  private box: DOMRect | undefined;
  private at: CameraPlace = { x: 0, y: 0, zoom: 1 };
  private readonly movers = new Set<(place: CameraPlace) => void>();
  private readonly resters = new Set<(moving: boolean) => void>();
  private rest: ReturnType<typeof setTimeout> | undefined;
  /** Those who wait for it to rest were told that it moves. */
  private inMotion = false;
  /** It stands elsewhere at once, as when a canvas is opened: that is no motion. */
  private leaping = false;
  private frame = 0;
  private target: CameraPlace | undefined;

  attach(stage: CameraStage, element: HTMLElement): () => void {
    this.stage = stage;
    this.element = element;
    this.box = undefined;
    stage.setViewport(this.at);
    const forget = () => {
      this.box = undefined;
    };
    const resized = new ResizeObserver(forget);
    resized.observe(element);
    window.addEventListener('resize', forget);
    return () => {
      resized.disconnect();
      window.removeEventListener('resize', forget);
      if (this.stage === stage) this.stage = undefined;
      this.cancel();
      clearTimeout(this.rest);
      this.rest = undefined;
      this.inMotion = false;
    };
  }

  /** Where it stands now; during a jump, on the way. */
  get place(): CameraPlace {
    return this.at;
  }

  /** Where it will stand when a jump has ended. */
  get destination(): CameraPlace {
    return this.target ?? this.at;
  }

  get moving(): boolean {
    return this.inMotion;
  }

  get size(): { width: number; height: number } {
    const { width, height } = this.area();
    return { width, height };
  }

  /** Canvas units under a point of the window. */
  toCanvas(screen: Point): Point {
    const box = this.area();
    return {
      x: (screen.x - box.left - this.at.x) / this.at.zoom,
      y: (screen.y - box.top - this.at.y) / this.at.zoom,
    };
  }

  toScreen(point: Point): Point {
    const box = this.area();
    return {
      x: point.x * this.at.zoom + this.at.x + box.left,
      y: point.y * this.at.zoom + this.at.y + box.top,
    };
  }

  /** The part of the canvas in sight. */
  view(): Rect {
    const { width, height } = this.size;
    return {
      x: -this.at.x / this.at.zoom,
      y: -this.at.y / this.at.zoom,
      width: width / this.at.zoom,
      height: height / this.at.zoom,
    };
  }

  /** What the chrome leaves free, pixels of the window. */
  freeSize(): { width: number; height: number } {
    const { width, height } = this.size;
    const { top, right, bottom, left } = this.insets;
    return { width: Math.max(1, width - left - right), height: Math.max(1, height - top - bottom) };
  }

  /** The middle of what the chrome leaves free, in canvas units. */
  middle(): Point {
    const { width, height } = this.size;
    const { top, right, bottom, left } = this.insets;
    return {
      x: ((left + width - right) / 2 - this.at.x) / this.at.zoom,
      y: ((top + height - bottom) / 2 - this.at.y) / this.at.zoom,
    };
  }

  panBy(dx: number, dy: number): void {
    if (this.locked) return;
    this.cancel();
    this.set({ ...this.at, x: this.at.x + dx, y: this.at.y + dy });
  }

  /** Zooms by a factor about a point of the window. */
  zoomBy(factor: number, about: Point): void {
    if (this.locked) return;
    this.cancel();
    const box = this.area();
    this.set(zoomedAt(this.at, { x: about.x - box.left, y: about.y - box.top }, this.at.zoom * factor));
  }

  /** Steps of the zoom buttons and keys: about the middle of `about` (canvas units), which stays in sight, else of the window. */
  zoomStep(to: number | ((zoom: number) => number), about?: Rect): void {
    if (this.locked) return;
    const { width, height } = this.size;
    const from = this.destination;
    const middle = about && centre(about);
    const at = middle
      ? { x: middle.x * from.zoom + from.x, y: middle.y * from.zoom + from.y }
      : { x: width / 2, y: height / 2 };
    const zoomed = zoomedAt(from, at, typeof to === 'number' ? to : to(from.zoom));
    const place = about ? revealing(about, zoomed, this.size, this.insets, this.corner) : zoomed;
    this.jump(place, { remember: false });
  }

  fit(rect: Rect, options: { maxZoom?: number; remember?: boolean; animate?: boolean } = {}): void {
    this.jump(fitting(rect, this.size, this.insets, options.maxZoom ?? 1), options);
  }

  /** Shows all of these, clear of the chrome. */
  fitMany(rects: readonly Rect[], options: { remember?: boolean; animate?: boolean } = {}): void {
    const place = fittingClear(rects, this.size, this.insets, this.corner);
    if (place) this.jump(place, options);
  }

  /** Moves just far enough that all of it is in sight, clear of the chrome. */
  reveal(rect: Rect): void {
    this.go(revealing(rect, this.destination, this.size, this.insets, this.corner));
  }

  /** Shows a new card, and with it the others that were in sight as far as they stay readable. */
  revealAmong(rect: Rect, others: readonly Rect[]): void {
    this.go(revealingAmong(rect, others, this.destination, this.size, this.insets, this.corner));
  }

  private go(to: CameraPlace): void {
    if (this.locked) return;
    const from = this.destination;
    if (to.x !== from.x || to.y !== from.y || to.zoom !== from.zoom) this.jump(to, { remember: false });
  }

  /** Goes to a place, in one motion; remembers the one that it leaves. */
  jump(to: CameraPlace, options: { animate?: boolean; remember?: boolean } = {}): void {
    const from = this.at;
    if (options.remember ?? true) this.places.leave(this.destination);
    this.cancel();
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const goal = { ...to, zoom: clampZoom(to.zoom) };
    if (calm || options.animate === false) {
      this.leaping = true;
      this.set(goal);
      this.leaping = false;
      return;
    }
    this.target = goal;
    const began = performance.now();
    const step = (now: number) => {
      const t = Math.min(1, Math.max(0, (now - began) / JUMP_MS));
      const eased = 1 - (1 - t) ** 3;
      this.set(between(from, goal, t === 1 ? 1 : eased, this.size));
      if (t < 1) this.frame = requestAnimationFrame(step);
      else this.target = undefined;
    };
    this.frame = requestAnimationFrame(step);
  }

  back(): void {
    const place = this.places.back(this.destination);
    if (place) this.jump(place, { remember: false });
  }

  forward(): void {
    const place = this.places.forward(this.destination);
    if (place) this.jump(place, { remember: false });
  }

  /** The stage moved, by us or by React Flow's own gestures. */
  moved(place: CameraPlace): void {
    if (place.x === this.at.x && place.y === this.at.y && place.zoom === this.at.zoom) return;
    this.at = place;
    if (!this.inMotion && !this.leaping) {
      this.inMotion = true;
      for (const listener of this.resters) listener(true);
    }
    clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      this.rest = undefined;
      this.inMotion = false;
      for (const listener of this.resters) listener(false);
    }, REST_MS);
    for (const listener of this.movers) listener(place);
  }

  /** Called with each move. Returns what ends it. */
  onMove(listener: (place: CameraPlace) => void): () => void {
    this.movers.add(listener);
    return () => this.movers.delete(listener);
  }

  /** Called when it begins to move and when it rests. Returns what ends it. */
  onMoving(listener: (moving: boolean) => void): () => void {
    this.resters.add(listener);
    return () => this.resters.delete(listener);
  }

  /** Ends a jump where it is. */
  cancel(): void {
    cancelAnimationFrame(this.frame);
    this.target = undefined;
  }

  /** Where the canvas stands in the window. Asking the page for it with every move would make it lay itself out. */
  private area(): { left: number; top: number; width: number; height: number } {
    this.box ??= this.element?.getBoundingClientRect();
    return this.box ?? { left: 0, top: 0, width: 1280, height: 800 };
  }

  private set(place: CameraPlace): void {
    const limit = CanvasLimits.maxCoordinate;
    const bounded = {
      ...place,
      x: Math.min(limit, Math.max(-limit, place.x)),
      y: Math.min(limit, Math.max(-limit, place.y)),
    };
    this.stage?.setViewport(bounded);
    this.moved(bounded);
  }
}

export const camera = new Camera();
