import { Type } from '@sinclair/typebox';

/** Names of terminals, canvases and regions, as a person gives them. Stored ones may be from before these rules. */
const NameLimits = {
  /** UTF-16 units. */
  maxLength: 80,
} as const;

/** What ends a line or rings a bell. */
const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029';
/** Blanks, marks without width, and letters that are drawn as nothing. */
const UNSEEN = '\\p{Z}\\p{Cc}\\p{Cf}\\u115f\\u1160\\u2800\\u3164\\uffa0';
const controls = new RegExp(`[${CONTROL}]+`, 'gu');
const seen = new RegExp(`[^${UNSEEN}]`, 'u');

/** Something can be seen of it, and it is one line. */
export const GivenName = Type.String({
  minLength: 1,
  maxLength: NameLimits.maxLength,
  pattern: `^(?=.*[^${UNSEEN}])[^${CONTROL}]*$`,
});

/** What a person typed or pasted as a name, in one line; empty when nothing of it could be seen. */
export function asName(text: string): string {
  const line = text.replace(controls, ' ').trim().slice(0, NameLimits.maxLength);
  // Not half of a letter that is written in two units.
  return seen.test(line) ? line.replace(/[\ud800-\udbff]$/, '').trimEnd() : '';
}
