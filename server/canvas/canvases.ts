import { type Static, Type } from '@sinclair/typebox';
import { nanoid } from 'nanoid';
import {
  Canvas,
  CanvasItem,
  type CanvasState,
  type CorruptItem,
  type ItemChange,
  type TerminalCard,
} from '../../schemas/canvas';
import { Id } from '../../schemas/ids';
import { Closed, FailureError } from '../../schemas/result';
import type { Broadcast } from '../realtime';
import { Operations, type RecordTable, type Storage } from '../storage';
import { CanvasDocument, type Changer, type Prepared } from './document';

/** More tabs than anyone can tell apart. */
const MAX_CANVASES = 200;
/** The canvas that a project begins with. */
const FIRST_NAME = 'Main';

const Revision = Closed({ v: Type.Literal(1), id: Id, revision: Type.Integer({ minimum: 0 }) });
type Revision = Static<typeof Revision>;

/** What the terminals room wants to know of canvases. */
export interface CanvasListener {
  /** Before a canvas goes with these sessions on it. Throw to refuse; else the sessions must be gone when it returns. */
  deleting(sessionIds: string[]): Promise<void>;
  /** A person dropped an item that could not be read; it may have been the card of a session. Must not throw: it is done. */
  discarded(canvasId: string): void;
}

/** What happens together with a change of a canvas. */
export interface Companion {
  /** In the same transaction: all or nothing. */
  stored?: () => void;
  /** When it is on disk, before any tab hears of the change. */
  committed?: () => void;
}

/** All canvases of all projects, on disk and in memory; the disk is always first. */
export class Canvases {
  private readonly table: RecordTable<Canvas>;
  private readonly itemTable: RecordTable<CanvasItem>;
  private readonly revisions: RecordTable<Revision>;
  private readonly operations: Operations;
  private readonly canvases = new Map<string, Canvas>();
  private readonly documents = new Map<string, CanvasDocument>();
  private readonly projects = new Set<string>();
  private listener: CanvasListener | undefined;

  constructor(
    private readonly storage: Storage,
    private readonly broadcast: Broadcast,
  ) {
    this.table = storage.records<Canvas>('canvases', Canvas);
    this.itemTable = storage.records<CanvasItem>('canvas_items', CanvasItem);
    this.revisions = storage.records<Revision>('canvas_revisions', Revision);
    this.operations = Operations.of(storage);
    const revisions = new Map(this.revisions.all().records.map(({ id, revision }) => [id, revision]));
    for (const canvas of this.table.all().records) {
      this.canvases.set(canvas.id, canvas);
      const items = this.itemTable.all(canvas.id).records;
      this.documents.set(canvas.id, new CanvasDocument(canvas.id, items, revisions.get(canvas.id) ?? 0));
    }
  }

  listen(listener: CanvasListener): void {
    this.listener = listener;
  }

  list(): Canvas[] {
    return [...this.canvases.values()].sort((a, b) => a.position - b.position);
  }

  get(canvasId: string): Canvas {
    const canvas = this.canvases.get(canvasId);
    if (!canvas) throw new FailureError('canvas-missing', 'This canvas is not there any more.', { canvasId });
    return canvas;
  }

  /** Canvases themselves that cannot be read; items are reported with their canvas. */
  corrupt(): { table: string; id: string; reason: string }[] {
    return [this.table, this.revisions].flatMap((table) =>
      table.all().corrupt.map((record) => ({ table: table.name, ...record })),
    );
  }

  /** The project's first canvas, made if it has none. */
  ensure(projectId: string): Canvas {
    this.projects.add(projectId);
    return this.list().find((canvas) => canvas.projectId === projectId) ?? this.make(projectId, FIRST_NAME);
  }

  create(opId: string, projectId: string, name: string): Canvas {
    const asked = { projectId, name };
    const done = this.operations.recall('canvas:create', opId, asked);
    const made = typeof done === 'string' ? this.canvases.get(done) : undefined;
    if (made) return made;
    if (!this.projects.has(projectId)) {
      throw new FailureError('project-missing', 'This project is not open any more.', { projectId });
    }
    return this.make(projectId, name, (canvas) => this.operations.remember('canvas:create', opId, asked, canvas.id));
  }

  rename(canvasId: string, name: string): Canvas {
    const canvas = { ...this.get(canvasId), name };
    this.table.put(canvas);
    this.canvases.set(canvasId, canvas);
    this.tellList();
    return canvas;
  }

  async delete(canvasId: string): Promise<void> {
    const canvas = this.get(canvasId);
    this.requireDeletable(canvas);
    const sessionIds = this.cards(canvasId).map((card) => card.sessionId);
    if (sessionIds.length > 0) await this.listener?.deleting(sessionIds);
    // Others may have changed things while we waited.
    this.requireDeletable(this.get(canvasId));
    if (this.cards(canvasId).length > 0) {
      throw new FailureError('canvas-busy', `Terminals run on ${canvas.name}. Close them first.`, {
        name: canvas.name,
      });
    }
    this.storage.transaction(() => {
      for (const item of this.document(canvasId).all()) this.itemTable.delete(item.id);
      this.revisions.discard(canvasId);
      this.revisions.delete(canvasId);
      this.table.delete(canvasId);
    });
    this.canvases.delete(canvasId);
    this.documents.delete(canvasId);
    this.tellList();
  }

  open(canvasId: string): CanvasState {
    const canvas = this.get(canvasId);
    const document = this.document(canvasId);
    return { canvas, revision: document.revision, items: document.all(), corrupt: this.corruptItems(canvasId) };
  }

  corruptItems(canvasId: string): CorruptItem[] {
    return this.itemTable.all(canvasId).corrupt;
  }

  /** A repeated opId is answered with the revision of the first time; with other changes it is refused. */
  apply(canvasId: string, opId: string, changes: readonly ItemChange[]): number {
    this.get(canvasId);
    const asked = { canvasId, changes };
    const done = this.operations.recall('canvas:apply', opId, asked);
    if (typeof done === 'number') return done;
    return this.change(canvasId, changes, 'page', { operation: { opId, asked } });
  }

  discardCorrupt(canvasId: string, itemId: string): void {
    this.get(canvasId);
    const revision = this.document(canvasId).revision + 1;
    const dropped = this.storage.transaction(() => {
      if (!this.itemTable.discard(itemId, canvasId)) return false;
      this.putRevision(canvasId, revision);
      return true;
    });
    if (!dropped) return;
    const changes: ItemChange[] = [{ type: 'remove', id: itemId }];
    this.document(canvasId).commit({ revision, puts: [], removes: [], changes });
    this.broadcast('canvas:changed', { canvasId, revision, changes });
    this.listener?.discarded(canvasId);
  }

  /** The cards of terminals, of one canvas or of all. */
  cards(canvasId?: string): (TerminalCard & { canvasId: string })[] {
    const documents = canvasId ? [this.document(canvasId)] : [...this.documents.values()];
    return documents.flatMap((document) =>
      document.all().flatMap((item) => (item.kind === 'terminal' ? [{ ...item, canvasId: document.id }] : [])),
    );
  }

  /** For the terminals room: puts a terminal's card, brought to the front. */
  putCard(canvasId: string, card: Omit<TerminalCard, 'v' | 'kind' | 'z'>, companion: Companion = {}): TerminalCard {
    this.get(canvasId);
    const item: TerminalCard = { v: 1, kind: 'terminal', ...card, z: this.document(canvasId).top + 1 };
    this.change(canvasId, [{ type: 'put', item }], 'terminals', { companion: companion });
    return item;
  }

  /** As `putCard`, and in the same step takes the session's cards away from every other canvas. */
  moveCard(canvasId: string, card: Omit<TerminalCard, 'v' | 'kind' | 'z'>, companion: Companion = {}): TerminalCard {
    const others = this.cards().filter((other) => other.sessionId === card.sessionId && other.canvasId !== canvasId);
    const left = [...new Set(others.map((other) => other.canvasId))].map((id) => {
      const changes = others.flatMap((other): ItemChange[] =>
        other.canvasId === id ? [{ type: 'remove', id: other.id }] : [],
      );
      return { canvasId: id, prepared: this.document(id).prepare(changes, 'terminals') };
    });
    const item = this.putCard(canvasId, card, {
      stored: () => {
        for (const { canvasId: id, prepared } of left) this.write(id, prepared);
        companion.stored?.();
      },
      committed: () => {
        for (const { canvasId: id, prepared } of left) this.document(id).commit(prepared);
        companion.committed?.();
      },
    });
    for (const { canvasId: id, prepared } of left) {
      this.broadcast('canvas:changed', { canvasId: id, revision: prepared.revision, changes: prepared.changes });
    }
    return item;
  }

  /** For the terminals room: removes the cards of a session, wherever they are. */
  removeCards(sessionId: string, companion: Companion = {}): void {
    const cards = this.cards().filter((card) => card.sessionId === sessionId);
    const [first, ...others] = cards;
    if (!first) {
      if (companion.stored) this.storage.transaction(companion.stored);
      companion.committed?.();
      return;
    }
    this.change(first.canvasId, [{ type: 'remove', id: first.id }], 'terminals', { companion: companion });
    for (const card of others) this.change(card.canvasId, [{ type: 'remove', id: card.id }], 'terminals');
  }

  /** The canvas of this name in a project, made if there is none. */
  named(projectId: string, name: string): Canvas {
    const found = this.list().find((canvas) => canvas.projectId === projectId && canvas.name === name);
    return found ?? this.make(projectId, name);
  }

  /** On disk first, then in memory, then told: no tab ever sees what a restart would lose. */
  private change(
    canvasId: string,
    changes: readonly ItemChange[],
    changer: Changer,
    { operation, companion }: { operation?: { opId: string; asked: unknown }; companion?: Companion } = {},
  ): number {
    const document = this.document(canvasId);
    const prepared = document.prepare(changes, changer);
    this.storage.transaction(() => {
      this.write(canvasId, prepared);
      if (operation) this.operations.remember('canvas:apply', operation.opId, operation.asked, prepared.revision);
      companion?.stored?.();
    });
    document.commit(prepared);
    companion?.committed?.();
    if (prepared.changes.length > 0) {
      this.broadcast('canvas:changed', {
        canvasId,
        revision: prepared.revision,
        changes: prepared.changes,
        ...(operation ? { opId: operation.opId } : {}),
      });
    }
    return prepared.revision;
  }

  /** In a transaction. */
  private write(canvasId: string, { puts, removes, revision }: Prepared): void {
    for (const item of puts) this.itemTable.put(item, canvasId);
    for (const id of removes) this.itemTable.delete(id);
    if (revision !== this.document(canvasId).revision) this.putRevision(canvasId, revision);
  }

  /** A counter that cannot be read is only a counter: it is set aside and goes on from what tabs know. */
  private putRevision(canvasId: string, revision: number): void {
    this.revisions.setAside(canvasId);
    this.revisions.put({ v: 1, id: canvasId, revision });
  }

  private make(projectId: string, name: string, also?: (canvas: Canvas) => void): Canvas {
    if (this.canvases.size >= MAX_CANVASES) {
      throw new FailureError('too-many-canvases', `There are ${MAX_CANVASES} canvases already. Delete one first.`, {
        max: MAX_CANVASES,
      });
    }
    const position = this.list().reduce((last, canvas) => Math.max(last, canvas.position + 1), 0);
    const canvas: Canvas = { v: 1, id: nanoid(), projectId, name, position };
    this.storage.transaction(() => {
      this.table.put(canvas);
      also?.(canvas);
    });
    this.canvases.set(canvas.id, canvas);
    this.documents.set(canvas.id, new CanvasDocument(canvas.id, [], 0));
    this.tellList();
    return canvas;
  }

  private requireDeletable(canvas: Canvas): void {
    if (this.list().filter(({ projectId }) => projectId === canvas.projectId).length === 1) {
      throw new FailureError('canvas-last', `${canvas.name} is the only canvas of its project.`, {
        name: canvas.name,
      });
    }
    const corrupt = this.corruptItems(canvas.id).length;
    if (corrupt > 0) {
      throw new FailureError(
        'canvas-corrupt-items',
        `${canvas.name} holds ${corrupt} items that cannot be read. Discard them first.`,
        { name: canvas.name, count: corrupt },
      );
    }
  }

  private document(canvasId: string): CanvasDocument {
    const document = this.documents.get(canvasId);
    if (!document) throw new FailureError('canvas-missing', 'This canvas is not there any more.', { canvasId });
    return document;
  }

  private tellList(): void {
    this.broadcast('canvases:changed', this.list());
  }
}
