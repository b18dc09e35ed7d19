/** A pause after which a wheel gesture counts as a new one, in milliseconds. */
export const WHEEL_PAUSE_MS = 150;

export interface WheelFacts {
  /** Milliseconds, of the event. */
  time: number;
  /** The card under the pointer whose content has the focus; nothing for all else. */
  focusedCard: string | undefined;
  /** Ctrl or Cmd: a pinch. */
  zoom: boolean;
  /** The key that gives the wheel to the canvas whatever lies under the pointer. */
  override: boolean;
}

/**
 * Decides whose a wheel event is. A gesture that began on the canvas stays with it until a pause, whatever slides under
 * the pointer, and one that began in a card never leaks into the canvas.
 */
export class WheelOwner {
  private owner: string | 'canvas' = 'canvas';
  private last = Number.NEGATIVE_INFINITY;

  /** `card`: its content scrolls. `canvas`: the camera moves. `nobody`: the rest of a gesture whose card is no longer there. */
  decide(facts: WheelFacts): 'card' | 'canvas' | 'nobody' {
    const fresh = facts.time - this.last > WHEEL_PAUSE_MS;
    this.last = facts.time;
    if (facts.zoom || facts.override) {
      this.owner = 'canvas';
      return 'canvas';
    }
    if (fresh) this.owner = facts.focusedCard ?? 'canvas';
    if (this.owner === 'canvas') return 'canvas';
    return facts.focusedCard === this.owner ? 'card' : 'nobody';
  }
}
