import { Type } from '@sinclair/typebox';

/** An id that we made ourselves: nanoid's alphabet, so that it is safe as a file name and in a selector. */
export const Id = Type.String({ pattern: '^[A-Za-z0-9_-]{6,40}$' });
export type Id = string;

/** Makes a repeated message harmless: the second one with the same id is answered, not done again. */
export const OpId = Id;

/** An absolute path on the server's machine; the kernel's own limit. */
export const AbsolutePath = Type.String({ pattern: '^/', maxLength: 4096 });
