import { followImages } from './images';
import { Mirror } from './mirror';
import { followShell, type ShellState, type Signal } from './osc';
import { packPayloads } from './payloads';
import { answerQueries } from './queries';

export interface ScreenHooks {
  now(): number;
  /** The terminal's answer to a program that asked. */
  answer(reply: string): void;
  /** Something that the shell tells of itself has changed. */
  changed(): void;
  signal(signal: Signal): void;
  failed(error: unknown): void;
}

/** The screen of a session that has printed `offset` bytes before, with all that listens to what is printed on it. */
export function sessionScreen(
  size: { cols: number; rows: number; scrollback: number },
  offset: number,
  hooks: ScreenHooks,
): { mirror: Mirror; shell: ShellState } {
  const mirror = new Mirror(size, { answer: hooks.answer, failed: hooks.failed, now: hooks.now });
  mirror.offset = offset;
  answerQueries(mirror, hooks.answer);
  followImages(mirror);
  const shell = followShell(mirror, { changed: hooks.changed, signal: hooks.signal, now: hooks.now });
  packPayloads(mirror.core);
  return { mirror, shell };
}
