import type { Readable } from 'node:stream';
import type { Static, TSchema } from '@sinclair/typebox';

/**
 * Who may call a route.
 * - `public`: any page of ours, signed in or not
 * - `cookie`: a document of a signed-in browser
 * - `signed-in`: a script of ours in a signed-in browser, cookie and key
 * - `control`: a program of the same person, with the bearer of run/instance.json
 */
export type Access = 'public' | 'cookie' | 'signed-in' | 'control';

/** A signed-in browser as far as this room is concerned. */
export interface Caller {
  readonly id: string;
}

export interface Call<A extends Access> {
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** Of this request, e.g. http://127.0.0.1:4000. */
  origin: string;
  userAgent: string;
  /** As it came; only sign-in looks at it, to renew the session of the same browser. */
  cookie: string | undefined;
  /** The signed-in browser: data, not a promise that somebody could forget to await. */
  caller: A extends 'signed-in' | 'cookie' ? Caller : null;
}

export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body: unknown;
}

interface Common<A extends Access> {
  /** Segments that start with ':' are parameters. */
  path: string;
  access: A;
}
export interface ReadRoute<A extends Access = Access> extends Common<A> {
  kind: 'read';
  run(call: Call<A>): Answer | Promise<Answer>;
}
export interface JsonRoute<A extends Access = Access, T extends TSchema = TSchema> extends Common<A> {
  kind: 'json';
  schema: T;
  maxBytes: number;
  run(call: Call<A>, body: Static<T>): Answer | Promise<Answer>;
}
export interface BytesRoute<A extends Access = Access> extends Common<A> {
  kind: 'bytes';
  maxBytes: number;
  /** `body` fails with `too-large` when more comes than allowed, whatever its length header said. */
  run(call: Call<A>, body: Readable): Answer | Promise<Answer>;
}
/** A page that Next renders, or its files below a prefix ("/_next/static/"). */
export interface PageRoute extends Common<'public' | 'cookie'> {
  kind: 'page' | 'files';
}
export type Route = ReadRoute | JsonRoute | BytesRoute | PageRoute;

// Each keeps the types of access and body together, then forgets them, so that a table can hold every route.
export const readRoute = <A extends Access>(route: Omit<ReadRoute<A>, 'kind'>): Route =>
  ({ ...route, kind: 'read' }) as unknown as Route;
export const jsonRoute = <A extends Access, T extends TSchema>(route: Omit<JsonRoute<A, T>, 'kind'>): Route =>
  ({ ...route, kind: 'json' }) as unknown as Route;
export const bytesRoute = <A extends Access>(route: Omit<BytesRoute<A>, 'kind'>): Route =>
  ({ ...route, kind: 'bytes' }) as unknown as Route;

export const methodOf = (route: Route): 'GET' | 'POST' =>
  route.kind === 'json' || route.kind === 'bytes' ? 'POST' : 'GET';

export interface Match {
  route: Route;
  params: Record<string, string>;
}

/** Every address that exists. What is not in the table is not answered. */
export class RouteTable {
  constructor(readonly routes: readonly Route[]) {}

  list(): { method: string; path: string; access: Access; kind: Route['kind'] }[] {
    return this.routes.map((route) => ({
      method: methodOf(route),
      path: route.path,
      access: route.access,
      kind: route.kind,
    }));
  }

  /** All routes at a path, whatever their method. */
  at(path: string): Match[] {
    return this.routes.flatMap((route) => {
      const params = matchPath(route, path);
      return params ? [{ route, params }] : [];
    });
  }
}

function matchPath(route: Route, path: string): Record<string, string> | null {
  if (route.kind === 'files') return path.startsWith(route.path) && path.length > route.path.length ? {} : null;
  const wanted = route.path.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const value = given[index]!;
    if (!segment.startsWith(':')) {
      if (segment !== value) return null;
    } else if (/^[A-Za-z0-9_-]{1,64}$/.test(value)) {
      params[segment.slice(1)] = value;
    } else {
      return null;
    }
  }
  return params;
}
