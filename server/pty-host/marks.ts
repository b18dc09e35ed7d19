import type { Internals, LineList } from './xterm-internals';

/** A shell-integration mark (OSC 133) at a cell of the normal buffer. */
export interface Mark {
  kind: 'A' | 'B' | 'C' | 'D';
  /** Exit status of the command, with kind D. */
  status?: number;
  column: number;
  /** Line number counted from the first line ever; minus what was trimmed it is the index in the buffer. */
  line: number;
}

/** As many as a scrollback full of prompts has. */
const MAX_MARKS = 20_000;

/**
 * Marks that move with their lines. One listener for all of them: xterm's own markers cost a call each per scrolled
 * line.
 */
export class Marks {
  private marks: Mark[] = [];
  private trimmed = 0;
  private list: LineList | undefined;

  constructor(private readonly core: Internals) {
    this.follow();
    core._inputHandler.onRequestReset(() => {
      this.marks = [];
      this.follow();
    });
  }

  add(kind: Mark['kind'], status?: number): void {
    const buffer = this.core._bufferService.buffers.normal;
    if (buffer !== this.core._bufferService.buffers.active) return;
    const line = this.trimmed + buffer.ybase + buffer.y;
    this.marks.push({ kind, column: buffer.x, line, ...(status === undefined ? {} : { status }) });
    if (this.marks.length > MAX_MARKS) this.marks.splice(0, MAX_MARKS / 2);
  }

  /** The marks by index of their row in the buffer, in order. */
  byRow(): Map<number, Mark[]> {
    const rows = new Map<number, Mark[]>();
    for (const mark of this.marks) {
      const row = mark.line - this.trimmed;
      if (row < 0) continue;
      const there = rows.get(row);
      if (there) there.push(mark);
      else rows.set(row, [mark]);
    }
    return rows;
  }

  private follow(): void {
    const lines = this.core._bufferService.buffers.normal.lines;
    if (lines === this.list) return;
    this.list = lines;
    this.trimmed = 0;
    lines.onTrim((amount) => {
      this.trimmed += amount;
      // Once in a while is enough to keep the list short.
      if ((this.trimmed & 1023) === 0) this.dropGone();
    });
    lines.onInsert(({ index, amount }) => {
      for (const mark of this.marks) if (mark.line - this.trimmed >= index) mark.line += amount;
    });
    lines.onDelete(({ index, amount }) => {
      this.marks = this.marks.filter((mark) => {
        const row = mark.line - this.trimmed;
        return row < index || row >= index + amount;
      });
      for (const mark of this.marks) if (mark.line - this.trimmed > index) mark.line -= amount;
    });
  }

  private dropGone(): void {
    const first = this.marks.findIndex((mark) => mark.line >= this.trimmed);
    if (first > 0) this.marks.splice(0, first);
    else if (first < 0) this.marks = [];
  }
}

/** The sequence that sets the mark again. */
export function markSequence(mark: Mark): string {
  return `\x1b]133;${mark.kind}${mark.status === undefined ? '' : `;${mark.status}`}\x1b\\`;
}
