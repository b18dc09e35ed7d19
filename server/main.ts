import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { nanoid } from 'nanoid';
import { SocketLimits } from '../schemas/realtime';
import { FailureError } from '../schemas/result';
import { type Auth, createAuth, newSecret } from './auth';
import { createCanvases } from './canvas';
import {
  controlRoutes,
  letIn,
  openRunning,
  parseStart,
  readyLine,
  removeRedirectFiles,
  type StartOptions,
  writeRedirectFile,
} from './cli';
import {
  FILES_PREFIX,
  ListenerPolicy,
  LoopbackListener,
  openPages,
  RequestHandler,
  type Route,
  RouteTable,
  upgradeListener,
} from './http';
import {
  acquireLock,
  environmentBeforeNpm,
  openLog,
  PortBook,
  prepareDataFolders,
  processStartTime,
  randomPort,
  removeInstance,
  userEnvironment,
  writeInstance,
} from './instance';
import { createProjects } from './project';
import { Realtime, type RealtimeRoom } from './realtime';
import { createSettings } from './settings';
import { openStorage } from './storage';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const version = process.env.TESSERA_VERSION ?? '0.0.0';

/** Routes that are pages or their files. */
const pageRoutes: Route[] = [
  { kind: 'page', path: '/', access: 'cookie' },
  { kind: 'page', path: '/login', access: 'public' },
  { kind: 'page', path: '/icon.svg', access: 'public' },
  { kind: 'files', path: FILES_PREFIX, access: 'public' },
];

/** Starts a server, or opens the one that runs on the same data folder. Resolves when it is up. */
export async function start(options: StartOptions): Promise<void> {
  const env = userEnvironment(process.env, environmentBeforeNpm());
  const { dataDir, runDir, logsDir } = prepareDataFolders(options.dataDir);
  const unlock = acquireLock(runDir);
  if (!unlock) return openRunning(runDir, options, env);

  const { log, flush } = openLog(logsDir);
  const listener = new LoopbackListener(log);
  const closers: (() => unknown)[] = [flush, unlock, () => removeInstance(runDir), () => listener.close()];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    await serve();
  } catch (error) {
    await close();
    throw error;
  }

  async function serve(): Promise<void> {
    const ports = new PortBook(dataDir);
    const wanted = options.port ?? ports.read().app;
    await listener.listen(wanted ?? 0, wanted === undefined ? randomPort : undefined);
    if (options.port !== 0) ports.keep({ app: listener.port });
    if (options.contentPort) ports.keep({ content: options.contentPort });
    const url = `http://127.0.0.1:${listener.port}`;

    const storage = openStorage(dataDir);
    closers.push(() => storage.close());
    let auth: Auth;
    const realtime = new Realtime({ log, keyMatches: (id, key) => auth.keyMatches(id, key) });
    const { broadcast } = realtime;
    const secret = newSecret();
    auth = createAuth({
      storage,
      port: listener.port,
      control: secret,
      log,
      disconnect: (id) => realtime.disconnect(id),
    });
    const settings = createSettings({ storage, broadcast });
    const { canvases, room: canvasRoom } = createCanvases({ storage, broadcast });
    const projects = createProjects({ storage, broadcast, canvases });
    closers.push(() => realtime.close());

    if (options.project !== undefined) await projects.open(options.project);
    else if (projects.list().length === 0) await projects.open(homedir());

    const instanceId = nanoid();
    const hello: RealtimeRoom = {
      calls: {
        'app:hello': () => ({
          version,
          instanceId,
          platform: process.platform,
          home: homedir(),
          settings: settings.current(),
          projects: projects.list(),
          canvases: canvases.list(),
          sessions: [],
          ptyHost: { state: 'starting' },
          corrupt: [],
        }),
      },
    };
    realtime.use([hello, auth.room, settings.room, canvasRoom, projects.room]);

    const startedAt = Date.now();
    const redirectFile = () => writeRedirectFile(runDir, (onUsed) => auth.loginLink(url, onUsed).url).file;
    const table = new RouteTable([
      ...pageRoutes,
      ...auth.routes,
      ...controlRoutes({
        'login-link': () => auth.loginLink(url),
        'redirect-file': () => ({ file: redirectFile() }),
        'open-project': async ({ folder }) => ({ projectId: (await projects.open(folder)).project.id }),
        status: () => ({
          version,
          pid: process.pid,
          startedAt,
          tabs: realtime.openTabs,
          sessions: 0,
          ptyHost: 'starting',
        }),
        stop: ({ endSessions }) => {
          setImmediate(() => void end(endSessions));
          return { stopping: true };
        },
      }),
    ]);
    const pages = await openPages(root, log);
    closers.push(() => pages.close());
    const policy = new ListenerPolicy(listener.port);
    const handler = new RequestHandler({ policy, table, gatekeeper: auth, pages, log });
    listener.serve(
      (request, response) => void handler.handle(request, response),
      upgradeListener(policy, auth, {
        [`${SocketLimits.path}/`]: (request, socket, head, caller) => realtime.accept(request, socket, head, caller.id),
      }),
    );

    removeRedirectFiles(runDir);
    const startTime = processStartTime(process.pid) ?? '';
    writeInstance(runDir, { v: 1, pid: process.pid, startTime, url, control: secret, version, dataDir });
    process.stdout.write(`${readyLine({ url, pid: process.pid, dataDir })}\n`);
    await letIn(options.open, env, redirectFile);
  }

  async function end(_endSessions: boolean): Promise<void> {
    await close();
    process.exit(0);
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(false));
}

/** `npm start`: the flags after `--`. Ends the process with 1 and one sentence when a start is not possible. */
export async function main(argv: readonly string[]): Promise<void> {
  try {
    await start(parseStart(argv));
  } catch (error) {
    process.stderr.write(error instanceof FailureError ? `${error.message}\n` : `${(error as Error).stack ?? error}\n`);
    process.exit(1);
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await main(process.argv.slice(2));
