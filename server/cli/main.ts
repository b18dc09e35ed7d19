import { statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { control, requireInstance } from './client';
import { examine, report } from './doctor';
import { dataDirOption, type StartOptions, startOptionsOf, withStartOptions } from './options';
import { stop } from './stop';

interface DataDir {
  dataDir: string;
}

const program = new Command('tessera')
  .description('An IDE in your browser, on your own machine.')
  .version(process.env.TESSERA_VERSION ?? '0.0.0')
  .enablePositionalOptions()
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));

program.helpCommand('help [command]', 'say what a command can do');
withStartOptions(program.argument('[dir]', 'the folder to open; starts Tessera, or opens the one that runs')).action(
  async (dir: string | undefined, options: Omit<StartOptions, 'project'>) => {
    if (dir !== undefined) requireFolder(dir);
    const { start } = (await import(new URL('../server/main.js', import.meta.url).href)) as typeof import('../main');
    await start(startOptionsOf({ ...options, ...(dir === undefined ? {} : { project: path.resolve(dir) }) }));
  },
);

/** Before anything is made: ends with 2 for what is neither a folder nor a command, with the command that was meant. */
function requireFolder(dir: string): void {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return;
  // Only a bare word can be a misspelt command.
  if (/^\w[\w-]*$/.test(dir)) {
    const words = new Command('tessera')
      .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
      .showHelpAfterError(`There is no folder of that name here either. "tessera --help" tells what there is.`);
    for (const command of program.commands) words.command(command.name());
    words.parse([dir], { from: 'user' });
  }
  program.error(`There is no folder ${path.resolve(dir)}.`, { exitCode: 2 });
}

program
  .command('login')
  .description('make a link that signs one browser in; it works once, within two minutes')
  .option('--json', 'as one line of JSON')
  .addOption(dataDirOption())
  .action(async ({ dataDir, json }: DataDir & { json?: boolean }) => {
    const link = await control(requireInstance(dataDir), 'login-link', {});
    process.stdout.write(json ? `${JSON.stringify(link)}\n` : `${link.url}\n`);
  });

program
  .command('stop')
  .description('end the server; terminals keep running, and the next start finds them')
  .option('--end-sessions', 'end all terminals too')
  .addOption(dataDirOption())
  .action(async ({ dataDir, endSessions = false }: DataDir & { endSessions?: boolean }) => {
    process.stdout.write(`${await stop(dataDir, { endSessions })}\n`);
  });

program
  .command('doctor')
  .description('look whether everything that Tessera needs is there')
  .option('--json', 'as one line of JSON')
  .addOption(dataDirOption())
  .action(async ({ dataDir, json }: DataDir & { json?: boolean }) => {
    const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
    const findings = await examine(dataDir, root);
    process.stdout.write(json ? `${JSON.stringify(findings)}\n` : report(findings));
    if (findings.some(({ state }) => state === 'bad')) process.exitCode = 1;
  });

try {
  await program.parseAsync(process.argv);
} catch (error) {
  // The server's part is a bundle of its own, with a class of its own: the name tells.
  const { name, message, stack } = error as Error;
  process.stderr.write(`${name === 'FailureError' ? message : stack}\n`);
  process.exit(1);
}
