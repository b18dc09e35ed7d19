import { hostname } from 'node:os';
import path from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { defaultDataDir } from '../instance';

export interface StartOptions {
  dataDir: string;
  /** The folder to open; absent: what was open before. */
  project?: string;
  /** 0: any that is free, not kept. Absent: the one of before. */
  port?: number;
  /** Open the browser. */
  open: boolean;
}

const port = (text: string): number => {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('A port is a number from 0 to 65535.');
  return Number(text);
};
const folder = (text: string): string => path.resolve(text);

const loopback = new Set(['127.0.0.1', 'localhost', '::1', '[::1]']);
const host = (text: string): string => {
  if (loopback.has(text)) return text;
  throw new InvalidArgumentError(
    'Tessera listens on this computer only. To use it from another one, leave it so and run there: ' +
      `ssh -L PORT:127.0.0.1:PORT ${hostname()}`,
  );
};
/** Any free one that is not kept is what there is without content; a port of its own would be a promise. */
const contentPort = (text: string): number => {
  if (port(text) === 0) return 0;
  throw new InvalidArgumentError('Plugins, whose content has a port of its own, come with a later version of Tessera.');
};
const grant = (): never => {
  throw new InvalidArgumentError('Tokens for agents come with a later version of Tessera.');
};

export const dataDirOption = () =>
  new Option('--data-dir <dir>', 'where everything is kept')
    .argParser(folder)
    .default(defaultDataDir(), 'XDG data folder');

/** The flags with which a server starts, the same for `npm start --` and `tessera`. */
export function withStartOptions(command: Command): Command {
  return command
    .addOption(dataDirOption())
    .addOption(
      new Option('--port <n>', 'port of the app; kept for this data folder (0: any free one, not kept)').argParser(
        port,
      ),
    )
    .addOption(new Option('--content-port <n>', 'not available yet').argParser(contentPort).hideHelp())
    .addOption(new Option('--host <address>', 'only loopback is possible').argParser(host).hideHelp())
    .addOption(new Option('--grant <name=mode>', 'not available yet').argParser(grant).hideHelp())
    .option('--no-open', 'do not open the browser');
}

interface RawStart {
  dataDir: string;
  project?: string;
  port?: number;
  open: boolean;
}

/** The words after `npm start --`. Prints what is wrong and ends with 2, or the help and ends with 0. */
export function parseStart(argv: readonly string[]): StartOptions {
  const command = withStartOptions(new Command('tessera'))
    .description('Starts Tessera, or opens the one that runs.')
    .addOption(new Option('--project <dir>', 'the folder to open').argParser(folder))
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
  command.parse([...argv], { from: 'user' });
  return startOptionsOf(command.opts<RawStart>());
}

export function startOptionsOf({ dataDir, project, port: app, open }: RawStart): StartOptions {
  return {
    dataDir,
    open,
    ...(project === undefined ? {} : { project }),
    ...(app === undefined ? {} : { port: app }),
  };
}
