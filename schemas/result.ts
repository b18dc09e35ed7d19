import { type Static, type TSchema, Type } from '@sinclair/typebox';

/** Why a call failed, for people. `code` picks the sentence in the message files; `message` is the English one for logs and tools. */
export const Failure = Type.Object({
  code: Type.String({ maxLength: 64 }),
  message: Type.String({ maxLength: 2000 }),
  /** Values for the placeholders of the sentence. */
  params: Type.Optional(Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]))),
});
export type Failure = Static<typeof Failure>;

/** What every call over a socket answers. An error is never an empty success. */
export type Result<T> = { ok: true; value: T } | { ok: false; error: Failure };

/** An error that is meant to reach a person with its code; anything else that is thrown becomes `internal`. */
export class FailureError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly params?: Record<string, string | number>,
  ) {
    super(message);
    this.name = 'FailureError';
  }

  toFailure(): Failure {
    return {
      code: this.code,
      message: this.message,
      ...(this.params ? { params: this.params } : {}),
    };
  }
}

/** A closed object: a key that is not listed is refused at the border. */
export function Closed<T extends Record<string, TSchema>>(shape: T) {
  return Type.Object(shape, { additionalProperties: false });
}
