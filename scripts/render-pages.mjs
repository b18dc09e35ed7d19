// Renders the pages of a build once, for each language: node scripts/render-pages.mjs <folder of the build>
//
// A page differs from answer to answer in nothing but the nonce of its scripts. So Next renders it while the pages are
// built, with a mark where the nonce belongs (schemas/pages.ts), and a start of the server does not wait for Next.
import { EventEmitter } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const [dir] = process.argv.slice(2);
if (!dir) {
  console.error('Say which build to render: node scripts/render-pages.mjs dist/pages/<name>');
  process.exit(2);
}
const { ICON, ICON_FILE, LANGUAGES, NONCE_MARK, PAGES, renderedFile } = await importTypeScript('schemas/pages.ts');

Object.assign(process.env, { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' });
const manifest = JSON.parse(readFileSync(path.join(root, dir, 'required-server-files.json'), 'utf8'));
process.env.__NEXT_PRIVATE_STANDALONE_CONFIG = JSON.stringify(manifest.config);
const { default: next } = await import('next');
// Next adds an upgrade listener to the server that it is given.
const app = next({ dev: false, dir: root, quiet: true, httpServer: new EventEmitter() });
await app.prepare();
const handle = app.getRequestHandler();
const server = createServer((request, response) => {
  // Next takes the nonce for its scripts from here.
  request.headers['content-security-policy'] = `script-src 'nonce-${NONCE_MARK}'`;
  void handle(request, response);
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const address = `http://127.0.0.1:${server.address().port}`;
for (const page of PAGES) {
  for (const language of LANGUAGES) {
    const answer = await fetch(`${address}${page}`, {
      headers: { 'Accept-Language': language },
    });
    const html = await answer.text();
    const scripts = html.match(/<script\b[^>]*>/g) ?? [];
    const bare = scripts.filter((script) => !script.includes(`nonce="${NONCE_MARK}"`));
    if (answer.status !== 200 || scripts.length === 0 || bare.length > 0)
      throw new Error(`${page} could not be rendered: status ${answer.status}, scripts without a nonce: ${bare}`);
    const file = path.join(root, dir, renderedFile(page, language));
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, page === '/' ? withLate(html) : html);
  }
}
const icon = await fetch(`${address}${ICON}`);
if (!icon.ok) throw new Error(`${ICON} could not be had: status ${icon.status}`);
writeFileSync(path.join(root, dir, ICON_FILE), Buffer.from(await icon.arrayBuffer()));
process.exit(0);

/** The canvas is loaded by a script of its page: said in the page itself, what it needs comes along with that script. */
function withLate(html) {
  const named = (text, pattern) => [...text.matchAll(pattern)].map(([, file]) => file);
  const early = new Set(named(html, /\/_next\/(static\/chunks\/[\w~-]+\.(?:js|css))/g));
  const late = new Set(
    [...early]
      .filter((file) => file.endsWith('.js'))
      .flatMap((file) =>
        named(readFileSync(path.join(root, dir, file), 'utf8'), /(static\/chunks\/[\w~-]+\.(?:js|css))/g),
      )
      .filter((file) => !early.has(file)),
  );
  const links = [...late].map(
    (file) =>
      `<link rel="preload" as="${file.endsWith('.css') ? 'style' : 'script'}" nonce="${NONCE_MARK}" href="/_next/${file}">`,
  );
  return html.replace('</head>', `${links.join('')}</head>`);
}

async function importTypeScript(file) {
  const { transform } = await import('esbuild');
  const { code } = await transform(readFileSync(path.join(root, file), 'utf8'), { loader: 'ts', format: 'esm' });
  return import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`);
}
