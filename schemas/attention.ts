import { type Static, Type } from '@sinclair/typebox';
import { Id } from './ids';
import { Closed } from './result';

/** Why a session needs the person. Kept by the server until somebody has looked: a reload or another tab shows it too. */
export const Need = Closed({
  sessionId: Id,
  /** It ended badly; its program sent a note (OSC 9 or 777); it rang. */
  why: Type.Union([Type.Literal('failed'), Type.Literal('notification'), Type.Literal('bell')]),
  title: Type.Optional(Type.String({ maxLength: 200 })),
  body: Type.Optional(Type.String({ maxLength: 1000 })),
  /** Milliseconds since the epoch. */
  at: Type.Integer({ minimum: 0 }),
});
export type Need = Static<typeof Need>;
