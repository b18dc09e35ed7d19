import type { TSchema } from '@sinclair/typebox';
import { nanoid } from 'nanoid';
import type { Logger } from 'pino';
import { plainDataProblem } from '../../schemas/plain';
import {
  type CallArgs,
  type CallName,
  type CallResults,
  calls,
  type NoticeArgs,
  type NoticeName,
  notices,
} from '../../schemas/realtime';
import { type Failure, FailureError, type Result } from '../../schemas/result';
import { TerminalLimits } from '../../schemas/terminals';
import { Validators } from '../../schemas/validators';
import { fromWire } from '../../schemas/wire-bytes';
import type { RealtimeRoom, Tab } from './types';

const shapes: Readonly<Record<string, TSchema>> = { ...calls, ...notices };

/** Calls and notices that not exactly one room answers. */
export function strayCalls(rooms: readonly RealtimeRoom[]): string[] {
  const answering = (name: string) =>
    rooms.filter((room) => name in room.calls || (room.notices && name in room.notices));
  return [...Object.keys(calls), ...Object.keys(notices)].filter((name) => answering(name).length !== 1);
}

/** Brings a tab's messages to the rooms: nothing unknown, nothing malformed, and no error that ends the process. */
export class Dispatcher {
  private readonly validators = new Validators({ strict: true, strictTypes: false, allErrors: false });
  private rooms: readonly RealtimeRoom[] = [];

  constructor(private readonly log: Logger) {}

  use(rooms: readonly RealtimeRoom[]): void {
    this.rooms = rooms;
  }

  /** Answers a call. Never throws. The name is what a tab sent: the library takes numbers too. */
  async call(name: string, args: unknown, tab: Tab): Promise<Result<unknown>> {
    try {
      if (!Object.hasOwn(calls, name))
        throw new FailureError('unknown-call', `There is no call "${String(name).slice(0, 64)}".`);
      this.check(name, args);
      return { ok: true, value: await this.run(name as CallName, args as never, tab) };
    } catch (error) {
      return { ok: false, error: this.failureOf(error, name) };
    }
  }

  /** Passes a notice on; what is wrong with it is only in the log, as nobody waits for an answer. */
  notice(name: string, args: unknown, tab: Tab): void {
    try {
      this.check(name, args);
      for (const room of this.rooms) {
        const handler = room.notices?.[name as NoticeName] as
          | ((args: NoticeArgs<NoticeName>, tab: Tab) => void)
          | undefined;
        handler?.(args as NoticeArgs<NoticeName>, tab);
      }
    } catch (error) {
      this.log.debug({ notice: name, failure: this.failureOf(error, name) }, 'notice refused');
    }
  }

  tabGone(tab: Tab): void {
    for (const room of this.rooms) {
      try {
        room.tabGone?.(tab);
      } catch (error) {
        this.log.error({ err: error }, 'a room failed when a tab went');
      }
    }
  }

  private run<N extends CallName>(name: N, args: CallArgs<N>, tab: Tab): Promise<CallResults[N]> | CallResults[N] {
    for (const room of this.rooms) {
      const handler = room.calls[name];
      if (handler) return handler(args, tab);
    }
    throw new Error(`no room answers ${name}`);
  }

  private check(name: string, args: unknown): void {
    const problem = plainDataProblem(args);
    if (problem) throw new FailureError('bad-arguments', `${name}: ${problem}.`, { call: name, where: problem });
    const validate = this.validators.of(shapes[name]!);
    if (!validate(args)) {
      const first = validate.errors?.[0];
      const where = first?.instancePath || '/';
      throw new FailureError('bad-arguments', `${name}: ${where} ${first?.message ?? 'is wrong'}.`, {
        call: name,
        where,
      });
    }
    if (name === 'terminal:input') {
      const input = args as { bytes: unknown };
      const bytes = fromWire(input.bytes);
      if (!bytes || bytes.length > TerminalLimits.maxInputBytes) {
        throw new FailureError(
          'bad-arguments',
          `${name}: /bytes must be at most ${TerminalLimits.maxInputBytes} bytes.`,
          { call: name, where: '/bytes' },
        );
      }
      input.bytes = bytes;
    }
  }

  private failureOf(error: unknown, call: string): Failure {
    if (error instanceof FailureError) return error.toFailure();
    const id = nanoid(8);
    this.log.error({ err: error, id, call }, 'call failed');
    return {
      code: 'internal',
      message: `Something went wrong in the server; its log has it under ${id}.`,
      params: { id },
    };
  }
}
