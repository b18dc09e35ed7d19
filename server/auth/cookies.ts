import { AuthLimits } from '../../schemas/auth';

/** Cookies ignore ports: the name says of which server it is, so that two on one machine do not overwrite each other. */
export const cookieName = (port: number): string => `tessera-${port}`;

/** Values of a cookie that are looked at; another local server can add some under other paths. */
const MAX_VALUES = 4;

/** Every value that came under this name: a browser sends all, and another local server may have put one beside ours. */
export function readCookies(header: string | undefined, name: string): string[] {
  if (!header || header.length > 8192) return [];
  return header
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`))
    .map((part) => part.slice(name.length + 1))
    .slice(0, MAX_VALUES);
}

export function writeCookie(name: string, value: string): string {
  return `${name}=${value}; Path=/; Max-Age=${AuthLimits.sessionMs / 1000}; HttpOnly; SameSite=Strict`;
}
