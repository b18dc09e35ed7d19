// Builds what changed: bundles by esbuild, the pages by Next. `node scripts/build.mjs [--force]`
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const dist = path.join(root, 'dist');
const stamps = path.join(dist, 'stamps');
const pages = path.join(dist, 'pages');
/** Builds of the pages that are kept: the current one, and the one that a running server may still serve. */
const KEPT_PAGE_BUILDS = 3;

/** A lock file without a number is nobody's after this time. */
const NAMELESS_LOCK_MS = 2000;

const tools = ['package-lock.json', 'tsconfig.json', 'scripts/build.mjs'];
const bundle = (name, external) => ({
  name,
  inputs: ['server', 'schemas', ...tools],
  output: () => path.join(dist, name, 'main.js'),
  build: () => buildBundle(name, external),
});
const targets = [
  bundle('server', { packages: 'external' }),
  bundle('cli', { packages: 'external' }),
  // It runs from a copy of itself in the data folder: only what is native stays outside.
  bundle('pty-host', { external: ['node-pty'] }),
  {
    name: 'shell-integration',
    inputs: ['server/terminals/shell-integration', 'scripts/build.mjs'],
    output: () => path.join(dist, 'shell-integration/bash.bash'),
    build: () => copyShellIntegration(),
  },
  {
    name: 'enter',
    inputs: ['components/login', 'schemas', ...tools],
    output: () => path.join(dist, 'enter/enter.js'),
    build: () => buildEnter(),
  },
  {
    name: 'pages',
    inputs: [
      'app',
      'components',
      'schemas',
      'messages',
      'next.config.ts',
      'postcss.config.mjs',
      'scripts/render-pages.mjs',
      ...tools,
    ],
    output: () => currentPages(),
    build: (digest) => buildPages(digest),
  },
];

const isTest = (name) => /\.(test|spec)\.tsx?$/.test(name);

function filesBelow(place) {
  const absolute = path.join(root, place);
  if (!existsSync(absolute)) return [];
  if (!statSync(absolute).isDirectory()) return [place];
  return readdirSync(absolute, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (isTest(entry.name) ? [] : filesBelow(path.join(place, entry.name))));
}

/** Time and size of every input: what changed without reading anything. Read ahead of a build, so that a change during it counts. */
function factsOf(inputs) {
  const facts = {};
  for (const file of inputs.flatMap(filesBelow)) {
    const stat = statSync(path.join(root, file));
    facts[file] = [stat.mtimeMs, stat.size];
  }
  return facts;
}

function digestOf(facts) {
  const hash = createHash('sha256');
  for (const file of Object.keys(facts)) {
    hash
      .update(file)
      .update('\0')
      .update(
        createHash('sha256')
          .update(readFileSync(path.join(root, file)))
          .digest(),
      );
  }
  return hash.digest('hex').slice(0, 16);
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return null;
    throw error;
  }
}

function writeJson(file, value) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, JSON.stringify(value));
  renameSync(`${file}.new`, file);
}

/** What has to be built, and why it was found out cheaply: times and sizes first, contents only where those differ. */
function staleness(target) {
  const stampFile = path.join(stamps, `${target.name}.json`);
  const stamp = readJson(stampFile);
  const facts = factsOf(target.inputs);
  const output = target.output();
  const there = output !== null && existsSync(output);
  if (there && stamp && JSON.stringify(stamp.facts) === JSON.stringify(facts)) return null;
  const digest = digestOf(facts);
  const fresh = { facts, digest };
  if (there && stamp?.digest === digest) {
    writeJson(stampFile, fresh);
    return null;
  }
  return { ...fresh, done: () => writeJson(stampFile, fresh) };
}

/** Shells read these when they start; each file is replaced whole, so that a shell that starts now reads one version. */
function copyShellIntegration() {
  const from = path.join(root, 'server/terminals/shell-integration');
  for (const file of readdirSync(from, { recursive: true })) {
    if (statSync(path.join(from, file)).isDirectory()) continue;
    const to = path.join(dist, 'shell-integration', file);
    mkdirSync(path.dirname(to), { recursive: true });
    copyFileSync(path.join(from, file), `${to}.new`);
    renameSync(`${to}.new`, to);
  }
}

/** The script of the page that follows the login link of a start; it stands in the page itself. */
async function buildEnter() {
  const { build } = await import('esbuild');
  await build({
    entryPoints: [path.join(root, 'components/login/enter.ts')],
    outfile: path.join(dist, 'enter/enter.js'),
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    logLevel: 'warning',
  });
}

async function buildBundle(name, options) {
  const entry = path.join(root, 'server', name === 'server' ? '' : name, 'main.ts');
  if (!existsSync(entry)) return;
  const { build } = await import('esbuild');
  await build({
    entryPoints: [entry],
    outfile: path.join(dist, name, 'main.js'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    logLevel: 'warning',
    // Some packages are CommonJS inside and ask for Node's own modules by require.
    banner: {
      js: "import { createRequire as nodeRequire } from 'node:module'; const require = nodeRequire(import.meta.url);",
    },
    define: { 'process.env.TESSERA_VERSION': JSON.stringify(readJson(path.join(root, 'package.json')).version) },
    ...options,
  });
}

const currentFile = path.join(pages, 'current.json');

function currentPages() {
  const current = readJson(currentFile);
  return current ? path.join(root, current.dir, 'BUILD_ID') : null;
}

/** Next builds into a folder of its own; a pointer says which is current, so that nothing is pulled from under a running server. */
async function buildPages(digest) {
  const dir = path.join('dist/pages', digest);
  if (!existsSync(path.join(root, dir, 'html'))) {
    rmSync(path.join(root, dir), { recursive: true, force: true });
    const tsconfig = path.join(pages, 'tsconfig.json');
    writeJson(tsconfig, { extends: '../../tsconfig.json', include: ['../../app/**/*.ts*'], exclude: [] });
    try {
      await run(['node_modules/next/dist/bin/next', 'build'], {
        NODE_ENV: 'production',
        NEXT_TELEMETRY_DISABLED: '1',
        TESSERA_PAGES_DIR: dir,
        TESSERA_PAGES_TSCONFIG: 'dist/pages/tsconfig.json',
      });
      await run(['scripts/render-pages.mjs', dir], {});
    } catch (error) {
      rmSync(path.join(root, dir), { recursive: true, force: true });
      throw error;
    }
    for (const left of ['cache', 'types', 'trace', 'trace-build', 'diagnostics']) {
      rmSync(path.join(root, dir, left), { recursive: true, force: true });
    }
  }
  writeJson(currentFile, { dir });
  dropOldPages(digest);
}

/** Runs a program of Node; throws with what it said. */
async function run([program, ...args], env) {
  const { spawn } = await import('node:child_process');
  const child = spawn(process.execPath, [path.join(root, program), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  const code = await new Promise((done) => child.on('close', done));
  if (code !== 0) throw new Error(`The pages could not be built:\n${said}`);
}

function dropOldPages(digest) {
  const builds = readdirSync(pages, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^[0-9a-f]{16}$/.test(entry.name) && entry.name !== digest)
    .map((entry) => ({ name: entry.name, at: statSync(path.join(pages, entry.name)).mtimeMs }))
    .sort((a, b) => b.at - a.at);
  for (const { name } of builds.slice(KEPT_PAGE_BUILDS - 1))
    rmSync(path.join(pages, name), { recursive: true, force: true });
}

/** One build at a time in a clone. A lock whose process is gone is nobody's. */
async function lock() {
  const file = path.join(dist, 'build.lock');
  mkdirSync(dist, { recursive: true });
  for (let said = false; ; ) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = Number(existsSync(file) ? readFileSync(file, 'utf8') : 0);
    // Without a number: of one that was killed before it wrote that down, or that is just doing so.
    const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (holder ? !isAlive(holder) : age > NAMELESS_LOCK_MS) rmSync(file, { force: true });
    else if (!said) {
      console.error(`Another build (process ${holder || '?'}) is running; waiting for it…`);
      said = true;
    }
    await new Promise((done) => setTimeout(done, 100));
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Builds what changed, or of it `only` these; resolves to the names of what was built. Throws with what the compiler said. */
export async function buildAll({ force = false, only, log = (text) => console.error(text) } = {}) {
  if (force) rmSync(stamps, { recursive: true, force: true });
  const wanted = targets.filter(({ name }) => !only || only.includes(name));
  if (wanted.every((target) => staleness(target) === null)) return [];
  const unlock = await lock();
  const built = [];
  try {
    for (const target of wanted) {
      const stale = staleness(target);
      if (!stale) continue;
      const began = performance.now();
      await target.build(stale.digest);
      stale.done();
      built.push(target.name);
      log(`built ${target.name} in ${((performance.now() - began) / 1000).toFixed(1)} s`);
    }
  } finally {
    unlock();
  }
  return built;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    const built = await buildAll({ force: process.argv.includes('--force') });
    if (built.length === 0) console.error('Everything is built.');
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
