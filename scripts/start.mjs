// `npm start`: what is needed, what changed, then the server in the foreground. Flags follow `--`.
import { prepare } from './preflight.mjs';

const problem = prepare();
if (problem) {
  console.error(problem);
  process.exit(1);
}

const run = async () => {
  const { buildAll } = await import('./build.mjs');
  await buildAll();
  const { main } = await import('../dist/server/main.js');
  await main(process.argv.slice(2));
};
run().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
