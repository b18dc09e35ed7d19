import { penOf } from './row-serialiser';
import { createTerminal, type HeadlessTerminal, type Internals, internalsOf } from './xterm-internals';

/** A terminal that is filled, read and forgotten. One serves all sessions: it holds nothing between two uses. */
export class Scratch {
  private screen: { terminal: HeadlessTerminal; core: Internals } | undefined;
  private pen: Internals | undefined;

  /** The screen that these lines leave behind. They must fill it. */
  paint(
    cols: number,
    rows: number,
    pen: Uint8Array,
    bytes: Uint8Array,
  ): { terminal: HeadlessTerminal; core: Internals } {
    if (!this.screen) {
      const terminal = createTerminal({ cols, rows, scrollback: 0 });
      this.screen = { terminal, core: internalsOf(terminal) };
    }
    const { terminal, core } = this.screen;
    terminal.resize(cols, rows);
    core._inputHandler.parse('\x1bc');
    if (pen.length) core._inputHandler.parse(pen);
    core._inputHandler.parse(bytes);
    return this.screen;
  }

  /** One sequence with the effect of many on a default pen. */
  condense(sgr: Uint8Array): Buffer {
    this.pen ??= internalsOf(createTerminal({ cols: 2, rows: 1, scrollback: 0 }));
    this.pen._inputHandler.parse('\x1b[m');
    this.pen._inputHandler.parse(sgr);
    return Buffer.from(penOf(this.pen, this.pen._inputHandler._curAttrData));
  }
}

export const scratch = new Scratch();
