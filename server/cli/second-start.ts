import type { Instance, ReadyLine } from '../../schemas/auth';
import { FailureError } from '../../schemas/result';
import { defaultDataDir } from '../instance';
import { openBrowser } from './browser';
import { control, untilRunning } from './client';
import type { StartOptions } from './options';

/** A server that is starting on the same folder gets this long, milliseconds. */
const STARTS_WITHIN_MS = 20_000;

/** The one line on stdout by which a start says that it is done. */
export function readyLine({
  url,
  content,
  pid,
  dataDir,
}: Pick<Instance, 'url' | 'content' | 'pid' | 'dataDir'>): string {
  const line: ReadyLine = { url, mcp: null, content: content ?? null, pid, dataDir };
  return `tessera ready ${JSON.stringify(line)}`;
}

/** A data folder has one server: a second start opens the first one's page. */
export async function openRunning(
  runDir: string,
  options: StartOptions,
  env: Record<string, string | undefined>,
): Promise<void> {
  const instance = await untilRunning(runDir, STARTS_WITHIN_MS);
  if (!instance) {
    throw new FailureError(
      'data-dir-locked',
      `Another process holds ${options.dataDir} and does not say where it is: end it, or choose another --data-dir.`,
    );
  }
  process.stderr.write(`Tessera runs already on this data folder (process ${instance.pid}).\n`);
  if (options.project !== undefined) await control(instance, 'open-project', { folder: options.project });
  process.stdout.write(`${readyLine(instance)}\n`);
  await letIn(options, env, async () => (await control(instance, 'redirect-file', {})).file);
}

/** Opens the browser, or says how to get in; with `url`, where it is and how to end it too. Never prints a secret. */
export async function letIn(
  { open, dataDir }: Pick<StartOptions, 'open' | 'dataDir'>,
  env: Record<string, string | undefined>,
  redirectFile: () => Promise<string> | string,
  url?: string,
): Promise<void> {
  const problem = open ? await openBrowser(await redirectFile(), env) : '';
  const where =
    dataDir === defaultDataDir() ? '' : ` --data-dir ${/[^\w./~-]/.test(dataDir) ? `"${dataDir}"` : dataDir}`;
  const lines: string[] = [];
  if (url) lines.push(`Tessera is at ${url}${problem === null ? ', and your browser is asked to open it' : ''}.`);
  if (problem) lines.push(problem);
  if (problem !== null) lines.push(`To get in, make a login link: npx tessera login${where}`);
  else if (url) lines.push(`To get in with another browser: npx tessera login${where}`);
  if (url) lines.push(`To stop it: Ctrl+C, or npx tessera stop${where}; terminals keep running.`);
  process.stderr.write(lines.map((line) => `${line}\n`).join(''));
}
