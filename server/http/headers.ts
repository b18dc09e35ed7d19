import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';

export function newNonce(): string {
  return randomBytes(18).toString('base64');
}

/** The policy of a page. `host` is the one that the browser asked: its socket is ours, no other. */
export function pagePolicy(nonce: string, host: string): string {
  return [
    "default-src 'none'",
    // WebAssembly decodes inline images in terminals.
    `script-src 'self' 'nonce-${nonce}' 'wasm-unsafe-eval'`,
    // xterm.js and React Flow set style attributes.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self' ws://${host}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    "frame-src 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
    "form-action 'self'",
  ].join('; ');
}

const always: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'SAMEORIGIN',
  'Origin-Agent-Cluster': '?1',
  'Permissions-Policy':
    'clipboard-read=(self), clipboard-write=(self), camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), payment=(), serial=(), usb=(), hid=()',
  'Cache-Control': 'no-store',
};

/** On every answer, refusals too. A page replaces the policy by its own. */
export function setSafeHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(always)) response.setHeader(name, value);
}
