import { execFile, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, freePort, isAlive, TesseraClient, type TesseraServer, takeLink, test, until } from '../support';
import { cliBundle, serverBundle } from '../support/server';
import { ask, instanceFile, instanceOf, sendBytes } from './raw';

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a program of ours until it ends. */
function run(server: TesseraServer, bundle: string, args: string[], env: Record<string, string> = {}): Promise<Ended> {
  return new Promise((done) => {
    execFile(
      process.execPath,
      [bundle, ...args],
      { env: { ...server.env, ...env }, cwd: server.project, timeout: 30_000 },
      (error, stdout, stderr) => {
        done({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr });
      },
    );
  });
}
const readyOf = (text: string) =>
  JSON.parse(text.match(/^tessera ready (.*)$/m)?.[1] ?? 'null') as TesseraServer['ready'];

test('a start says in one line where it is, and listens on loopback only', async ({ server }) => {
  expect(server.ready).toEqual({
    url: `http://127.0.0.1:${server.port}`,
    mcp: null,
    content: null,
    pid: server.pid,
    dataDir: server.dataDir,
  });
  expect(server.log.match(/^tessera ready /gm)).toHaveLength(1);
  for (const sentence of [
    `Tessera is at ${server.url}.`,
    'npx tessera login',
    'To stop it: Ctrl+C, or npx tessera stop',
  ])
    await until(sentence, () => server.log.includes(sentence));
  expect(server.log).not.toMatch(/\u001b|#t=/);
  const hex = server.port.toString(16).toUpperCase().padStart(4, '0');
  const listening = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
    (existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [])
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local, , state]) => state === '0A' && local?.endsWith(`:${hex}`))
      .map(([, local]) => local?.split(':')[0]),
  );
  const loopback = ['0100007F', '00000000000000000000000001000000'];
  expect(listening.filter((address) => !loopback.includes(address ?? ''))).toEqual([]);
  if (existsSync('/proc/net/tcp')) expect(listening).toContain('0100007F');
  const login = await fetch(`http://localhost:${server.port}/login`);
  expect(login.status).toBe(200);
});

test('another address than loopback is refused, with the tunnel to use instead', async ({ server }) => {
  for (const host of ['0.0.0.0', '::', '192.168.0.9', 'example.test']) {
    const ended = await run(server, serverBundle, [
      '--data-dir',
      path.join(server.base, 'other'),
      '--no-open',
      '--host',
      host,
    ]);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('ssh -L PORT:127.0.0.1:PORT');
  }
  expect(existsSync(path.join(server.base, 'other'))).toBe(false);
  const grant = await run(server, serverBundle, ['--grant', 'bar=allow-writes']);
  expect(grant).toMatchObject({ code: 2, stderr: expect.stringContaining('later version') });
});

test('a taken port is said in one sentence, also when only the IPv6 side is taken', async ({ server }) => {
  const dataDir = path.join(server.base, 'other');
  const taken = await run(server, serverBundle, ['--data-dir', dataDir, '--no-open', '--port', String(server.port)]);
  expect(taken).toEqual({
    code: 1,
    stdout: '',
    stderr: `Port ${server.port} is taken by another program: end that one, or choose another port with --port N.\n`,
  });
  const port = await freePort();
  const blocker = createServer();
  const listens = await new Promise<boolean>((done) =>
    blocker.on('error', () => done(false)).listen(port, '::1', () => done(true)),
  );
  if (listens)
    expect(
      (await run(server, serverBundle, ['--data-dir', dataDir, '--no-open', '--port', String(port)])).stderr,
    ).toContain(`Port ${port} is taken`);
  blocker.close();
  expect(existsSync(path.join(dataDir, 'run/instance.json'))).toBe(false);
  expect(existsSync(path.join(dataDir, 'run/server.lock'))).toBe(false);
});

test('a second start on one data folder opens the first, and a folder that it names', async ({ server, page }) => {
  const folder = mkdtempSync(path.join(server.base, 'second-'));
  const second = await run(server, serverBundle, [
    '--data-dir',
    server.dataDir,
    '--no-open',
    '--port',
    '0',
    '--project',
    folder,
  ]);
  expect([second.code, readyOf(second.stdout)]).toEqual([0, server.ready]);
  expect(second.stderr).toContain(`process ${server.pid}`);
  const client = await TesseraClient.connect(server);
  expect(client.hello.projects.map((project) => project.folder)).toContain(folder);
  client.close();
  expect((await page.goto(`${server.url}/login`))?.status()).toBe(200);
});

test('two starts at once leave one server', async ({ server }) => {
  await server.stop();
  const start = () => {
    const child = spawn(process.execPath, [serverBundle, '--data-dir', server.dataDir, '--no-open'], {
      env: server.env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      printed += part;
    });
    return { child, ready: () => readyOf(printed) };
  };
  const starts = [start(), start(), start()];
  await until('three ready lines', () => starts.every(({ ready }) => ready()), { timeoutMs: 30_000 });
  expect(new Set(starts.map(({ ready }) => ready().pid)).size).toBe(1);
  await until('two of them to end', () => starts.filter(({ child }) => child.exitCode === 0).length === 2);
  await server.tessera('stop');
  await until('the last one to end', () => starts.every(({ child }) => child.exitCode === 0));
});

test('after kill -9 the next start keeps port and sign-ins, and finds nothing in its way', async ({ server }) => {
  const credentials = await takeLink(server);
  const { port } = server;
  await server.kill9();
  expect(existsSync(instanceFile(server))).toBe(true);
  const child = spawn(process.execPath, [serverBundle, '--data-dir', server.dataDir, '--no-open'], {
    env: server.env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    printed += part;
  });
  await until('the server to be up again', () => readyOf(printed), { timeoutMs: 30_000 });
  expect(readyOf(printed).url).toBe(`http://127.0.0.1:${port}`);
  const again = await TesseraClient.connect(server, credentials);
  again.close();
  child.kill('SIGINT');
  child.kill('SIGINT');
  await until('it to end', () => child.exitCode !== null);
  expect([
    child.exitCode,
    existsSync(instanceFile(server)),
    readdirSync(path.join(server.dataDir, 'run')).filter((name) => /lock|open-/.test(name)),
  ]).toEqual([0, false, []]);
});

test('tessera stop ends the server, waits for it, and says when there is none', async ({ server }) => {
  const { pid } = server;
  const stopped = await server.tessera('stop');
  expect([isAlive(pid), stopped.stdout]).toEqual([false, 'Tessera has ended; its terminals keep running.\n']);
  expect(existsSync(instanceFile(server))).toBe(false);
  for (const command of ['stop', 'login']) {
    const none = await run(server, cliBundle, [command, '--data-dir', server.dataDir]);
    expect([none.code, none.stdout]).toEqual([1, '']);
    expect(none.stderr).toContain('No Tessera runs on');
  }
});

test('the command line says what it can do, and how it was used wrongly', async ({ server }) => {
  const version = (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version;
  expect(await run(server, cliBundle, ['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  expect(await run(server, cliBundle, ['--help'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('doctor'),
  });
  for (const args of [['--nothing'], ['login', '--nothing'], ['--port', 'x'], ['--port', '70000']]) {
    expect(await run(server, cliBundle, args), args.join(' ')).toMatchObject({ code: 2, stdout: '' });
  }
  for (const command of ['login', 'stop', 'doctor']) {
    const help = await run(server, cliBundle, [command, '--help']);
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining(`Usage: tessera ${command}`), stderr: '' });
    expect(await run(server, cliBundle, ['help', command])).toEqual(help);
  }
  const link = JSON.parse((await server.tessera('login', '--json')).stdout) as { url: string; expiresAt: number };
  expect(link.url).toMatch(new RegExp(`^${server.url}/login#t=[\\w-]{43}$`));
  expect(link.expiresAt).toBeGreaterThan(Date.now());
});

test('a misspelt command makes nothing, and says what may have been meant', async ({ server }) => {
  const dataDir = path.join(server.base, 'never');
  const typo = await run(server, cliBundle, ['logn', '--data-dir', dataDir, '--no-open']);
  expect(typo).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Did you mean login?') });
  const folder = await run(server, cliBundle, ['./no/such', '--data-dir', dataDir, '--no-open']);
  expect(folder).toEqual({ code: 2, stdout: '', stderr: `There is no folder ${server.project}/no/such.\n` });
  expect(existsSync(dataDir)).toBe(false);
});

test('tessera doctor tells how everything stands', async ({ server }) => {
  const { stdout } = await server.tessera('doctor', '--json').catch((error: { stdout: string }) => error);
  const findings = JSON.parse(stdout) as { name: string; state: string; text: string }[];
  expect(findings.map(({ name }) => name)).toEqual([
    'node',
    'better-sqlite3',
    'node-pty',
    'pages',
    'chromium',
    'data folder',
    'server',
    'pty host',
  ]);
  expect(findings.filter(({ state, name }) => state === 'bad' && name !== 'pty host')).toEqual([]);
});

test('a data folder that cannot be used, and a project that is not there, are said in one sentence', async ({
  server,
}) => {
  const file = path.join(server.base, 'file');
  writeFileSync(file, '');
  const unusable = await run(server, serverBundle, ['--data-dir', file, '--no-open']);
  expect([unusable.code, unusable.stderr]).toEqual([1, expect.stringContaining('choose another with --data-dir')]);
  const missing = await run(server, serverBundle, [
    '--data-dir',
    path.join(server.base, 'new'),
    '--no-open',
    '--project',
    '/no/such/folder',
  ]);
  expect([missing.code, missing.stdout, missing.stderr]).toEqual([1, '', 'There is no folder /no/such/folder.\n']);
});

test('pain 17: npm start gives shells the person’s environment, without what npm and Node added', async ({
  server,
}) => {
  // It may have to build first, when something was changed since the tests were started.
  test.setTimeout(200_000);
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tess-npm-'));
  const child = spawn('npm', ['start', '--', '--data-dir', dataDir, '--no-open', '--port', '0'], {
    env: {
      ...server.env,
      PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin`,
      NO_COLOR: '1',
      NODE_ENV: 'production',
      EDITOR: 'my-editor',
      MY_OWN: 'kept',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      printed += part;
    });
  }
  try {
    const ready = await until('the ready line', () => readyOf(printed), { timeoutMs: 150_000, last: () => printed });
    expect(ready.dataDir).toBe(dataDir);
    expect(existsSync(path.join(dataDir, 'ports.json'))).toBe(false);
    expect(printed).not.toMatch(/\u001b\[/);
    expect(printed).not.toContain('#t=');

    const loginUrl = async () => (await run(server, cliBundle, ['login', '--data-dir', dataDir])).stdout.trim();
    const client = await TesseraClient.connect({ url: ready.url, loginUrl } as TesseraServer);
    const { session } = await client.createTerminal({ x: 0, y: 0 });
    client.close();
    const shell = session.info?.pid ?? 0;
    expect(isAlive(shell)).toBe(true);
    const names = readFileSync(`/proc/${shell}/environ`, 'utf8')
      .split('\0')
      .map((entry) => entry.split('=')[0] ?? '');
    const values = readFileSync(`/proc/${shell}/environ`, 'utf8');
    expect(names.filter((name) => /^npm_|^NODE|^INIT_CWD$|^COLOR$|^PORT$|^NEXT|^__NEXT/i.test(name))).toEqual([]);
    expect(values).not.toContain('node_modules/.bin');
    expect(values).not.toContain(instanceOf({ dataDir } as TesseraServer).control);
    for (const own of ['EDITOR=my-editor', 'MY_OWN=kept', 'NO_COLOR=1', `HOME=${server.home}`])
      expect(values.split('\0')).toContain(own);
    await run(server, cliBundle, ['stop', '--end-sessions', '--data-dir', dataDir]);
    await until('the shell to end', () => !isAlive(shell));
    await until('all of it to end', () => child.exitCode !== null || child.signalCode !== null);
    await until('the server to end', () => !isAlive(ready.pid));
  } finally {
    child.kill('SIGTERM');
    await until('npm to end', () => child.exitCode !== null || child.signalCode !== null, { timeoutMs: 60_000 });
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test('pain 14: tessera stop leaves terminals running, and with --end-sessions ends them and the pty host', async ({
  server,
}) => {
  const client = await TesseraClient.connect(server);
  const { session } = await client.createTerminal({ x: 0, y: 0 });
  client.close();
  const shell = session.info?.pid ?? 0;
  const host = server.ptyHostPid() ?? 0;
  expect([isAlive(shell), isAlive(host)]).toEqual([true, true]);
  await server.tessera('stop');
  expect([isAlive(server.pid), isAlive(shell), isAlive(host)]).toEqual([false, true, true]);
  await server.stop();
  await server.start();
  expect(server.ptyHostPid()).toBe(host);
  const { stdout } = await server.tessera('stop', '--end-sessions');
  expect(stdout).toBe('Tessera and its terminals have ended.\n');
  expect([isAlive(shell), isAlive(host)]).toEqual([false, false]);
});

test('the browser is opened by a file: no secret stands in the arguments of any program', async ({ server }) => {
  const called = path.join(server.base, 'called');
  // The desktop's opener, played by a script that keeps what it was given.
  const bin = path.join(server.base, 'bin');
  mkdirSync(bin);
  const script = `#!/bin/sh\n[ "$1" = open ] || exit 0\ncp "$2" ${called}.html\nprintf '%s' "$2" > ${called}.new\nmv ${called}.new ${called}\n`;
  writeFileSync(path.join(bin, 'gio'), script, { mode: 0o700 });
  const desktop = { DISPLAY: ':99', XDG_CURRENT_DESKTOP: 'GNOME', PATH: `${bin}:${server.env.PATH}` };
  const second = await run(server, serverBundle, ['--data-dir', server.dataDir], desktop);
  expect([second.code, second.stderr]).toEqual([
    0,
    `Tessera runs already on this data folder (process ${server.pid}).\n`,
  ]);
  await until('the browser to be called', () => existsSync(called));
  const argument = readFileSync(called, 'utf8')
    .trim()
    .replace(/^file:\/\//, '');
  expect(argument).toMatch(new RegExp(`^${server.dataDir}/run/open-[0-9a-f]{24}\\.html$`));
  const token = readFileSync(`${called}.html`, 'utf8').match(/#t=([\w-]{43})/)?.[1] ?? 'none';
  expect([argument, second.stdout, second.stderr, server.log].filter((text) => text.includes(token))).toEqual([]);
  const headless = await run(server, serverBundle, ['--data-dir', server.dataDir]);
  expect(headless.stderr).toContain('no desktop here');
  expect(headless.stderr).toContain('npx tessera login');
});

test('while it starts and while it ends nothing is answered', async ({ server }) => {
  expect(statSync(instanceFile(server)).mode & 0o777).toBe(0o600);
  const host = `Host: 127.0.0.1:${server.port}\r\n`;
  const { control } = instanceOf(server);
  const reply = await ask(server, {
    method: 'POST',
    path: '/api/control/stop',
    headers: { authorization: `Bearer ${control}`, 'content-type': 'application/json' },
    body: '{"endSessions":false}',
  });
  expect(reply.status).toBe(200);
  await until('the server to be gone', () => !isAlive(server.pid));
  expect(await sendBytes(server.port, `GET /login HTTP/1.1\r\n${host}\r\n`)).toBe('');
});
