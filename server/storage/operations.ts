import { type Static, Type } from '@sinclair/typebox';
import { OpId } from '../../schemas/ids';
import { Closed } from '../../schemas/result';
import type { RecordTable } from './records';
import type { Storage } from './storage';

/** How many done operations are remembered at least; a tab repeats one within seconds, over a new server too. */
const KEEP = 1000;

const Operation = Closed({
  v: Type.Literal(1),
  id: OpId,
  /** The call that it belongs to: an opId of another call is another operation. */
  call: Type.String(),
  /** What it made: an id, a revision. */
  result: Type.Union([Type.String(), Type.Integer()]),
});
type Operation = Static<typeof Operation>;

/** What was done under which opId, so that a repeated message is answered and not done again. */
export class Operations {
  private readonly table: RecordTable<Operation>;
  private order: string[];

  constructor(private readonly storage: Storage) {
    this.table = storage.records<Operation>('operations', Operation);
    this.order = this.table.all().records.map((operation) => operation.id);
  }

  /** What this operation made, if it was done. */
  recall(call: string, opId: string): string | number | undefined {
    const operation = this.table.get(opId);
    return operation?.call === call ? operation.result : undefined;
  }

  /** Call it in the transaction that does the operation. */
  remember(call: string, opId: string, result: string | number): void {
    this.table.put({ v: 1, id: opId, call, result });
    this.order.push(opId);
    if (this.order.length < 2 * KEEP) return;
    const old = this.order.slice(0, -KEEP);
    this.storage.transaction(() => {
      for (const id of old) this.table.delete(id);
    });
    this.order = this.order.slice(-KEEP);
  }
}
