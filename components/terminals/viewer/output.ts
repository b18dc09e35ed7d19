import type { StreamHeader } from '../../../schemas/terminals';

type HeaderOf<K extends StreamHeader['kind']> = Extract<StreamHeader, { kind: K }>;

/** The whole state of a terminal at `offset`, put together from its parts. */
export interface Snapshot {
  offset: number;
  cols: number;
  rows: number;
  /** Lines above the screen that it holds, and that the pty host holds. */
  history: number;
  historyTotal: number;
  parts: Uint8Array[];
}

/** What came over the stream, in order, ready to be shown. */
export type Output =
  | { kind: 'raw'; offset: number; bytes: Uint8Array }
  | { kind: 'frame'; offset: number; frame: number; bytes: Uint8Array }
  | { kind: 'snapshot'; snapshot: Snapshot }
  | HeaderOf<'size'>
  | HeaderOf<'ended'>
  | HeaderOf<'started'>;

/**
 * Turns messages into outputs: snapshots are assembled, and what arrives between their parts waits behind them.
 * Answers `null` when a part is missing, so that the viewer asks anew.
 */
export class OutputAssembler {
  private snapshot: Snapshot | undefined;
  private behind: Output[] = [];

  reset(): void {
    this.snapshot = undefined;
    this.behind = [];
  }

  take(header: StreamHeader, bytes: Uint8Array | undefined): Output[] | null {
    if (header.kind === 'snapshot') return this.takePart(header, bytes ?? new Uint8Array());
    const output = outputOf(header, bytes);
    if (!this.snapshot) return [output];
    this.behind.push(output);
    return [];
  }

  private takePart(header: HeaderOf<'snapshot'>, bytes: Uint8Array): Output[] | null {
    const { offset, cols, rows, history, historyTotal } = header;
    if (header.part === 0) {
      this.snapshot = { offset, cols, rows, history, historyTotal, parts: [] };
      this.behind = [];
    }
    const snapshot = this.snapshot;
    if (!snapshot || snapshot.offset !== offset || snapshot.parts.length !== header.part) {
      this.reset();
      return null;
    }
    snapshot.parts.push(bytes);
    if (!header.last) return [];
    const outputs: Output[] = [{ kind: 'snapshot', snapshot }, ...this.behind];
    this.reset();
    return outputs;
  }
}

function outputOf(header: Exclude<StreamHeader, { kind: 'snapshot' }>, bytes: Uint8Array | undefined): Output {
  switch (header.kind) {
    case 'raw':
      return { ...header, bytes: bytes ?? new Uint8Array() };
    case 'frame':
      return { ...header, bytes: bytes ?? new Uint8Array() };
    default:
      return header;
  }
}
