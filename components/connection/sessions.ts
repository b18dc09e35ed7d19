import type { SessionInfo, SessionView } from '../../schemas/terminals';

export type SessionMap = Readonly<Record<string, SessionView>>;

/**
 * Takes what arrived about one session, but never an older `info` than the one that is known: an answer that was on
 * its way while the session changed must not turn it back.
 */
export function withSession(sessions: SessionMap, view: SessionView): SessionMap {
  const known = sessions[view.record.id];
  const stale = known?.info && view.info && view.info.revision < known.info.revision;
  return { ...sessions, [view.record.id]: stale ? { record: view.record, info: known.info } : view };
}

/** Takes how far output has got; of a session that is not known nothing. */
export function withOutput(sessions: SessionMap, infos: Iterable<SessionInfo>): SessionMap {
  const next: Record<string, SessionView> = { ...sessions };
  for (const info of infos) {
    const known = next[info.sessionId];
    if (!known || (known.info && info.revision < known.info.revision)) continue;
    next[info.sessionId] = { record: known.record, info };
  }
  return next;
}

export function withoutSession(sessions: SessionMap, sessionId: string): SessionMap {
  if (!(sessionId in sessions)) return sessions;
  const { [sessionId]: _gone, ...rest } = sessions;
  return rest;
}

/**
 * The list of a fresh hello. `touched` names the sessions about which something arrived while the hello was on its
 * way: of those what we know stays (also that they are gone), of all others the list decides.
 */
export function withSessionList(known: SessionMap, list: SessionView[], touched: ReadonlySet<string>): SessionMap {
  let next: SessionMap = Object.fromEntries(Object.entries(known).filter(([id]) => touched.has(id)));
  for (const view of list) {
    const id = view.record.id;
    if (touched.has(id)) {
      if (id in known) next = withSession(next, view);
    } else {
      next = { ...next, [id]: view };
    }
  }
  return next;
}
