import type { IncomingMessage, ServerResponse } from 'node:http';
import { nanoid } from 'nanoid';
import type { Logger } from 'pino';
import { KEY_HEADER, UPLOAD_HEADER } from '../../schemas/auth';
import type { Failure } from '../../schemas/result';
import { FailureError } from '../../schemas/result';
import { boundedBody, readJson } from './body';
import { HttpError } from './errors';
import { setSafeHeaders } from './headers';
import type { Pages } from './pages';
import type { ListenerPolicy, Verdict } from './policy';
import { type Access, type Answer, type Call, type Caller, type Match, methodOf, type RouteTable } from './routes';

/** Says who a request is of. Synchronous on purpose: there is no promise that could be taken for a yes. */
export interface Gatekeeper {
  byCookie(cookie: string | undefined): Caller | null;
  byCookieAndKey(cookie: string | undefined, key: string | undefined): Caller | null;
  isControl(authorization: string | undefined): boolean;
  /** A fresh Set-Cookie when the browser's would run out sooner than its session. */
  renewCookie(caller: Caller): string | null;
}

export interface HandlerParts {
  policy: ListenerPolicy;
  table: RouteTable;
  gatekeeper: Gatekeeper;
  pages: Pages;
  log: Logger;
}

/** Pages that only the server shows; nobody can ask for them by address. */
const NOT_FOUND_PAGE = '/nothing-here';
const ELSEWHERE_PAGE = '/from-elsewhere';

type Allowed = Extract<Verdict, { ok: true }>;

/** Answers every request of the app listener: policy, then who asks, then the route. */
export class RequestHandler {
  constructor(private readonly parts: HandlerParts) {}

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    setSafeHeaders(response);
    try {
      await this.answer(request, response);
    } catch (error) {
      this.fail(request, response, error);
    }
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { policy, table, pages } = this.parts;
    const verdict = policy.judge(request);
    if (!verdict.ok) {
      if (!verdict.elsewhere) throw new HttpError(verdict.status, verdict.code, verdict.message);
      return pages.render(request, response, ELSEWHERE_PAGE, request.headers.host ?? '', verdict.status);
    }
    const here = table.at(verdict.path).filter(({ route }) => route.kind !== 'files' || pages.hasFile(verdict.path));
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const match = here.find(({ route }) => methodOf(route) === method);
    if (!match) return this.nothingHere(request, response, verdict, here);

    const { route } = match;
    if (route.kind === 'json') requireType(request, 'application/json');
    if (route.kind === 'bytes') {
      requireType(request, 'application/octet-stream');
      if (request.headers[UPLOAD_HEADER] !== '1')
        throw new HttpError(415, 'unsupported-type', `The header ${UPLOAD_HEADER} is missing.`);
    }
    const caller = this.admit(request, route.access);
    if (caller === 'refused') return this.signInFirst(response, verdict);

    switch (route.kind) {
      case 'files':
        return pages.sendFile(request, response, verdict.path);
      case 'page': {
        const cookie = caller && this.parts.gatekeeper.renewCookie(caller);
        if (cookie) response.setHeader('Set-Cookie', cookie);
        return pages.render(request, response, route.path, verdict.host);
      }
      case 'read':
        return send(response, await route.run(callOf(request, verdict, match, caller)));
      case 'json': {
        const body = await readJson(request, route.schema, route.maxBytes);
        return send(response, await route.run(callOf(request, verdict, match, caller), body));
      }
      case 'bytes': {
        const body = boundedBody(request, route.maxBytes);
        return send(response, await route.run(callOf(request, verdict, match, caller), body));
      }
    }
  }

  /** Who calls; null where nobody need be known. */
  private admit(request: IncomingMessage, access: Access): Caller | null | 'refused' {
    const { gatekeeper } = this.parts;
    const { cookie, authorization } = request.headers;
    switch (access) {
      case 'public':
        return null;
      case 'cookie':
        return gatekeeper.byCookie(cookie) ?? 'refused';
      case 'signed-in':
        return gatekeeper.byCookieAndKey(cookie, headerOf(request, KEY_HEADER)) ?? 'refused';
      case 'control': {
        // A browser says so in these; the command line has no reason to.
        const fromPage = request.headers.origin !== undefined || request.headers['sec-fetch-site'] !== undefined;
        return !fromPage && gatekeeper.isControl(authorization) ? null : 'refused';
      }
    }
  }

  private signInFirst(response: ServerResponse, verdict: Allowed): void {
    if (!verdict.navigation) throw new HttpError(401, 'unauthorized', 'Sign in first.');
    response.statusCode = 303;
    // A fixed place: no address of a request ever decides where a browser goes.
    response.setHeader('Location', '/login');
    response.end();
  }

  /** Without a session nobody learns which addresses exist. */
  private async nothingHere(
    request: IncomingMessage,
    response: ServerResponse,
    verdict: Allowed,
    here: Match[],
  ): Promise<void> {
    const caller = this.parts.gatekeeper.byCookie(request.headers.cookie);
    const open = here.some(({ route }) => route.access === 'public');
    if (!caller && !open) return this.signInFirst(response, verdict);
    if (here.length > 0) {
      response.setHeader(
        'Allow',
        here.map(({ route }) => (methodOf(route) === 'GET' ? 'GET, HEAD' : 'POST')).join(', '),
      );
      throw new HttpError(405, 'method-not-allowed', 'This method is not used here.');
    }
    if (!verdict.navigation) throw new HttpError(404, 'not-found', 'There is nothing at this address.');
    await this.parts.pages.render(request, response, NOT_FOUND_PAGE, verdict.host, 404);
  }

  private fail(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    const { log } = this.parts;
    let status = 500;
    let failure: Failure;
    if (error instanceof FailureError) {
      status = error instanceof HttpError ? error.status : 400;
      failure = error.toFailure();
    } else if (request.destroyed && !request.complete) {
      log.debug({ err: error }, 'the caller went away');
      response.destroy();
      return;
    } else {
      const id = nanoid(8);
      // Never its headers or its query: secrets travel there.
      log.error({ err: error, id, method: request.method, path: request.url?.split('?')[0] }, 'request failed');
      failure = {
        code: 'internal',
        message: `Something went wrong in the server; its log has it under ${id}.`,
        params: { id },
      };
    }
    if (response.headersSent) {
      response.destroy();
      return;
    }
    // What was not read of the body is not waited for.
    if (request.method === 'POST' && !request.complete) response.setHeader('Connection', 'close');
    send(response, { status, body: { error: failure } });
  }
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? undefined : value;
}

function requireType(request: IncomingMessage, wanted: string): void {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== wanted) throw new HttpError(415, 'unsupported-type', `Only ${wanted} is accepted here.`);
}

function callOf(request: IncomingMessage, verdict: Allowed, match: Match, caller: Caller | null): Call<Access> {
  return {
    params: match.params,
    query: verdict.query,
    origin: verdict.origin,
    userAgent: request.headers['user-agent'] ?? '',
    cookie: request.headers.cookie,
    caller: caller as Call<Access>['caller'],
  };
}

function send(response: ServerResponse, { status = 200, headers = {}, body }: Answer): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.end(JSON.stringify(body));
}
