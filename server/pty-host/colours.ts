import type { TerminalTheme } from '../../schemas/terminals';
import type { ColourRequest, Internals } from './xterm-internals';

type Rgb = readonly [number, number, number];

const ESC = '\x1b';
const SPECIAL = { 256: 10, 257: 11, 258: 12 } as const;

/** What a program is told before any page has said how it looks. */
export const defaultTheme: TerminalTheme = {
  foreground: '#d8dee9',
  background: '#1b1d22',
  cursor: '#d8dee9',
  ansi: [
    ...['#2e3436', '#cc0000', '#4e9a06', '#c4a000', '#3465a4', '#75507b', '#06989a', '#d3d7cf'],
    ...['#555753', '#ef2929', '#8ae234', '#fce94f', '#729fcf', '#ad7fa8', '#34e2e2', '#eeeeec'],
  ],
  cellWidth: 8,
  cellHeight: 17,
};

const hex = (text: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16)) as unknown as Rgb;

/** xterm's 6×6×6 cube and grey ramp. */
function palette256(index: number): Rgb {
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return [grey, grey, grey];
  }
  const level = (n: number): number => (n === 0 ? 0 : 55 + n * 40);
  const cube = index - 16;
  return [level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)];
}

const spec = (rgb: Rgb): string =>
  `rgb:${rgb.map((part) => `${part.toString(16).padStart(2, '0')}`.repeat(2)).join('/')}`;

/** The colours that a program changed (OSC 4, 10, 11, 12), and the answers to its questions about them. */
export class Colours {
  private changed = new Map<number, Rgb>();
  theme: TerminalTheme = defaultTheme;
  /** Grows with every change, so that a frame knows whether it has to tell. */
  revision = 0;

  constructor(core: Internals, answer: (reply: string) => void) {
    core._inputHandler.onColor((requests) => {
      for (const request of requests) {
        if (request.type === 0) answer(this.report(request.index ?? 0));
        else this.change(request);
      }
    });
  }

  private change(request: ColourRequest): void {
    this.revision++;
    if (request.type === 1 && request.index !== undefined && request.color) {
      this.changed.set(request.index, request.color);
    } else if (request.index !== undefined) this.changed.delete(request.index);
    else for (const index of [...this.changed.keys()]) if (index < 256) this.changed.delete(index);
  }

  private report(index: number): string {
    const code = SPECIAL[index as keyof typeof SPECIAL];
    return `${ESC}]${code ?? `4;${index}`};${spec(this.colourAt(index))}${ESC}\\`;
  }

  private colourAt(index: number): Rgb {
    const changed = this.changed.get(index);
    if (changed) return changed;
    if (index === 256) return hex(this.theme.foreground);
    if (index === 257) return hex(this.theme.background);
    if (index === 258) return hex(this.theme.cursor);
    return index < 16 ? hex(this.theme.ansi[index] ?? '#000000') : palette256(index);
  }

  /** Brings another terminal's colours to ours, whatever they were. */
  sequence(): string {
    let text = `${ESC}]104${ESC}\\${ESC}]110${ESC}\\${ESC}]111${ESC}\\${ESC}]112${ESC}\\`;
    for (const [index, rgb] of this.changed) {
      const code = SPECIAL[index as keyof typeof SPECIAL];
      text += `${ESC}]${code ?? `4;${index}`};${spec(rgb)}${ESC}\\`;
    }
    return text;
  }
}
