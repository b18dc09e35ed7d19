import { EventEmitter } from 'node:events';
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { format } from 'node:util';
import type { Logger } from 'pino';
import { FailureError } from '../../schemas/result';
import { ENTER_PAGE, openEnterPage } from './enter-page';
import { newNonce, pagePolicy } from './headers';

/** All that Next is told of a request: nothing that carries a secret, nothing that it treats as its own. */
const passedOn = ['host', 'user-agent', 'accept', 'accept-language'] as const;

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
};

/** The addresses below which the files of the build lie. */
export const FILES_PREFIX = '/_next/static/';

/** The pages, rendered by Next but for the one that follows the link of a start, and the files that they load. */
export interface Pages {
  /**
   * Loads the renderer, which takes longer than all else of a start, and lets it render once, as the first time is slow
   * too. A page that is asked for before waits for it. `host` is where this server listens.
   */
  load(host: string): Promise<void>;
  /** Renders a page with a policy and a nonce of its own. `status` other than 200 for pages that say what is wrong. */
  render(
    request: IncomingMessage,
    response: ServerResponse,
    page: string,
    host: string,
    status?: number,
  ): Promise<void>;
  hasFile(address: string): boolean;
  sendFile(request: IncomingMessage, response: ServerResponse, address: string): Promise<void>;
  close(): Promise<void>;
}

/** Finds the build that dist/pages/current.json names. `root` is the folder that holds dist/ and node_modules/. */
export async function openPages(root: string, log: Logger): Promise<Pages> {
  const pointer = path.join(root, 'dist/pages/current.json');
  if (!existsSync(pointer)) {
    throw new FailureError('not-built', 'The pages are not built yet: run "npm start", or "npm run build" first.');
  }
  const { dir } = JSON.parse(readFileSync(pointer, 'utf8')) as { dir: string };
  const enterPage = openEnterPage(root);
  const files = listFiles(path.join(root, dir, 'static'));
  let starting: ReturnType<typeof startNext> | undefined;
  const started = () => {
    starting ??= startNext(root, dir, log);
    return starting;
  };

  return {
    async load(host) {
      await started();
      try {
        await (await fetch(`http://${host}/login`)).arrayBuffer();
      } catch (error) {
        log.debug({ err: error }, 'the first rendering failed');
      }
    },
    async render(request, response, page, host, status = 200) {
      const nonce = newNonce();
      const policy = pagePolicy(nonce, host);
      response.statusCode = status;
      response.setHeader('Content-Security-Policy', policy);
      if (page === ENTER_PAGE) {
        response.setHeader('Content-Type', 'text/html; charset=utf-8');
        response.end(request.method === 'HEAD' ? undefined : enterPage(nonce));
        return;
      }
      const headers: IncomingHttpHeaders = {};
      for (const name of passedOn) {
        const value = request.headers[name];
        if (value !== undefined) headers[name] = value;
      }
      // Next reads the nonce for its scripts from here.
      headers['content-security-policy'] = policy;
      request.headers = headers;
      request.url = page;
      const { handle } = await started();
      await handle(request, response);
    },
    hasFile: (address) => files.has(address),
    async sendFile(request, response, address) {
      const file = files.get(address);
      if (!file) throw new Error(`no such file: ${address}`);
      response.statusCode = 200;
      response.setHeader('Content-Type', types[path.extname(file)] ?? 'application/octet-stream');
      // Their names change with their content.
      response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
      if (request.method === 'HEAD') response.end();
      else await pipeline(createReadStream(file), response);
    },
    async close() {
      await (await starting)?.close();
    },
  };
}

function listFiles(folder: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    files.set(FILES_PREFIX + path.relative(folder, file).split(path.sep).map(encodeURIComponent).join('/'), file);
  }
  return files;
}

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

async function startNext(
  root: string,
  dir: string,
  log: Logger,
): Promise<{ handle: Handle; close: () => Promise<void> }> {
  // Next reads both at its start; shells get the environment that was saved before.
  Object.assign(process.env, { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' });
  const manifest = JSON.parse(readFileSync(path.join(root, dir, 'required-server-files.json'), 'utf8')) as {
    config: object;
  };
  process.env.__NEXT_PRIVATE_STANDALONE_CONFIG = JSON.stringify(manifest.config);
  // Next speaks on the console; stdout has one line, and it is ours.
  console.log = console.info = (...words: unknown[]) => log.debug(format(...words));
  console.warn = (...words: unknown[]) => log.warn(format(...words));
  console.error = (...words: unknown[]) => log.error(format(...words));
  const { default: next } = await import('next');
  const app = next({
    dev: false,
    dir: root,
    quiet: true,
    // Next adds an upgrade listener to the server that it is given: this one never upgrades anything.
    httpServer: new EventEmitter() as unknown as Server,
  });
  await app.prepare();
  delete process.env.__NEXT_PRIVATE_STANDALONE_CONFIG;
  const handle = app.getRequestHandler();
  return { handle: (request, response) => handle(request, response), close: () => app.close() };
}
