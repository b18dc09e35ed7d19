const START = '\x1b[200~';
export const PASTE_END = '\x1b[201~';

/** Both forms of the end marker: 7-bit CSI and the single C1 character. */
const END_MARKERS = /(?:\x1b\[|\x9b)201~/g;

/**
 * What a paste sends: line ends become Enter. In bracketed mode the text is wrapped in markers, and no end marker is
 * left inside it, also none that appears only when another one is taken out.
 */
export function pasteText(text: string, bracketed: boolean): string {
  const body = text.replace(/\r?\n/g, '\r');
  if (!bracketed) return body;
  return START + withoutEndMarkers(body) + PASTE_END;
}

function withoutEndMarkers(text: string): string {
  let before = text;
  for (;;) {
    const after = before.replace(END_MARKERS, '');
    if (after === before) return after;
    before = after;
  }
}
