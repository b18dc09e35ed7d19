/** How deep arguments may nest; ours need five levels. */
export const MAX_DEPTH = 24;
/** Names that reach into prototypes when an object is copied carelessly. */
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Says what is wrong with data that came from outside, before its shape is looked at: too deep, or with a key that
 * reaches into prototypes. Bytes are leaves. Null: nothing.
 */
export function plainDataProblem(value: unknown, depth = 0, at = ''): string | null {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return null;
  if (depth >= MAX_DEPTH) return `${at || 'it'} is nested more than ${MAX_DEPTH} deep`;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const problem = plainDataProblem(value[index], depth + 1, `${at}/${index}`);
      if (problem) return problem;
    }
    return null;
  }
  for (const key of Object.keys(value)) {
    if (forbiddenKeys.has(key)) return `${at}/${key} is a key that is never accepted`;
    const problem = plainDataProblem((value as Record<string, unknown>)[key], depth + 1, `${at}/${key}`);
    if (problem) return problem;
  }
  return null;
}
