import { createHash } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import { OpId } from '../../schemas/ids';
import { Closed, FailureError } from '../../schemas/result';
import type { RecordTable } from './records';
import type { Storage } from './storage';

/** How many done operations are remembered at least; a tab repeats one within seconds, over a new server too. */
const KEEP = 1000;

const Operation = Closed({
  v: Type.Literal(1),
  id: OpId,
  /** The call that it belongs to. */
  call: Type.String(),
  /** A hash of what was asked for; absent in records of before there was one. */
  asked: Type.Optional(Type.String()),
  /** What it made: an id, a revision. */
  result: Type.Union([Type.String(), Type.Integer()]),
});
type Operation = Static<typeof Operation>;

/**
 * What was done under which opId, so that a repeated message is answered and not done again. An opId belongs to one
 * call with one set of arguments.
 */
export class Operations {
  private readonly table: RecordTable<Operation>;
  private order: string[];

  /** The one of this storage: whoever writes into the table knows how much is in it. */
  static of(storage: Storage): Operations {
    const operations = ofStorage.get(storage) ?? new Operations(storage);
    ofStorage.set(storage, operations);
    return operations;
  }

  private constructor(private readonly storage: Storage) {
    this.table = storage.records<Operation>('operations', Operation);
    this.order = this.table.all().records.map((operation) => operation.id);
  }

  /** What this operation made, if it was done. Throws `operation-reused` when something else was done under its opId. */
  recall(call: string, opId: string, asked: unknown): string | number | undefined {
    const operation = this.table.get(opId);
    if (!operation) return undefined;
    const same = operation.call === call && (operation.asked === undefined || operation.asked === hashOf(asked));
    if (!same) throw operationReused(opId);
    return operation.result;
  }

  /** Call it in the transaction that does the operation. */
  remember(call: string, opId: string, asked: unknown, result: string | number): void {
    this.table.put({ v: 1, id: opId, call, asked: hashOf(asked), result });
    this.order.push(opId);
    if (this.order.length < 2 * KEEP) return;
    const old = this.order.slice(0, -KEEP);
    this.storage.transaction(() => {
      for (const id of old) this.table.delete(id);
    });
    this.order = this.order.slice(-KEEP);
  }
}

const ofStorage = new WeakMap<Storage, Operations>();

/** The same for equal values, in whatever order their keys are. */
export function hashOf(asked: unknown): string {
  const text = JSON.stringify(asked, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return createHash('sha256').update(text).digest('base64url');
}

export function operationReused(opId: string): FailureError {
  return new FailureError(
    'operation-reused',
    'This request has the number of another one that was done before. Nothing was changed; try again.',
    { opId },
  );
}
