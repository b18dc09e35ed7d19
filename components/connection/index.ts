export { call, notify, onServer } from './client';
export { beginConnection, onGreeting, onReconnected, retryConnection, signOut, startConnection } from './lifecycle';
export { holdSessionNews } from './session-news';
export { withSession } from './sessions';
export { type ConnectionStatus, useCanvases, useConnection, usePtyHost, useSessions, useSettings } from './stores';
export { tabName } from './tab-name';
export { useSession } from './use-session';
