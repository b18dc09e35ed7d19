import type { PtyHostClient } from '../../schemas/pty-host';
import { FailureError } from '../../schemas/result';

/** How often the pty host is asked whether it is there, in milliseconds. */
export const BEAT_MS = 2_000;
/** Beats that pass over one question without an answer until the host counts as silent. */
const PATIENT_BEATS = 2;

/** Failures that our end of the connection makes up; all others were said by the host. */
const unanswered = new Set(['pty-host-timeout', 'pty-host-gone']);

export interface HeartbeatListener {
  /** The host has not answered for two beats. Told once for each silence. */
  silent(): void;
  /** The first answer after a silence. */
  answered(): void;
}

/** Asks a pty host every two seconds whether it is there. It only tells: nothing is ended or disconnected. */
export class Heartbeat {
  private readonly timer: NodeJS.Timeout;
  private asking = false;
  private missed = 0;
  private stopped = false;

  constructor(
    private readonly client: PtyHostClient,
    private readonly listener: HeartbeatListener,
  ) {
    this.timer = setInterval(() => this.beat(), BEAT_MS);
    this.timer.unref();
  }

  stop(): void {
    this.stopped = true;
    clearInterval(this.timer);
  }

  // Beats are counted, not time: after the sleep of a laptop an answer that lies in the socket is read before the next.
  private beat(): void {
    if (this.asking || this.missed > 0) {
      this.missed += 1;
      if (this.missed === PATIENT_BEATS) this.listener.silent();
    }
    if (!this.asking) void this.ask();
  }

  private async ask(): Promise<void> {
    this.asking = true;
    const answered = await this.client.call('ping', {}).then(
      () => true,
      // An older host does not know the question, which is an answer too.
      (error: unknown) => error instanceof FailureError && !unanswered.has(error.code),
    );
    this.asking = false;
    if (this.stopped) return;
    if (!answered) {
      this.missed = Math.max(this.missed, 1);
      return;
    }
    const wasSilent = this.missed >= PATIENT_BEATS;
    this.missed = 0;
    if (wasSilent) this.listener.answered();
  }
}
