// Names alone, for a page that must stay small.

/** The header that carries the key of a signed-in browser; the cookie alone never suffices. */
export const KEY_HEADER = 'x-tessera-key';
/** Where the page keeps it, in the app origin's localStorage. */
export const KEY_STORAGE = 'tessera.key';
/** The header that every upload carries, so that a form cannot send one. */
export const UPLOAD_HEADER = 'x-tessera-upload';
