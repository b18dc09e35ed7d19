/** A path as a shell reads it back unchanged (sh, bash, zsh, fish); one with control characters as bash and zsh do. */
export function quotePath(path: string): string {
  if (/^[\p{L}\p{N}_/.+,:@%=-]+$/u.test(path) && !path.startsWith('-')) return path;
  if (/[\x00-\x1f\x7f]/.test(path)) {
    const escaped = path.replace(/[\\']/g, '\\$&').replace(/[\x00-\x1f\x7f]/g, (char) => {
      return `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
    });
    return `$'${escaped}'`;
  }
  return `'${path.replaceAll("'", "'\\''")}'`;
}
