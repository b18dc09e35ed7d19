import { type Static, Type } from '@sinclair/typebox';
import { AbsolutePath, Id } from './ids';
import { GivenName } from './names';
import { Closed } from './result';

/** Limits of the canvas. Coordinates are canvas units: CSS pixels at zoom 1. */
export const CanvasLimits = {
  minZoom: 0.2,
  maxZoom: 2,
  /** Below this zoom a card is a readable summary. */
  summaryZoom: 0.5,
  /** Farther than a person can pan in a day; keeps float error under a tenth of a pixel. */
  maxCoordinate: 1_000_000,
  card: { minWidth: 280, minHeight: 160, maxWidth: 4000, maxHeight: 3000, width: 690, height: 430 },
  note: { minWidth: 140, minHeight: 100, maxWidth: 1000, maxHeight: 800, width: 220, height: 150 },
  region: { minWidth: 200, minHeight: 140, maxWidth: 20_000, maxHeight: 20_000 },
  maxItems: 2000,
  maxNoteLength: 10_000,
  maxNameLength: 80,
  maxChanges: 500,
} as const;

const Coordinate = Type.Number({ minimum: -CanvasLimits.maxCoordinate, maximum: CanvasLimits.maxCoordinate });
const Extent = Type.Number({ minimum: 40, maximum: 20_000 });

/** Where an item lies. `z` grows when the item is brought to the front; regions stay behind cards whatever their z. */
const placed = {
  v: Type.Literal(1),
  id: Id,
  x: Coordinate,
  y: Coordinate,
  width: Extent,
  height: Extent,
  z: Type.Integer({ minimum: 0, maximum: 1e9 }),
};

/** A terminal on the canvas. Closing the card ends the session. */
export const TerminalCard = Closed({
  ...placed,
  kind: Type.Literal('terminal'),
  sessionId: Id,
  /** Pixels; absent: the setting. */
  fontSize: Type.Optional(Type.Number({ minimum: 6, maximum: 40 })),
});
export const NoteColour = Type.Union(
  ['amber', 'green', 'blue', 'rose', 'plain'].map((c) =>
    Type.Literal(c as 'amber' | 'green' | 'blue' | 'rose' | 'plain'),
  ),
);
export const NoteCard = Closed({
  ...placed,
  kind: Type.Literal('note'),
  text: Type.String({ maxLength: CanvasLimits.maxNoteLength }),
  colour: NoteColour,
});
export const RegionCard = Closed({
  ...placed,
  kind: Type.Literal('region'),
  name: Type.String({ maxLength: CanvasLimits.maxNameLength }),
  colour: NoteColour,
});
/** As a page may write it; a stored one may have a name from before there were rules for names. */
const GivenRegion = Closed({ ...RegionCard.properties, name: GivenName });
/** Everything that can lie on a canvas; the record that is stored and sent. */
export const CanvasItem = Type.Union([TerminalCard, NoteCard, RegionCard]);
export type TerminalCard = Static<typeof TerminalCard>;
export type NoteCard = Static<typeof NoteCard>;
export type RegionCard = Static<typeof RegionCard>;
export type CanvasItem = Static<typeof CanvasItem>;

/**
 * One change of a layout. `put` writes the whole item, `place` only its bounds and z (so that two tabs that move and
 * rename at once do not undo each other), `remove` deletes. All three are idempotent.
 */
export const ItemChange = Type.Union([
  Closed({ type: Type.Literal('put'), item: Type.Union([TerminalCard, NoteCard, GivenRegion]) }),
  Closed({
    type: Type.Literal('place'),
    id: Id,
    x: Coordinate,
    y: Coordinate,
    width: Extent,
    height: Extent,
    z: Type.Integer({ minimum: 0, maximum: 1e9 }),
  }),
  Closed({ type: Type.Literal('remove'), id: Id }),
]);
export type ItemChange = Static<typeof ItemChange>;

export const Canvas = Closed({
  v: Type.Literal(1),
  id: Id,
  projectId: Id,
  name: Type.String({ minLength: 1, maxLength: CanvasLimits.maxNameLength }),
  /** Order of the tabs. */
  position: Type.Integer({ minimum: 0 }),
});
export type Canvas = Static<typeof Canvas>;

/** A stored item that could not be read. It is shown, kept as it is, and only a person discards it. */
export interface CorruptItem {
  id: string;
  reason: string;
}

/** A canvas as a tab opens it. `revision` grows by one with every applied set of changes. */
export interface CanvasState {
  canvas: Canvas;
  revision: number;
  items: CanvasItem[];
  corrupt: CorruptItem[];
}

export const Project = Closed({
  v: Type.Literal(1),
  id: Id,
  folder: AbsolutePath,
  name: Type.String({ minLength: 1, maxLength: 255 }),
  /** Milliseconds since the epoch. */
  openedAt: Type.Integer({ minimum: 0 }),
});
export type Project = Static<typeof Project>;
