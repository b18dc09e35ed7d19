// Builds what changed, then runs a program written in TypeScript: node scripts/run-with-build.mjs bench/main.ts [args…]
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const [entry, ...args] = process.argv.slice(2);
if (!entry) {
  console.error('Say which program to run: node scripts/run-with-build.mjs bench/main.ts');
  process.exit(2);
}

if (!args.includes('--no-build')) {
  const built = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' });
  if (built.status !== 0) process.exit(built.status ?? 1);
}

const { build } = await import('esbuild');
const name = path.relative(root, path.resolve(root, entry)).replace(/\.ts$/, '').replaceAll(path.sep, '-');
const outfile = path.join(root, 'node_modules/.cache/tessera/run', `${name}.mjs`);
mkdirSync(path.dirname(outfile), { recursive: true });
await build({
  entryPoints: [path.resolve(root, entry)],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  sourcemap: 'inline',
  logLevel: 'warning',
});

const child = spawn(
  process.execPath,
  ['--enable-source-maps', outfile, ...args.filter((argument) => argument !== '--no-build')],
  { cwd: root, stdio: 'inherit', env: { ...process.env, TESSERA_ROOT: root } },
);
// The program cleans up behind itself; we only pass the wish on and wait for it.
for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => child.kill(name));
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
