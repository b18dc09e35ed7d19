#!/usr/bin/env node
// In a clone: makes what the command needs, then runs it.
import { prepare } from '../scripts/preflight.mjs';

const problem = prepare();
if (problem) {
  console.error(problem);
  process.exit(1);
}
const { buildAll } = await import('../scripts/build.mjs');
try {
  await buildAll();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
await import('../dist/cli/main.js');
