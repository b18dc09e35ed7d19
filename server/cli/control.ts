import { Type } from '@sinclair/typebox';
import { AbsolutePath } from '../../schemas/ids';
import { Closed } from '../../schemas/result';
import { type Access, jsonRoute, type Route } from '../http';

/** What the command line asks the server; the answers of /api/control/*. */
export interface ControlReplies {
  'login-link': { url: string; expiresAt: number };
  /** A file for the browser to open, see writeRedirectFile. */
  'redirect-file': { file: string };
  'open-project': { projectId: string };
  /** `routes` is the router's own table: the proof that none of them is open walks along it. */
  status: {
    version: string;
    pid: number;
    startedAt: number;
    tabs: number;
    sessions: number;
    ptyHost: string;
    routes: { method: string; path: string; access: Access; kind: Route['kind'] }[];
  };
  stop: { stopping: true };
}
export type ControlName = keyof ControlReplies;

const nothing = Closed({});
export const controlRequests = {
  'login-link': nothing,
  'redirect-file': nothing,
  'open-project': Closed({ folder: AbsolutePath }),
  status: nothing,
  stop: Closed({ endSessions: Type.Boolean() }),
} as const;

export type ControlHandlers = {
  [N in ControlName]: (body: (typeof controlRequests)[N]['static']) => ControlReplies[N] | Promise<ControlReplies[N]>;
};

const MAX_BYTES = 8 * 1024;

/** Routes for programs of the same person, with the bearer of run/instance.json. */
export function controlRoutes(handlers: ControlHandlers): Route[] {
  return (Object.keys(controlRequests) as ControlName[]).map((name) =>
    jsonRoute({
      path: `/api/control/${name}`,
      access: 'control',
      schema: controlRequests[name],
      maxBytes: MAX_BYTES,
      run: async (_call, body) => ({ body: await handlers[name](body as never) }),
    }),
  );
}
