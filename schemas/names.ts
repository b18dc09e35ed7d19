/** Names of terminals, canvases and regions, as a person gives them. Stored ones may be from before these rules. */
export const NameLimits = {
  /** UTF-16 units. */
  maxLength: 80,
  /** Something can be seen of it, and it is one line. */
  pattern: '^(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$',
} as const;

/** What a person typed or pasted as a name, in one line; empty when nothing of it could be seen. */
export function asName(text: string): string {
  const line = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim();
  // What has no width is no name either.
  return /[^\s\u200b-\u200f\u2060\ufeff]/.test(line) ? line.slice(0, NameLimits.maxLength).trimEnd() : '';
}
