/** The control character of a key: Ctrl with a letter or one of @ [ \ ] ^ _ ? and the space; nothing for others. */
export function ctrlOf(key: string): string | undefined {
  if (key.length !== 1) return undefined;
  if (key === ' ') return '\0';
  if (key === '?') return '\x7f';
  const code = key.toUpperCase().charCodeAt(0);
  return code >= 64 && code <= 95 ? String.fromCharCode(code - 64) : undefined;
}
