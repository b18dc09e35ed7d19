import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ICON, ICON_FILE, LANGUAGES, NONCE_MARK, PAGES, preferredLanguage, renderedFile } from '../../schemas/pages';
import { FailureError } from '../../schemas/result';
import { ENTER_PAGE, openEnterPage } from './enter-page';
import { newNonce, pagePolicy } from './headers';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
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

/** The pages, which Next rendered when they were built, the one that follows the link of a start, and what they load. */
export interface Pages {
  /** Sends a page with a policy and a nonce of its own. `status` other than 200 for pages that say what is wrong. */
  render(request: IncomingMessage, response: ServerResponse, page: string, host: string, status?: number): void;
  hasFile(address: string): boolean;
  sendFile(request: IncomingMessage, response: ServerResponse, address: string): Promise<void>;
}

/** Finds the build that dist/pages/current.json names. `root` is the folder that holds dist/. */
export function openPages(root: string): Pages {
  const pointer = path.join(root, 'dist/pages/current.json');
  if (!existsSync(pointer)) throw notBuilt();
  const { dir } = JSON.parse(readFileSync(pointer, 'utf8')) as { dir: string };
  const files = listFiles(path.join(root, dir, 'static'));
  const rendered = readRendered(path.join(root, dir));
  const enterPage = openEnterPage(root, assetsOf(rendered.get(renderedFile('/', 'en')) ?? ''));
  const icon = readFileSync(path.join(root, dir, ICON_FILE));

  return {
    render(request, response, page, host, status = 200) {
      if (page === ICON) {
        response.setHeader('Content-Type', types['.svg'] as string);
        response.end(request.method === 'HEAD' ? undefined : icon);
        return;
      }
      const nonce = newNonce();
      const language = preferredLanguage(request.headers['accept-language']);
      const html = page === ENTER_PAGE ? enterPage(nonce) : rendered.get(renderedFile(page, language));
      if (html === undefined) throw new Error(`no such page: ${page}`);
      response.statusCode = status;
      response.setHeader('Content-Security-Policy', pagePolicy(nonce, host));
      response.setHeader('Content-Type', types['.html'] as string);
      response.setHeader('Vary', 'Accept-Language');
      response.end(request.method === 'HEAD' ? undefined : html.replaceAll(NONCE_MARK, nonce));
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

/** By the names of their files. */
function readRendered(folder: string): Map<string, string> {
  const pages = new Map<string, string>();
  for (const page of PAGES) {
    for (const language of LANGUAGES) {
      const name = renderedFile(page, language);
      const file = path.join(folder, name);
      if (!existsSync(file)) throw notBuilt();
      pages.set(name, readFileSync(file, 'utf8'));
    }
  }
  return pages;
}

/** The scripts and styles that a rendered page loads, but for those that only old browsers take. */
function assetsOf(html: string): string[] {
  const tags = (html.match(/<(?:script|link)\b[^>]*>/g) ?? []).filter((tag) => !/nomodule/i.test(tag));
  const addresses = tags.map((tag) => /(?:src|href)="([^"?]+\.(?:js|css))"/.exec(tag)?.[1]);
  return [...new Set(addresses.filter((address) => address !== undefined))];
}

const notBuilt = () =>
  new FailureError('not-built', 'The pages are not built yet: run "npm start", or "npm run build" first.');
