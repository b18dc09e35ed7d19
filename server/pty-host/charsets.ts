import { type Charset, createTerminal, internalsOf } from './xterm-internals';

/** Every final character that designates a charset in xterm.js. */
const FINALS = ['0', 'A', 'B', '4', 'C', '5', 'R', 'Q', 'K', 'Y', 'E', '6', 'Z', 'H', '7', '=', '>'];

let names: Map<object, string> | undefined;

/** The final character of the sequence that selects this table. The tables are shared by all terminals. */
export function charsetName(charset: Charset): string {
  if (!charset) return 'B';
  names ??= learnNames();
  return names.get(charset) ?? 'B';
}

function learnNames(): Map<object, string> {
  const terminal = createTerminal({ cols: 2, rows: 1, scrollback: 0 });
  const core = internalsOf(terminal);
  const found = new Map<object, string>();
  for (const final of FINALS) {
    core._inputHandler.parse(`\x1b(${final}`);
    const table = core._charsetService._charsets[0];
    if (table && !found.has(table)) found.set(table, final);
  }
  terminal.dispose();
  return found;
}
