import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { nanoid } from 'nanoid';
import type { Logger } from 'pino';
import { ICON } from '../schemas/pages';
import { SocketLimits } from '../schemas/realtime';
import { TerminalLimits } from '../schemas/terminals';
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
  bytesRoute,
  ENTER_PAGE,
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
  Closers,
  end,
  endOnSignals,
  environmentBeforeNpm,
  openLog,
  PortBook,
  prepareDataFolders,
  processStartTime,
  randomPort,
  removeInstance,
  socketsDir,
  startFailure,
  userEnvironment,
  writeInstance,
} from './instance';
import { createProjects } from './project';
import { Realtime, type RealtimeRoom } from './realtime';
import { createSettings } from './settings';
import { openStorage } from './storage';
import { connectPtyHost, createTerminals, type TerminalsRoom } from './terminals';

/** The folder of dist/ and node_modules/. */
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const version = process.env.TESSERA_VERSION ?? '0.0.0';
/** Browsers with an open tab are seen this often, milliseconds. */
const SEEN_EVERY_MS = 10 * 60_000;

const pageRoutes: Route[] = [
  { kind: 'page', path: '/', access: 'cookie' },
  { kind: 'page', path: '/login', access: 'public' },
  { kind: 'page', path: ENTER_PAGE, access: 'public' },
  { kind: 'page', path: ICON, access: 'public' },
  { kind: 'files', path: FILES_PREFIX, access: 'public' },
];

/** A file that was dropped onto a terminal, into the private folder of its session. */
const uploadRoute = (terminals: TerminalsRoom): Route =>
  bytesRoute({
    path: '/api/terminals/:sessionId/files',
    access: 'signed-in',
    maxBytes: TerminalLimits.maxUploadBytes,
    run: async ({ params, query }, body) => ({
      body: await terminals.saveUpload(params.sessionId ?? '', query.get('name') ?? '', body),
    }),
  });

/** Starts a server, or opens the one that runs on the same data folder. Resolves when it is up. */
export async function start(options: StartOptions): Promise<void> {
  const userEnv = userEnvironment(process.env, environmentBeforeNpm());
  const folders = prepareDataFolders(options.dataDir);
  const { dataDir, runDir, logsDir } = folders;
  const unlock = acquireLock(runDir);
  if (!unlock) return openRunning(runDir, options, userEnv);

  const { log, flush } = openLog(logsDir);
  const closers = new Closers((step, error) => log.error({ err: error, step }, 'a step of the stop failed'));
  closers.add('log', flush);
  closers.add('lock', unlock);
  closers.add('instance', () => removeInstance(runDir));
  endOnSignals(closers, log);
  try {
    await serve({ options, userEnv, dataDir, runDir, sockets: () => socketsDir(folders, process.env), log, closers });
  } catch (error) {
    log.error({ err: error }, 'start failed');
    await closers.close();
    throw error;
  }
}

interface Ground {
  options: StartOptions;
  userEnv: Record<string, string>;
  dataDir: string;
  runDir: string;
  sockets: () => string;
  log: Logger;
  closers: Closers;
}

async function serve({ options, userEnv, dataDir, runDir, sockets, log, closers }: Ground): Promise<void> {
  const listener = new LoopbackListener(log);
  const ports = new PortBook(dataDir);
  const wanted = options.port ?? ports.read().app;
  closers.add('listener', () => listener.close());
  await listener.listen(wanted ?? 0, wanted === undefined ? randomPort : undefined);
  const { port } = listener;
  const url = `http://127.0.0.1:${port}`;
  if (options.port !== 0) ports.keep({ app: port });

  const storage = openStorage(dataDir);
  closers.add('storage', () => storage.close());
  let auth: Auth;
  const realtime = new Realtime({ log, keyMatches: (browserId, key) => auth.keyMatches(browserId, key) });
  closers.add('sockets', () => realtime.close());
  const { broadcast } = realtime;
  const bearer = newSecret();
  auth = createAuth({ storage, port, control: bearer, log, disconnect: (browserId) => realtime.disconnect(browserId) });
  const settings = createSettings({ storage, broadcast });
  const { canvases, room: canvasRoom } = createCanvases({ storage, broadcast });
  const projects = createProjects({ storage, broadcast, canvases });

  const terminals = createTerminals({
    storage,
    dataDir,
    broadcast,
    settings,
    canvases,
    projects,
    log,
    userEnv,
    version,
    integrationDir: path.join(root, 'dist/shell-integration'),
    connect: async () =>
      connectPtyHost({ dataDir, runDir: sockets(), bundleDir: path.join(root, 'dist/pty-host'), log }),
  });
  let endSessions = false;
  closers.add('terminals', () => terminals.stop({ endSessions }));

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
        sessions: terminals.sessions(),
        needs: terminals.needs(),
        ptyHost: terminals.ptyHost(),
        corrupt: [
          ...settings.corrupt().map((record) => ({ table: 'settings', ...record })),
          ...projects.corrupt().map((record) => ({ table: 'projects', ...record })),
          ...canvases.corrupt(),
          ...terminals.corrupt(),
        ],
      }),
    },
  };
  realtime.use([hello, auth.room, settings.room, canvasRoom, projects.room, terminals.room]);
  if (options.project !== undefined) await projects.open(options.project);
  else if (projects.list().length === 0) await projects.open(homedir());
  terminals.start();

  const startedAt = Date.now();
  const redirectFile = () =>
    writeRedirectFile(runDir, (onUsed) => auth.loginLink(url, { page: ENTER_PAGE, onUsed }).url).file;
  const table: RouteTable = new RouteTable([
    ...pageRoutes,
    ...auth.routes,
    uploadRoute(terminals),
    ...controlRoutes({
      'login-link': () => auth.loginLink(url),
      'redirect-file': () => ({ file: redirectFile() }),
      'open-project': async ({ folder }) => ({ projectId: (await projects.open(folder)).project.id }),
      status: () => ({
        version,
        pid: process.pid,
        startedAt,
        tabs: realtime.openTabs,
        sessions: terminals.sessions().length,
        ptyHost: terminals.ptyHost().state,
        routes: table.list(),
      }),
      stop: (wish) => {
        endSessions = wish.endSessions;
        setImmediate(() => void end(closers, log));
        return { stopping: true };
      },
    }),
  ]);
  const pages = openPages(root);
  const policy = new ListenerPolicy(port);
  const handler = new RequestHandler({ policy, table, gatekeeper: auth, pages, log });
  listener.serve(
    (request, response) => void handler.handle(request, response),
    upgradeListener(policy, auth, {
      [`${SocketLimits.path}/`]: (request, socket, head, { id }) => realtime.accept(request, socket, head, id),
    }),
  );
  closers.add('serving', () => listener.pause());
  const seen = setInterval(() => realtime.openBrowsers().forEach(auth.touch), SEEN_EVERY_MS);
  closers.add('timer', () => clearInterval(seen));

  removeRedirectFiles(runDir);
  closers.add('redirect files', () => removeRedirectFiles(runDir));
  const startTime = processStartTime(process.pid) ?? '';
  writeInstance(runDir, { v: 1, pid: process.pid, startTime, url, control: bearer, version, dataDir });
  process.stdout.write(`${readyLine({ url, pid: process.pid, dataDir })}\n`);
  await letIn(options, userEnv, redirectFile, url);
}

/** `npm start`: the flags after `--`. Ends the process with 1 and one sentence when a start is not possible. */
export async function main(argv: readonly string[]): Promise<void> {
  try {
    await start(parseStart(argv));
  } catch (error) {
    process.stderr.write(`${startFailure(error)}\n`);
    process.exit(1);
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await main(process.argv.slice(2));
