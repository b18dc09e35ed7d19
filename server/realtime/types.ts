import type { CallArgs, CallName, CallResults, NoticeArgs, NoticeName, ServerEvents } from '../../schemas/realtime';

/** One open tab's connection, as a room sees it. */
export interface Tab {
  /** The socket's id; a reconnected tab has a new one. */
  readonly id: string;
  readonly browserSessionId: string;
  emit<E extends keyof ServerEvents>(event: E, ...args: Parameters<ServerEvents[E]>): void;
}

/** Tells every open tab. */
export type Broadcast = <E extends keyof ServerEvents>(event: E, ...args: Parameters<ServerEvents[E]>) => void;

/** What a room answers; arguments are validated before. Throw a FailureError for an error that a person should read. */
export type CallHandlers = {
  [N in CallName]: (args: CallArgs<N>, tab: Tab) => Promise<CallResults[N]> | CallResults[N];
};
export type NoticeHandlers = { [N in NoticeName]: (args: NoticeArgs<N>, tab: Tab) => void };

/** The part of the calls that one room answers, and what it does when a tab is gone. */
export interface RealtimeRoom {
  calls: Partial<CallHandlers>;
  notices?: Partial<NoticeHandlers>;
  tabGone?(tab: Tab): void;
}
