import { KEY_STORAGE } from '../../schemas/auth';
import type { Hello } from '../../schemas/realtime';
import { call, getSocket, onServer } from './client';
import { withoutSession, withSession, withSessionList } from './sessions';
import { useCanvases, useConnection, usePtyHost, useSessions, useSettings } from './stores';

const reconnected = new Set<() => void>();
/** Sessions about which something arrived since the current hello was asked for. */
const touched = new Set<string>();
let started = false;
let answeredOnce = false;
let attempt = 0;

/** Runs after each reconnect, when the new hello has been taken. Returns what ends it. */
export function onReconnected(listener: () => void): () => void {
  reconnected.add(listener);
  return () => reconnected.delete(listener);
}

/** Opens the connection of this tab, once; it lives as long as the page. */
export function startConnection(): void {
  if (started) return;
  started = true;
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
  onServer('session:removed', ({ sessionId }) => {
    touched.add(sessionId);
    useSessions.setState(({ sessions }) => ({ sessions: withoutSession(sessions, sessionId) }));
  });
  onServer('auth:revoked', signOut);

  socket.on('connect', () => void sayHello());
  socket.on('disconnect', (reason) => {
    if (useConnection.getState().status === 'signed-out') return;
    useConnection.setState({ status: answeredOnce ? 'reconnecting' : 'connecting' });
    // The library does not come back by itself when the server closed the connection.
    if (reason === 'io server disconnect') setTimeout(() => socket.connect(), 250);
  });
  socket.on('connect_error', (error: Error & { data?: { code?: string } }) => {
    if (error.data?.code === 'signed-out' || /signed.out|unauthori[sz]ed|forbidden/i.test(error.message)) {
      signOut();
      return;
    }
    useConnection.setState({ status: answeredOnce ? 'reconnecting' : 'connecting' });
    // A refusal by a server that is there: the library does not try again by itself. It may be starting.
    if (!socket.active) setTimeout(() => socket.connect(), 1_000);
    void signOutIfPageIsRefused();
  });
  socket.connect();
}

async function sayHello(): Promise<void> {
  const mine = ++attempt;
  touched.clear();
  let hello: Hello;
  try {
    hello = await call('app:hello', {});
  } catch (error) {
    // A connection that cannot even say hello is no connection: start over.
    console.warn('The server did not answer the greeting', error);
    if (mine === attempt) getSocket().disconnect().connect();
    return;
  }
  if (mine !== attempt) return;
  useSettings.setState({ settings: hello.settings });
  useCanvases.setState({ projects: hello.projects, canvases: hello.canvases });
  usePtyHost.setState({ ptyHost: hello.ptyHost });
  useSessions.setState(({ sessions }) => ({ sessions: withSessionList(sessions, hello.sessions, touched) }));
  useConnection.setState({ status: 'connected', hello });
  const again = answeredOnce;
  answeredOnce = true;
  if (again) for (const listener of reconnected) listener();
}

/** A refused upgrade tells a browser nothing; whether the page itself would now be refused says why. */
async function signOutIfPageIsRefused(): Promise<void> {
  try {
    const reply = await fetch('/', { method: 'HEAD', redirect: 'manual', cache: 'no-store' });
    if (reply.type === 'opaqueredirect' || reply.status === 401 || reply.status === 403) signOut();
  } catch {
    // The server is not there: the socket goes on trying and the page says "reconnecting".
    return;
  }
}

/** Drops the key of this browser and shows the login page. */
export function signOut(): void {
  if (useConnection.getState().status === 'signed-out') return;
  useConnection.setState({ status: 'signed-out' });
  getSocket().disconnect();
  localStorage.removeItem(KEY_STORAGE);
  location.assign('/login');
}
