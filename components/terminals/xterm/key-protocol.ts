import type { IDisposable, Terminal } from '@xterm/xterm';

/** Deepest stack of the protocol; a program that pushes without end loses its oldest. */
const MAX_STACK = 32;

/**
 * Whether the program asked for keys that can be told apart: kitty's keyboard protocol (CSI > u, CSI = u) or xterm's
 * modifyOtherKeys (CSI > 4 ; n m). A plain shell never does, so nothing strange is ever typed into one.
 */
export class KeyProtocol implements IDisposable {
  private flags = 0;
  private stack: number[] = [];
  private otherKeys = 0;
  private readonly handlers: IDisposable[];

  constructor(term: Terminal) {
    const { parser } = term;
    this.handlers = [
      parser.registerCsiHandler({ prefix: '>', final: 'u' }, (params) => {
        this.stack.push(this.flags);
        if (this.stack.length > MAX_STACK) this.stack.shift();
        this.flags = first(params, 0);
        return true;
      }),
      parser.registerCsiHandler({ prefix: '<', final: 'u' }, (params) => {
        for (let i = Math.min(Math.max(1, first(params, 1)), MAX_STACK + 1); i > 0; i--)
          this.flags = this.stack.pop() ?? 0;
        return true;
      }),
      parser.registerCsiHandler({ prefix: '=', final: 'u' }, (params) => {
        const [flags, mode] = [first(params, 0), Number(params[1] ?? 1)];
        if (mode === 2) this.flags |= flags;
        else if (mode === 3) this.flags &= ~flags;
        else this.flags = flags;
        return true;
      }),
      parser.registerCsiHandler({ prefix: '>', final: 'm' }, (params) => {
        if (params[0] === 4) this.otherKeys = Number(params[1] ?? 0);
        return true;
      }),
      parser.registerEscHandler({ final: 'c' }, () => {
        this.flags = 0;
        this.stack = [];
        this.otherKeys = 0;
        return false;
      }),
    ];
  }

  get distinctKeys(): boolean {
    return (this.flags & 1) === 1 || this.otherKeys > 0;
  }

  dispose(): void {
    for (const handler of this.handlers) handler.dispose();
  }
}

function first(params: (number | number[])[], absent: number): number {
  const value = params[0];
  return typeof value === 'number' ? value : absent;
}
