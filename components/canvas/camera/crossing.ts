/** Cards that change between terminal and summary in one frame: a hundred at once would be a visible jolt. */
const CARDS_PER_FRAME = 8;

export interface Crosser {
  /** It goes first. */
  readonly inSight: boolean;
  /** Shows it as a summary, or whole. */
  show(far: boolean): void;
}

/** Takes the cards over the border between whole and summary, those in sight first, a few in each frame. */
export class Crossing {
  private readonly shown = new Map<Crosser, boolean>();
  private far = false;
  private frame = 0;

  constructor(
    private readonly soon: (work: () => void) => number = (work) => requestAnimationFrame(work),
    private readonly perFrame = CARDS_PER_FRAME,
  ) {}

  /** A card that is there from now on, shown as `far` says. Returns what ends it. */
  join(card: Crosser, far: boolean): () => void {
    this.shown.set(card, far);
    if (far !== this.far) this.wake();
    return () => this.shown.delete(card);
  }

  /** On which side of the border the camera is. */
  to(far: boolean): void {
    if (far === this.far) return;
    this.far = far;
    this.wake();
  }

  private wake(): void {
    if (this.frame === 0) this.frame = this.soon(() => this.work());
  }

  private work(): void {
    this.frame = 0;
    const late = [...this.shown].filter(([, far]) => far !== this.far).map(([card]) => card);
    late.sort((a, b) => Number(b.inSight) - Number(a.inSight));
    for (const card of late.slice(0, this.perFrame)) {
      this.shown.set(card, this.far);
      card.show(this.far);
    }
    if (late.length > this.perFrame) this.wake();
  }
}
