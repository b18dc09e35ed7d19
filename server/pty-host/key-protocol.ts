import type { HeadlessTerminal } from './xterm-internals';

const ESC = '\x1b';
/** As in the page: a program that pushes without end loses its oldest. */
const MAX_STACK = 32;

/**
 * What a program asked of the keyboard: kitty's flags (CSI > u, < u, = u) and modifyOtherKeys (CSI > 4 ; n m). The page
 * follows them by itself; the mirror keeps them so that a snapshot can tell them again.
 */
export class KeyProtocol {
  private flags = 0;
  private stack: number[] = [];
  private otherKeys = 0;
  /** The program has spoken of it at all. */
  private touched = false;

  constructor(terminal: HeadlessTerminal) {
    const { parser } = terminal;
    parser.registerCsiHandler({ prefix: '>', final: 'u' }, (params) => {
      this.touched = true;
      this.stack.push(this.flags);
      if (this.stack.length > MAX_STACK) this.stack.shift();
      this.flags = value(params, 0, 0);
      return true;
    });
    parser.registerCsiHandler({ prefix: '<', final: 'u' }, (params) => {
      this.touched = true;
      const count = Math.min(Math.max(1, value(params, 0, 1)), MAX_STACK + 1);
      for (let i = 0; i < count; i++) this.flags = this.stack.pop() ?? 0;
      return true;
    });
    parser.registerCsiHandler({ prefix: '=', final: 'u' }, (params) => {
      this.touched = true;
      const flags = value(params, 0, 0);
      const mode = value(params, 1, 1);
      if (mode === 2) this.flags |= flags;
      else if (mode === 3) this.flags &= ~flags;
      else this.flags = flags;
      return true;
    });
    parser.registerCsiHandler({ prefix: '>', final: 'm' }, (params) => {
      this.touched = true;
      if (params[0] === 4) this.otherKeys = value(params, 1, 0);
      return true;
    });
    parser.registerEscHandler({ final: 'c' }, () => {
      this.flags = 0;
      this.stack = [];
      this.otherKeys = 0;
      return false;
    });
  }

  /** Brings another terminal's keyboard to this state, whatever its was. Empty for a program that never asked. */
  sequence(): string {
    if (!this.touched) return '';
    const [first, ...rest] = [...this.stack, this.flags];
    return `${this.resetSequence()}${ESC}[=${first};1u${rest.map((flags) => `${ESC}[>${flags}u`).join('')}${ESC}[>4;${this.otherKeys}m`;
  }

  resetSequence(): string {
    return this.touched ? `${ESC}[<${MAX_STACK + 1}u${ESC}[=0;1u${ESC}[>4;0m` : '';
  }
}

function value(params: (number | number[])[], index: number, absent: number): number {
  const found = params[index];
  return typeof found === 'number' ? found : absent;
}
