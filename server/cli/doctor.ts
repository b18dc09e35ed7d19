import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';
import { dataFolders, runningInstance } from '../instance';
import { control } from './client';

export interface Finding {
  name: string;
  state: 'ok' | 'note' | 'bad';
  text: string;
}

/** Less free space than this is worth a word, bytes. */
const LOW_SPACE = 500 * 1024 * 1024;

const ok = (name: string, text: string): Finding => ({ name, state: 'ok', text });
const note = (name: string, text: string): Finding => ({ name, state: 'note', text });
const bad = (name: string, text: string): Finding => ({ name, state: 'bad', text });

/** Looks at everything that Tessera needs and says how each stands. Changes nothing. */
export async function examine(dataDir: string, root: string): Promise<Finding[]> {
  return [
    ok('node', `${process.version} on ${process.platform} ${process.arch}`),
    await loads('better-sqlite3', 'run "npm rebuild better-sqlite3"', async () => {
      const { default: Database } = await import('better-sqlite3');
      const db = new Database(':memory:');
      const { version } = db.prepare('SELECT sqlite_version() AS version').get() as { version: string };
      db.close();
      return `SQLite ${version}`;
    }),
    await loads('node-pty', 'run "npm ci"', async () => {
      const pty = (await import('node-pty' as string)) as { spawn?: unknown };
      return typeof pty.spawn === 'function' ? 'loads' : Promise.reject(new Error('it has no spawn'));
    }),
    existsSync(path.join(root, 'dist/pages/current.json'))
      ? ok('pages', 'built')
      : bad('pages', 'not built: run "npm run build"'),
    chromium(),
    dataFolder(dataDir),
    ...(await server(dataDir)),
  ];
}

async function loads(name: string, remedy: string, attempt: () => Promise<string>): Promise<Finding> {
  try {
    return ok(name, await attempt());
  } catch (error) {
    return bad(name, `cannot be loaded (${(error as Error).message.split('\n')[0]}): ${remedy}`);
  }
}

function chromium(): Finding {
  const chosen = process.env.TESSERA_CHROMIUM;
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];
  const places = (process.env.PATH ?? '').split(':').flatMap((folder) => names.map((name) => path.join(folder, name)));
  const found = chosen ? [chosen].find(existsSync) : places.find(existsSync);
  if (found) return ok('chromium', found);
  return chosen
    ? bad('chromium', `TESSERA_CHROMIUM names ${chosen}, which is not there`)
    : note('chromium', 'none found; only the tests need it');
}

function dataFolder(dataDir: string): Finding {
  if (!existsSync(dataDir)) return note('data folder', `${dataDir} is made at the first start`);
  try {
    const { mode, uid } = statSync(dataDir);
    if (process.getuid && uid !== process.getuid()) return bad('data folder', `${dataDir} belongs to another user`);
    if ((mode & 0o077) !== 0) return bad('data folder', `${dataDir} is open to others; the next start closes it`);
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(dataDir);
    const free = bavail * bsize;
    const text = `${dataDir}, ${Math.round(free / 1024 / 1024)} MB free`;
    return free < LOW_SPACE ? note('data folder', `${text}: little`) : ok('data folder', text);
  } catch (error) {
    return bad('data folder', `${dataDir} cannot be used (${(error as Error).message})`);
  }
}

async function server(dataDir: string): Promise<Finding[]> {
  const instance = existsSync(dataDir) ? runningInstance(dataFolders(dataDir).runDir) : null;
  if (!instance) return [note('server', 'does not run on this data folder')];
  try {
    const { version, tabs, sessions, ptyHost } = await control(instance, 'status', {});
    return [
      ok(
        'server',
        `${instance.url}, process ${instance.pid}, version ${version}, ${tabs === 1 ? '1 open tab' : `${tabs} open tabs`}`,
      ),
      (ptyHost === 'connected' ? ok : bad)(
        'pty host',
        `${ptyHost}, ${sessions === 1 ? '1 terminal' : `${sessions} terminals`}`,
      ),
    ];
  } catch (error) {
    return [bad('server', (error as Error).message)];
  }
}

const signs = { ok: '✓', note: '·', bad: '✗' } as const;

/** A line each, aligned. */
export function report(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length));
  return findings.map(({ name, state, text }) => `${signs[state]} ${name.padEnd(width)}  ${text}\n`).join('');
}
