import { KEY_STORAGE } from '../../schemas/auth';
import type { Hello } from '../../schemas/realtime';
import { FailureError } from '../../schemas/result';
import { call, getSocket, onServer } from './client';
import { dropSessionNews, takeOutputNews } from './session-news';
import { withoutSession, withSession, withSessionList } from './sessions';
import { useCanvases, useConnection, usePtyHost, useSessions, useSettings } from './stores';
import { tabName } from './tab-name';

/** Pauses before a server that refuses is asked again, milliseconds; the last one goes on. */
const PAUSES = [1_000, 2_000, 5_000, 10_000, 30_000];

const reconnected = new Set<() => void>();
const greetings = new Set<() => void>();
/** Sessions about which something arrived since the current hello was asked for. */
const touched = new Set<string>();
let started = false;
let answeredOnce = false;
let attempt = 0;
let refusals = 0;
let nextTry: ReturnType<typeof setTimeout> | undefined;

/** Runs after each reconnect, when the new hello has been taken. Returns what ends it. */
export function onReconnected(listener: () => void): () => void {
  reconnected.add(listener);
  return () => reconnected.delete(listener);
}

/** Runs with each greeting, before its answer is there: for what can be asked along with it. Returns what ends it. */
export function onGreeting(listener: () => void): () => void {
  greetings.add(listener);
  return () => greetings.delete(listener);
}

/** Knocks at the server while the page is still waking up; `startConnection` takes it from there. */
export function beginConnection(): void {
  if (localStorage.getItem(KEY_STORAGE)) connect();
}

/** Not while an attempt is on its way: the library would knock a second time, and the server hangs up on who does. */
function connect(): void {
  const socket = getSocket();
  if (!socket.active) socket.connect();
}

/** Opens the connection of this tab, once; it lives as long as the page. */
export function startConnection(): void {
  if (started) return;
  started = true;
  // Before anybody can duplicate the tab.
  tabName();
  if (!localStorage.getItem(KEY_STORAGE)) {
    signOut();
    return;
  }

  const socket = getSocket();
  onServer('settings:changed', (settings) => useSettings.setState({ settings }));
  onServer('projects:changed', (projects) => useCanvases.setState({ projects }));
  onServer('canvases:changed', (canvases) => useCanvases.setState({ canvases }));
  onServer('pty-host:changed', (ptyHost) => usePtyHost.setState({ ptyHost }));
  onServer('session:changed', (view) => {
    touched.add(view.record.id);
    useSessions.setState(({ sessions }) => ({ sessions: withSession(sessions, view) }));
  });
  onServer('sessions:output', (infos) => {
    const { sessions } = useSessions.getState();
    for (const { sessionId } of infos) if (sessionId in sessions) touched.add(sessionId);
    takeOutputNews(infos);
  });
  onServer('session:removed', ({ sessionId }) => {
    touched.add(sessionId);
    dropSessionNews(sessionId);
    useSessions.setState(({ sessions }) => ({ sessions: withoutSession(sessions, sessionId) }));
  });
  onServer('auth:revoked', toLogin);

  socket.on('connect', () => void sayHello());
  socket.on('disconnect', (reason) => {
    if (useConnection.getState().status === 'signed-out') return;
    clearTimeout(nextTry);
    trying();
    // The library does not come back by itself when the server closed the connection.
    if (reason === 'io server disconnect') nextTry = setTimeout(retryConnection, 250);
  });
  socket.on('connect_error', (error: Error & { data?: { code?: string; message?: string } }) => {
    const { code, message } = error.data ?? {};
    if (code === 'unauthorized') toLogin();
    else if (code) refused(new FailureError(code, message ?? error.message));
    else {
      trying();
      // Not while the library tries again by itself.
      if (!socket.active) nextTry = setTimeout(retryConnection, 1_000);
      void signOutIfPageIsRefused();
    }
  });
  if (socket.connected) void sayHello();
  else connect();
}

/** Asks a server that refused again, now. */
export function retryConnection(): void {
  const { status } = useConnection.getState();
  if (status === 'connected' || status === 'signed-out') return;
  clearTimeout(nextTry);
  trying();
  const socket = getSocket();
  if (socket.connected) void sayHello();
  else connect();
}

function trying(): void {
  useConnection.setState({ status: answeredOnce ? 'reconnecting' : 'connecting', failure: null });
}

function refused(error: unknown): void {
  const failure = error instanceof FailureError ? error.toFailure() : { code: 'internal', message: String(error) };
  useConnection.setState({ status: 'refused', failure });
  clearTimeout(nextTry);
  nextTry = setTimeout(retryConnection, PAUSES[Math.min(refusals++, PAUSES.length - 1)]);
}

async function sayHello(): Promise<void> {
  const mine = ++attempt;
  clearTimeout(nextTry);
  touched.clear();
  dropSessionNews();
  let hello: Hello;
  try {
    const answer = call('app:hello', {});
    for (const listener of greetings) listener();
    hello = await answer;
  } catch (error) {
    console.warn('The server did not answer the greeting', error);
    // After a lost connection the next one greets by itself.
    const lost = error instanceof FailureError && error.code === 'disconnected';
    if (mine === attempt && !lost) refused(error);
    return;
  }
  if (mine !== attempt) return;
  refusals = 0;
  useSettings.setState({ settings: hello.settings });
  useCanvases.setState({ projects: hello.projects, canvases: hello.canvases });
  usePtyHost.setState({ ptyHost: hello.ptyHost });
  useSessions.setState(({ sessions }) => ({ sessions: withSessionList(sessions, hello.sessions, touched) }));
  useConnection.setState({ status: 'connected', hello, failure: null });
  const again = answeredOnce;
  answeredOnce = true;
  if (again) for (const listener of reconnected) listener();
}

/** A refused upgrade tells a browser nothing; whether the page itself would now be refused says why. */
async function signOutIfPageIsRefused(): Promise<void> {
  try {
    const reply = await fetch('/', { method: 'HEAD', redirect: 'manual', cache: 'no-store' });
    if (reply.type === 'opaqueredirect' || reply.status === 401 || reply.status === 403) toLogin();
  } catch {
    // The server is not there: the socket goes on trying and the page says "reconnecting".
    return;
  }
}

/** Drops the key of this browser and shows the login page. */
export function signOut(): void {
  localStorage.removeItem(KEY_STORAGE);
  toLogin();
}

/** Shows the login page. By a key that opens nothing any more that page knows that this browser was signed out. */
function toLogin(): void {
  if (useConnection.getState().status === 'signed-out') return;
  clearTimeout(nextTry);
  useConnection.setState({ status: 'signed-out', failure: null });
  getSocket().disconnect();
  location.assign('/login');
}
