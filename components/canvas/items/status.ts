import type { Need } from '../../../schemas/attention';
import type { PtyHostState } from '../../../schemas/realtime';
import type { SessionView } from '../../../schemas/terminals';
import type { Translate } from '../../i18n';
import type { Shape, Tone } from '../../ui';

export interface Status {
  /** What the minimap and the summary colour by. */
  state: 'unknown' | 'ready' | 'busy' | 'need' | 'ended' | 'failed';
  tone: Tone;
  shape: Shape;
  word: string;
  /** More about it, for a tooltip. */
  title?: string;
}

/** Nothing is known of the session yet: what it waits for. */
const wordWithoutInfo = {
  connected: 'status.starting',
  starting: 'status.starting',
  silent: 'status.waiting',
  mismatch: 'status.unreachable',
  gone: 'status.unreachable',
} as const satisfies Record<PtyHostState['state'], string>;

/** What a terminal's card says of its session, in a word, a shape and a colour. */
export function statusOf(
  view: SessionView | undefined,
  need: Need | undefined,
  ptyHost: PtyHostState['state'],
  t: Translate,
): Status {
  const info = view?.info;
  if (!info)
    return {
      state: 'unknown',
      tone: 'idle',
      shape: 'dash',
      word: t(wordWithoutInfo[ptyHost]),
    };
  if (info.state === 'ended') {
    const { code, signal } = info.exit ?? {};
    if (signal)
      return {
        state: 'failed',
        tone: 'bad',
        shape: 'diamond',
        word: t('status.signal', { signal }),
        title: t('status.signalTitle', { signal }),
      };
    if (code)
      return {
        state: 'failed',
        tone: 'bad',
        shape: 'diamond',
        word: t('status.exit', { code }),
        title: t('status.exitTitle', { code }),
      };
    return {
      state: 'ended',
      tone: 'idle',
      shape: 'square',
      word: t('status.ended'),
      title: code === undefined ? t('status.endedUnseen') : undefined,
    };
  }
  if (need)
    return {
      state: 'need',
      tone: 'need',
      shape: 'ring',
      word: need.title || need.body || t(`status.need.${need.why}`),
      title: [need.title, need.body].filter(Boolean).join(': ') || undefined,
    };
  if (info.progress) {
    if (info.progress.state === 'error')
      return { state: 'failed', tone: 'bad', shape: 'diamond', word: t('status.progressFailed') };
    const word =
      info.progress.state === 'indeterminate'
        ? t('status.busy')
        : t('status.progress', { percent: info.progress.percent });
    return { state: 'busy', tone: 'work', shape: 'dot', word };
  }
  if (info.busy) return { state: 'busy', tone: 'work', shape: 'dot', word: t('status.busy') };
  if (info.lastStatus)
    return { state: 'ready', tone: 'idle', shape: 'ring', word: t('status.lastFailed', { code: info.lastStatus }) };
  return { state: 'ready', tone: 'idle', shape: 'ring', word: t('status.ready') };
}

/** The name of a program without its folder. */
export const programName = (program: string) => program.slice(program.lastIndexOf('/') + 1);
