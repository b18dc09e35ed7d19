import { setTimeout as pause } from 'node:timers/promises';
import type { PtyHostClient } from '../../schemas/pty-host';
import { FailureError } from '../../schemas/result';
import { TerminalLimits } from '../../schemas/terminals';
import type { RealtimeRoom, Tab } from '../realtime';
import type { Closings } from './closings';
import type { Terminals } from './terminals';
import { Viewers } from './viewers';

/** Input of this many bytes is a key. */
const KEY_BYTES = 64;
/** Time for its echo, milliseconds. */
const ECHO_FIRST_MS = 6;

/** The calls and notices of tabs about terminals. */
export function terminalsRoom(terminals: Terminals, closings: Closings): RealtimeRoom {
  const { viewers, link } = terminals;
  /** Views that wait for their terminal, with the last of them that asked. */
  const arriving = new Map<string, object>();

  /** A change of how a viewer looks on; without a host it counts when the viewer is attached to the next. */
  const requireViewer = (key: string, change: Parameters<Viewers['update']>[1]) => {
    if (!viewers.update(key, change)) throw viewerMissing(key);
  };

  return {
    calls: {
      'terminal:create': (args) => terminals.create(args),
      'terminal:restart': (args) => terminals.restart(args),
      'terminal:rename': ({ sessionId, name }) => terminals.rename(sessionId, name),
      'terminal:processes': ({ sessionId }) => terminals.processes(sessionId),
      'terminal:close': ({ sessionId }) => closings.now(sessionId),
      'terminal:close-later': ({ sessionId }) => closings.later(sessionId),
      'terminal:keep': ({ sessionId }) => closings.keep(sessionId),
      'terminal:journal': ({ sessionId, on }) => terminals.journal(sessionId, on),

      'attention:settle': ({ sessionIds }) => {
        terminals.attention.settle(sessionIds);
        return null;
      },

      'terminal:attach': async ({ viewerId, ...attach }, tab) => {
        const key = Viewers.key(tab, viewerId);
        const wish = {};
        arriving.set(key, wish);
        let client: PtyHostClient;
        try {
          client = await terminals.hostWithScreen(attach.sessionId);
          // The tab went, or took its view back, while it waited.
          if (!arriving.has(key)) throw viewerMissing(key);
        } finally {
          if (arriving.get(key) === wish) arriving.delete(key);
        }
        const args = viewers.add(tab, viewerId, attach);
        try {
          const { info } = await client.call('attach', args);
          return { info: terminals.heard(info) };
        } catch (error) {
          // The host may carry it out after all; then nobody would be there to look.
          if (viewers.takeBack(args)) client.call('detach', { viewerId: key }).catch(() => undefined);
          throw error;
        }
      },
      'terminal:detach': async ({ viewerId }, tab) => {
        const key = Viewers.key(tab, viewerId);
        arriving.delete(key);
        if (viewers.remove(key)) await link.now?.call('detach', { viewerId: key });
        return null;
      },
      'terminal:visibility': async ({ viewerId, visibility }, tab) => {
        const key = Viewers.key(tab, viewerId);
        requireViewer(key, { visibility });
        await link.now?.call('visibility', { viewerId: key, visibility });
        return null;
      },
      'terminal:resync': async ({ viewerId, history }, tab) => {
        const key = Viewers.key(tab, viewerId);
        requireViewer(key, { history });
        await link.now?.call('resync', { viewerId: key, history });
        return null;
      },
      'terminal:size': async ({ viewerId, cols, rows }, tab) => {
        const key = Viewers.key(tab, viewerId);
        requireViewer(key, { cols, rows });
        await link.now?.call('size', { viewerId: key, cols, rows });
        return null;
      },
      'terminal:theme': async ({ viewerId, theme }, tab) => {
        const key = Viewers.key(tab, viewerId);
        requireViewer(key, { theme });
        await link.now?.call('theme', { viewerId: key, theme });
        return null;
      },
      'terminal:input': async ({ viewerId, sessionId, seq, bytes, paste }, tab) => {
        requireBytes(bytes);
        const client = link.now ?? (await link.ready());
        const key = Viewers.key(tab, viewerId);
        await client.call(
          'input',
          {
            ...(viewers.has(key) ? { viewerId: key } : {}),
            sessionId,
            // The page's own name of the viewer outlives its socket, so a repeated piece is known as one.
            inputId: viewerId,
            seq,
            ...(paste ? { paste } : {}),
          },
          bytes,
        );
        // The page is waiting for the echo of a key, not for this answer, and it would be on its way just then.
        if (bytes.length < KEY_BYTES) await pause(ECHO_FIRST_MS);
        return null;
      },
    },
    notices: {
      'terminal:ack': ({ viewerId, offset }, tab) => {
        const key = Viewers.key(tab, viewerId);
        if (viewers.has(key)) link.now?.notice('ack', { viewerId: key, offset });
      },
      'terminal:frame-ack': ({ viewerId, frame }, tab) => {
        const key = Viewers.key(tab, viewerId);
        if (viewers.has(key)) link.now?.notice('frameAck', { viewerId: key, frame });
      },
    },
    tabGone: (tab: Tab) => {
      for (const key of arriving.keys()) if (Viewers.isOf(key, tab)) arriving.delete(key);
      for (const key of viewers.removeTab(tab)) {
        // The host may be going too; then there is nothing to detach from.
        link.now?.call('detach', { viewerId: key }).catch(() => undefined);
      }
    },
  };
}

const viewerMissing = (key: string): FailureError =>
  new FailureError('viewer-missing', 'This view of a terminal is not attached.', { viewerId: key });

/** The schema cannot say that it is bytes. */
function requireBytes(bytes: unknown): asserts bytes is Uint8Array {
  if (!(bytes instanceof Uint8Array)) {
    throw new FailureError('bad-input', 'Input for a terminal must be bytes.');
  }
  if (bytes.length > TerminalLimits.maxInputBytes) {
    throw new FailureError('input-too-large', `One piece of input is at most ${TerminalLimits.maxInputBytes} bytes.`, {
      max: TerminalLimits.maxInputBytes,
    });
  }
}
