import type { ItemChange } from '../../../schemas/canvas';
import { FailureError } from '../../../schemas/result';

/** A call that nobody answered although the connection stands is sent once more after this time, milliseconds. */
const RETRY_MS = 2_000;

/** A set of changes on its way to the server. */
export interface OutgoingOp {
  canvasId: string;
  opId: string;
  changes: ItemChange[];
  /** The server has taken it, at that revision. */
  taken: (revision: number) => void;
  /** The server will never take it. */
  refused: (error: unknown) => void;
}

/**
 * Brings ops to the server one after the other: the next is sent when the one before is answered, so that none can
 * overtake another, over lost connections too. What was on its way when the connection went is sent again first; the
 * same opId makes that harmless.
 */
export class Outbox {
  private readonly waiting: OutgoingOp[] = [];
  private sending = false;
  private paused = false;
  /** Grows with every resume, so that the loss of an earlier connection does not pause what goes over this one. */
  private connection = 0;

  constructor(private readonly deliver: (op: OutgoingOp) => Promise<{ revision: number }>) {}

  /** Nothing is on its way or waits. */
  get empty(): boolean {
    return this.waiting.length === 0;
  }

  push(op: OutgoingOp): void {
    this.waiting.push(op);
    void this.run();
  }

  /** The connection is there again. */
  resume(): void {
    this.connection++;
    this.paused = false;
    void this.run();
  }

  /**
   * The page may be gone in a moment: what waits for an answer to another is sent now, behind it. Should the page stay,
   * all of it is sent once more, which the opId makes harmless.
   */
  hurry(): void {
    for (const op of this.waiting) this.deliver(op).catch(() => undefined);
  }

  private async run(): Promise<void> {
    if (this.sending) return;
    this.sending = true;
    let repeated: OutgoingOp | undefined;
    while (!this.paused && this.waiting[0]) {
      const op = this.waiting[0];
      const { connection } = this;
      let tell: () => void;
      try {
        const { revision } = await this.deliver(op);
        tell = () => op.taken(revision);
      } catch (error) {
        const code = error instanceof FailureError ? error.code : '';
        if (code === 'disconnected') {
          this.paused = connection === this.connection;
          continue;
        }
        if (code === 'timeout' && repeated !== op) {
          repeated = op;
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
          continue;
        }
        tell = () => op.refused(error);
      }
      this.waiting.shift();
      try {
        tell();
      } catch (error) {
        // Whoever is told and fails keeps no other op back.
        reportError(error);
      }
    }
    this.sending = false;
  }
}
