#!/usr/bin/env node
// In a clone: makes what the command needs, then runs it.
import { prepare } from '../scripts/preflight.mjs';

const problem = prepare();
if (problem) {
  console.error(problem);
  process.exit(1);
}
const { buildAll } = await import('../scripts/build.mjs');
// What only talks to a running server, or about itself, needs no pages.
const small = ['help', '--help', '-h', '--version', '-V', 'login', 'stop'];
const only = small.includes(process.argv[2]) ? ['cli'] : undefined;
try {
  await buildAll({ only });
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
await import('../dist/cli/main.js');
