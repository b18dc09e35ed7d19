/** "/home/ann/co" is looked up as folders of /home/ann that begin with "co". Nothing for what is no whole path. */
export function splitPath(typed: string, home: string): { folder: string; prefix: string } | undefined {
  const path = typed === '~' ? `${home}/` : typed.startsWith('~/') ? home + typed.slice(1) : typed;
  const at = path.lastIndexOf('/');
  if (at < 0 || !path.startsWith('/')) return undefined;
  return { folder: at === 0 ? '/' : path.slice(0, at), prefix: path.slice(at + 1) };
}
