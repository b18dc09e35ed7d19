import type { Viewer } from './viewer';

export interface Size {
  cols: number;
  rows: number;
}

/** A drag sends a size per step; the program is told the first and then the last. */
const QUIET_MS = 100;
/** A reload, or a lost connection, detaches and attaches again: the size waits this long for the same tab. */
const HANDOVER_MS = 1000;

export interface SizeHooks {
  now(): number;
  later(ms: number, run: () => void): () => void;
  /** The size is now this one. Called only when it really changes. */
  apply(size: Size): void;
  viewers(): Iterable<Viewer>;
}

/** The one size of a session: that of the viewer which typed or changed its size last. */
export class SizeRule {
  private wanted: Size | undefined;
  private appliedAt = 0;
  private owner: Viewer | undefined;
  /** The tab that decided before it went. Until somebody types or resizes, others only stand in for it. */
  private absent: string | undefined;
  private cancelQuiet: (() => void) | undefined;
  private cancelHandover: (() => void) | undefined;

  constructor(
    public size: Size,
    private readonly hooks: SizeHooks,
  ) {}

  /** What the viewers want, if there are any. */
  get ownersSize(): Size | undefined {
    return this.owner?.size;
  }

  attached(viewer: Viewer, only: boolean): void {
    const returns = viewer.tab === this.absent || (this.owner?.tab === viewer.tab && !this.isThere(this.owner));
    if (returns) this.resized(viewer);
    else if (only || !this.owner) this.standIn(viewer);
  }

  resized(viewer: Viewer): void {
    this.own(viewer);
    this.want(viewer.size);
  }

  /** What is typed next must find the size of the viewer that it was typed into. */
  typed(viewer: Viewer): void {
    this.own(viewer);
    // What another viewer was about to want counts no longer.
    this.cancelQuiet?.();
    this.cancelQuiet = undefined;
    this.wanted = undefined;
    this.set(viewer.size);
  }

  detached(viewer: Viewer): void {
    if (this.owner !== viewer) return;
    this.cancelHandover?.();
    // Its next page, or its next connection, may have come before this one was seen to go.
    const successor = [...this.hooks.viewers()].find(({ tab }) => tab === viewer.tab);
    if (successor) {
      this.resized(successor);
      return;
    }
    this.cancelHandover = this.hooks.later(HANDOVER_MS, () => {
      this.cancelHandover = undefined;
      if (this.owner !== viewer) return;
      this.owner = undefined;
      this.absent ??= viewer.tab;
      const [next] = [...this.hooks.viewers()].sort((a, b) => b.lastActive - a.lastActive);
      if (next) this.standIn(next);
    });
  }

  set({ cols, rows }: Size): void {
    if (cols === this.size.cols && rows === this.size.rows) return;
    this.size = { cols, rows };
    this.appliedAt = this.hooks.now();
    this.hooks.apply(this.size);
  }

  dispose(): void {
    this.cancelQuiet?.();
    this.cancelHandover?.();
  }

  /** While it is, whoever attaches by the name of its tab is another tab. */
  private isThere(viewer: Viewer): boolean {
    return [...this.hooks.viewers()].includes(viewer);
  }

  private standIn(viewer: Viewer): void {
    const { absent } = this;
    this.resized(viewer);
    this.absent = absent;
  }

  private own(viewer: Viewer): void {
    viewer.lastActive = this.hooks.now();
    this.owner = viewer;
    this.absent = undefined;
  }

  private want(size: Size): void {
    this.wanted = size;
    const changes = size.cols !== this.size.cols || size.rows !== this.size.rows;
    const resting = this.hooks.now() - this.appliedAt >= QUIET_MS;
    if (!this.cancelQuiet && (resting || !changes)) {
      this.applyWanted();
      return;
    }
    // A drag goes on: the last size counts once it rests.
    this.cancelQuiet?.();
    this.cancelQuiet = this.hooks.later(QUIET_MS, () => this.applyWanted());
  }

  private applyWanted(): void {
    this.cancelQuiet = undefined;
    if (this.wanted) this.set(this.wanted);
    this.wanted = undefined;
  }
}
