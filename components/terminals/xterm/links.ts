import { WebLinksAddon } from '@xterm/addon-web-links';
import type { IDisposable, Terminal } from '@xterm/xterm';
import { LinkBound, LinkLimits } from '../../../schemas/kept-links';
import { closeHyperlink, keptLinks } from './xterm-internals';

/** What may be opened from a terminal. Everything else is text. */
const SCHEMES = new Set(['http:', 'https:', 'mailto:']);

/** The address that a link of a terminal leads to, as it will be opened and shown; null when it must stay text. */
export function linkTarget(uri: string): string | null {
  // Control characters (C0, DEL, C1), line separators and marks that change the reading direction hide what is meant.
  if (uri.length > LinkLimits.maxLength || /[\x00-\x20\x7f-\x9f\u2028-\u202e\u2066-\u2069]/.test(uri)) return null;
  try {
    const url = new URL(uri);
    return SCHEMES.has(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/**
 * Links that programs mark (OSC 8) and addresses in plain text. They open with Ctrl or Cmd and a click; `onTarget` is
 * told what is under the pointer.
 */
export function installLinks(term: Terminal, onTarget: (target: string | null) => void): IDisposable {
  const open = (event: MouseEvent, uri: string) => {
    const target = linkTarget(uri);
    if (!target || !(event.ctrlKey || event.metaKey)) return;
    window.open(target, '_blank', 'noopener,noreferrer');
  };
  const hover = (_event: MouseEvent, uri: string) => onTarget(linkTarget(uri));
  const leave = () => onTarget(null);

  // A refused link ends the one before it and marks nothing.
  const links = keptLinks(term);
  const bound = links && new LinkBound(links);
  const guard = term.parser.registerOscHandler(8, (data) => {
    const uri = data.slice(data.indexOf(';') + 1);
    if (uri === '') return false;
    if (linkTarget(uri)) {
      bound?.adding(uri);
      return false;
    }
    closeHyperlink(term);
    return true;
  });
  term.options.linkHandler = { activate: open, hover, leave, allowNonHttpProtocols: true };
  const addon = new WebLinksAddon(open, { hover, leave });
  term.loadAddon(addon);
  return {
    dispose: () => {
      guard.dispose();
      term.options.linkHandler = null;
    },
  };
}
