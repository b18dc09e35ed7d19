import type { Mirror } from './mirror';
import { hasDefaultTabs } from './modes';

const ESC = '\x1b';

/**
 * Puts a screen that an ended program left behind in order for the next one: out of the alternate screen, every mode
 * at its default, the cursor visible on a fresh line below the text. What was printed stays.
 */
export function resetSequence(mirror: Mirror): string {
  const { core, terminal } = mirror;
  const { buffers } = core._bufferService;
  // Ends a sequence that the program did not finish.
  let text = core._inputHandler._parser.currentState === 0 ? '' : '\x18';
  if (buffers.active === buffers.alt) text += `${ESC}[?1049l`;
  // DECSTR: pen, margins, origin, insert, charsets and private modes, without moving the cursor.
  text += `${ESC}[!p${ESC}]8;;${ESC}\\${ESC}[m${ESC}(B${ESC})B${ESC}*B${ESC}+B\x0f`;
  text += `${ESC}[?1l${ESC}>${ESC}[?7h${ESC}[?25h${ESC}[?45l${ESC}[4l${ESC}[20l${ESC}[0 q${mirror.blinkChosen ? `${ESC}[?12l` : ''}`;
  text += `${ESC}[?9l${ESC}[?1000l${ESC}[?1002l${ESC}[?1003l${ESC}[?1006l${ESC}[?1016l${ESC}[?1004l${ESC}[?2004l${ESC}[?2026l`;
  text += `${ESC}]104${ESC}\\${ESC}]110${ESC}\\${ESC}]111${ESC}\\${ESC}]112${ESC}\\`;
  text += mirror.keys.resetSequence();
  const buffer = buffers.normal;
  if (!hasDefaultTabs(buffer.tabs, terminal.cols)) {
    text += `${ESC}[3g`;
    for (let stop = 0; stop < terminal.cols; stop += 8) text += `${ESC}[${stop + 1}G${ESC}H`;
  }
  let last = terminal.rows - 1;
  while (last >= 0 && !buffer.lines.get(buffer.ybase + last)?.translateToString(true)) last--;
  return `${text}${ESC}[${Math.max(last, 0) + 1};1H${last >= 0 ? '\r\n' : ''}`;
}
