// Before anything of node_modules is needed: is Node new enough, are the packages there, can the database be loaded?
// Plain and old-fashioned JavaScript, so that an old Node can read it and say what is wrong.
// biome-ignore-all lint/style/useNodejsImportProtocol: an old Node does not know it.
import { spawnSync } from 'child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'fs';
import path from 'path';
import { fileURLToPath, pathToFileURL } from 'url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const NEEDED = [20, 19];
const lockFile = path.join(root, 'package-lock.json');
const installedFile = path.join(root, 'node_modules/.package-lock.json');
const stampFile = path.join(root, 'node_modules/.cache/tessera/installed.json');

/** The sentence for a Node that is too old; null when it is new enough. */
export function nodeProblem(version) {
  const parts = version.replace(/^v/, '').split('.').map(Number);
  const enough = parts[0] > NEEDED[0] || (parts[0] === NEEDED[0] && parts[1] >= NEEDED[1]);
  return enough
    ? null
    : `Tessera needs Node ${NEEDED.join('.')} or newer and this is ${version}: get it from https://nodejs.org or with "nvm install 22".`;
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** True if what is installed is what the lock asks for; packages for other systems may be absent. */
export function installedAsLocked(lock, installed) {
  if (!lock || !installed) return false;
  const there = installed.packages || {};
  return Object.keys(lock.packages).every((place) => {
    if (place === '') return true;
    const wanted = lock.packages[place];
    const found = there[place];
    return found ? found.version === wanted.version : Boolean(wanted.optional || wanted.devOptional || wanted.peer);
  });
}

function factsOf(file) {
  const stat = statSync(file);
  return [stat.mtimeMs, stat.size];
}

function stampMatches() {
  const stamp = readJson(stampFile);
  if (!stamp || stamp.node !== process.versions.modules || !existsSync(installedFile)) return false;
  return JSON.stringify(stamp.lock) === JSON.stringify(factsOf(lockFile));
}

function writeStamp() {
  mkdirSync(path.dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, JSON.stringify({ lock: factsOf(lockFile), node: process.versions.modules }));
}

const onPath = (name) =>
  (process.env.PATH || '').split(':').some((folder) => folder && existsSync(path.join(folder, name)));

function missingToolchain() {
  const compilers = ['g++', 'c++', 'clang++'];
  return [
    ['python3', onPath('python3')],
    ['make', onPath('make')],
    ['a C++ compiler', compilers.some(onPath)],
  ]
    .filter((one) => !one[1])
    .map((one) => one[0]);
}

/** What to say when `npm ci` ended with that code. */
export function installProblem(status, missing) {
  const cause =
    missing.length > 0
      ? toolchainSentence(missing)
      : 'Most often the network or a proxy is in the way (does "npm ping" answer?), or the disk is full. Mend that, then start again.';
  return `The packages could not be installed: npm ci ended with ${status}, and what it said is above. ${cause}`;
}

function toolchainSentence(missing) {
  const how =
    process.platform === 'darwin'
      ? 'run "xcode-select --install"'
      : 'on Debian or Ubuntu run "sudo apt-get install python3 make g++"';
  return `better-sqlite3 has to be compiled here and ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing: ${how}, then start again.`;
}

/** On a build machine we may install what is missing; on a person's we only say so. */
function installToolchainInCi() {
  if (!process.env.CI || process.env.CI === 'false' || !existsSync('/usr/bin/apt-get')) return;
  const sudo = process.getuid() === 0 ? [] : ['sudo', '-n'];
  const apt = (args) => {
    const all = sudo.concat(['apt-get'], args);
    spawnSync(all[0], all.slice(1), { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  };
  apt(['update', '-qq']);
  apt(['install', '-y', '-qq', '--no-install-recommends', 'python3', 'make', 'g++']);
}

const loads = () =>
  spawnSync(process.execPath, ['-e', "new (require('better-sqlite3'))(':memory:').close()"], { cwd: root }).status ===
  0;

const npm = (args) =>
  process.env.npm_execpath && /\.c?js$/.test(process.env.npm_execpath)
    ? spawnSync(process.execPath, [process.env.npm_execpath].concat(args), { cwd: root, stdio: ['ignore', 2, 2] })
    : spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2] });

/** Null when everything is there (installed now, if it had to be); else one sentence about what is missing. */
export function prepare() {
  const tooOld = nodeProblem(process.version);
  if (tooOld) return tooOld;
  if (stampMatches()) return null;
  if (!installedAsLocked(readJson(lockFile), readJson(installedFile))) {
    if (missingToolchain().length > 0) installToolchainInCi();
    process.stderr.write('Installing packages (npm ci); the first time takes a few minutes…\n');
    const done = npm(['ci', '--no-audit', '--no-fund']);
    if (done.error) return `npm could not be run (${done.error.message}): it comes with Node.`;
    if (done.status !== 0) return installProblem(done.status === null ? done.signal : done.status, missingToolchain());
  }
  if (!loads()) {
    process.stderr.write('Compiling better-sqlite3 for this Node…\n');
    if (missingToolchain().length > 0) installToolchainInCi();
    npm(['rebuild', 'better-sqlite3']);
    if (!loads()) {
      const missing = missingToolchain();
      return missing.length > 0
        ? toolchainSentence(missing)
        : 'better-sqlite3 cannot be loaded; run "npm rebuild better-sqlite3" to see why.';
    }
  }
  writeStamp();
  return null;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const problem = prepare();
  if (problem) {
    console.error(problem);
    process.exit(1);
  }
}
