export { Realtime } from './realtime';
export type { Broadcast, CallHandlers, NoticeHandlers, RealtimeRoom, Tab } from './types';
