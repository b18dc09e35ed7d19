// `npm test`: everything that proves Tessera, from a fresh clone too. The last line sums it up:
// "N passed, N failed, N skipped". A stage that crashes or runs out of time counts as failed.
// `npm test -- unit e2e` runs only these stages; `npm test -- e2e -- --grep paste` hands the rest to the tool.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const inCi = Boolean(process.env.CI) && process.env.CI !== 'false';
const bin = (name) => path.join(root, 'node_modules/.bin', name);
const results = (name) => path.join(root, 'test-results', name);

const split = process.argv.indexOf('--', 2);
const chosen = process.argv.slice(2, split === -1 ? undefined : split);
const forTheTool = split === -1 ? [] : process.argv.slice(split + 1);

/** A child that hangs must not hang the whole: minutes per stage, generous on two busy cores. */
const minutes = (count) => count * 60_000;

/** Runs a command and shows what it prints. Resolves to its exit code; a time-out ends its whole group and is code 124. */
function run(command, args, { timeoutMs = minutes(5), env = {} } = {}) {
  return new Promise((done) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...env },
      detached: true,
    });
    const end = (signal) => {
      try {
        process.kill(-child.pid, signal);
      } catch (error) {
        if (error.code !== 'ESRCH') throw error;
      }
    };
    const timer = setTimeout(() => {
      console.error(`\n${path.basename(command)} did not end within ${timeoutMs / 60_000} minutes and was stopped.`);
      end('SIGTERM');
      setTimeout(() => end('SIGKILL'), 10_000).unref();
      done(124);
    }, timeoutMs);
    const interrupted = () => end('SIGINT');
    process.once('SIGINT', interrupted);
    child.on('error', (error) => {
      console.error(error.message);
      done(127);
    });
    child.on('exit', (code) => {
      clearTimeout(timer);
      process.off('SIGINT', interrupted);
      done(code ?? 1);
    });
  });
}

const passed = { passed: 1, failed: 0, skipped: 0 };
const ready = { passed: 0, failed: 0, skipped: 0 };
const failed = { passed: 0, failed: 1, skipped: 0 };
const asOne = async (command, args) => ((await run(command, args)) === 0 ? passed : failed);
/** A step that only prepares counts when it fails. */
const asStep = async (command, args, options) => ((await run(command, args, options)) === 0 ? ready : failed);

/** Programs that stories drive. On a person's machine we only say what is missing; CI may install it. */
const programs = [
  { name: 'zsh', debian: 'zsh', places: ['/bin/zsh', '/usr/bin/zsh', '/usr/local/bin/zsh', '/opt/homebrew/bin/zsh'] },
  {
    name: 'fish',
    debian: 'fish',
    places: ['/usr/bin/fish', '/bin/fish', '/usr/local/bin/fish', '/opt/homebrew/bin/fish'],
  },
  { name: 'vim', debian: 'vim-tiny', places: ['/usr/bin/vim', '/usr/bin/vim.tiny', '/usr/bin/vi', '/bin/vi'] },
  {
    name: 'python3',
    debian: 'python3',
    places: ['/usr/bin/python3', '/usr/local/bin/python3', '/opt/homebrew/bin/python3'],
  },
  { name: 'git', debian: 'git', places: ['/usr/bin/git', '/usr/local/bin/git', '/opt/homebrew/bin/git'] },
];
const chromiumPlaces = JSON.parse(readFileSync(path.join(root, 'e2e/support/chromium-places.json'), 'utf8'));

const onPath = (name) =>
  (process.env.PATH ?? '').split(':').some((folder) => folder && existsSync(path.join(folder, name)));

async function missingPrograms() {
  const missing = programs.filter(({ name, places }) => !places.some(existsSync) && !onPath(name));
  const chosenBrowser = process.env.TESSERA_CHROMIUM;
  if (chosenBrowser ? !existsSync(chosenBrowser) : !chromiumPlaces.some(existsSync)) {
    const own = await import('@playwright/test').then(({ chromium }) => existsSync(chromium.executablePath()));
    if (!own) missing.push({ name: 'Chromium', debian: 'chromium' });
  }
  return missing;
}

/** Programs: present, or installed (CI), or named in one sentence. */
async function preparePrograms() {
  let missing = await missingPrograms();
  if (missing.length === 0) return ready;
  const packages = missing.map(({ debian }) => debian);
  if (inCi && existsSync('/usr/bin/apt-get')) {
    const sudo = process.getuid() === 0 ? [] : ['sudo', '-n'];
    const [command, ...before] = [...sudo, 'apt-get'];
    const quiet = { timeoutMs: minutes(6), env: { DEBIAN_FRONTEND: 'noninteractive' } };
    await run(command, [...before, 'update', '-qq'], quiet);
    await run(command, [...before, 'install', '-y', '-qq', '--no-install-recommends', ...packages], quiet);
    missing = await missingPrograms();
    if (missing.length === 0) return ready;
  }
  const names = missing.map(({ name }) => name).join(', ');
  console.error(
    `The stories need ${names}: on Debian or Ubuntu run "sudo apt-get install ${packages.join(' ')}" ` +
      '(another Chromium: set TESSERA_CHROMIUM to its path), then run npm test again.',
  );
  return failed;
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // No report: the runner crashed before it wrote one. The caller counts that as a failure.
    return null;
  }
}

async function unit() {
  const report = results('unit.json');
  rmSync(report, { force: true });
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...forTheTool];
  const code = await run(bin('vitest'), args, { timeoutMs: minutes(15) });
  const json = readJson(report);
  if (!json) return failed;
  // A file that could not even be loaded has no failed test of its own.
  const broken = json.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((one) => one.status === 'failed'),
  ).length;
  const count = {
    passed: json.numPassedTests,
    failed: json.numFailedTests + broken,
    skipped: json.numPendingTests + json.numTodoTests,
  };
  if (code !== 0 && count.failed === 0) count.failed = 1;
  return count;
}

async function e2e() {
  const report = results('e2e-all.json');
  rmSync(report, { force: true });
  const options = { timeoutMs: minutes(46), env: { TESSERA_E2E_RUN: 'all' } };
  const code = await run(bin('playwright'), ['test', ...forTheTool], options);
  const stats = readJson(report)?.stats;
  if (!stats) return failed;
  const count = { passed: stats.expected + stats.flaky, failed: stats.unexpected, skipped: stats.skipped };
  if (code !== 0 && count.failed === 0) count.failed = 1;
  return count;
}

const stages = [
  { name: 'lint', run: () => asOne(bin('biome'), ['check', '--diagnostic-level=warn', '.']) },
  { name: 'layers', run: () => asOne('npm', ['run', '--silent', 'layers']) },
  { name: 'build', run: () => asStep(process.execPath, ['scripts/build.mjs'], { timeoutMs: minutes(6) }) },
  { name: 'typecheck', run: () => asOne('npm', ['run', '--silent', 'typecheck']) },
  { name: 'unit', run: unit },
  { name: 'programs', run: preparePrograms },
  { name: 'e2e', run: e2e },
];

const unknown = chosen.filter((name) => !stages.some((stage) => stage.name === name));
if (unknown.length > 0) {
  console.error(`There is no stage "${unknown.join('", "')}"; there are ${stages.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}

// In plain Node, before anything of node_modules is needed.
const prepared = spawnSync(process.execPath, ['scripts/preflight.mjs'], { cwd: root, stdio: 'inherit' });
const sum = { passed: 0, failed: 0, skipped: 0 };
const lines = [];
if (prepared.status !== 0) {
  sum.failed += 1;
  lines.push('preflight   failed');
} else {
  for (const stage of stages.filter(({ name }) => chosen.length === 0 || chosen.includes(name))) {
    console.log(`\n── ${stage.name}`);
    const began = performance.now();
    const count = await stage.run().catch((error) => {
      console.error(error);
      return failed;
    });
    for (const key of Object.keys(sum)) sum[key] += count[key];
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    const skipped = count.skipped ? `, ${count.skipped} skipped` : '';
    lines.push(
      `${stage.name.padEnd(10)} ${seconds.padStart(7)} s   ${count.passed} passed, ${count.failed} failed${skipped}`,
    );
  }
}
console.log(`\n${lines.join('\n')}\n`);
console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
process.exit(sum.failed > 0 ? 1 : 0);
