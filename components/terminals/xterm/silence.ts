import type { IDisposable, Terminal } from '@xterm/xterm';

const swallow = () => true;
/** A colour query has a lone "?" as a value; setting a colour does not. */
const isQuery = (data: string) => /(^|;)\?/.test(data);

/**
 * Keeps this terminal from answering what a program asks: the pty host answers, once, however many viewers there are
 * (and a viewer that skips output never sees the question). Load it after every addon that answers.
 */
export function silenceQueries(term: Terminal): IDisposable {
  const { parser } = term;
  const silenced = [
    // Device attributes; status and cursor position; modes; version; window reports; graphics attributes.
    parser.registerCsiHandler({ final: 'c' }, swallow),
    parser.registerCsiHandler({ prefix: '>', final: 'c' }, swallow),
    parser.registerCsiHandler({ prefix: '=', final: 'c' }, swallow),
    parser.registerCsiHandler({ final: 'n' }, swallow),
    parser.registerCsiHandler({ prefix: '?', final: 'n' }, swallow),
    parser.registerCsiHandler({ intermediates: '$', final: 'p' }, swallow),
    parser.registerCsiHandler({ prefix: '?', intermediates: '$', final: 'p' }, swallow),
    parser.registerCsiHandler({ prefix: '>', final: 'q' }, swallow),
    parser.registerCsiHandler({ final: 't' }, swallow),
    parser.registerCsiHandler({ prefix: '?', final: 'S' }, swallow),
    parser.registerDcsHandler({ intermediates: '$', final: 'q' }, swallow),
    parser.registerDcsHandler({ intermediates: '+', final: 'q' }, swallow),
    ...[4, 10, 11, 12].map((code) => parser.registerOscHandler(code, isQuery)),
    // The clipboard is the tab's business, after a question; never the emulator's.
    parser.registerOscHandler(52, swallow),
  ];
  return { dispose: () => silenced.forEach((handler) => void handler.dispose()) };
}
