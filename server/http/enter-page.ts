import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ICON } from '../../schemas/pages';
import { FailureError } from '../../schemas/result';

/** The address of the page that follows the login link of a start. */
export const ENTER_PAGE = '/enter';

/**
 * The smallest page that can sign a browser in. A person waits for it at every start; meanwhile it fetches what the page
 * after it needs: the addresses in `next`. `root` is the folder that holds dist/. Answers with what makes the page for a
 * nonce.
 */
export function openEnterPage(root: string, next: readonly string[]): (nonce: string) => string {
  let script: string;
  try {
    script = readFileSync(path.join(root, 'dist/enter/enter.js'), 'utf8');
  } catch {
    throw new FailureError('not-built', 'The pages are not built yet: run "npm start", or "npm run build" first.');
  }
  const preloads = next
    .map((address) => `<link rel="preload" as="${address.endsWith('.css') ? 'style' : 'script'}" href="${address}">`)
    .join('');
  return (nonce) =>
    `<!doctype html><html><head><meta charset="utf-8"><meta name="referrer" content="no-referrer"><link rel="icon" href="${ICON}"><title>Tessera</title>${preloads}<style>:root{color-scheme:light dark}</style></head><body><script nonce="${nonce}">${script}</script></body></html>`;
}
