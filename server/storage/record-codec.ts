import type { TSchema } from '@sinclair/typebox';
import type { ErrorObject } from 'ajv';
import { Validators } from '../../schemas/validators';

/** Turns the JSON of one version into that of the next; gets a private copy. */
export type Migration = (old: Record<string, unknown>) => Record<string, unknown>;

/** What a row holds: a readable record with the keys that we do not know, or the reason why it cannot be read. */
export type Decoded<T> =
  | { ok: true; record: T; unknown: Record<string, unknown>; migrated: boolean }
  | { ok: false; reason: string };

const validators = new Validators({ allErrors: true, strict: false });

interface Variant {
  keys: Set<string>;
  schema: TSchema;
}

/**
 * Reads and writes the JSON of one kind of record. Our schemas are closed; a top-level key that none of them knows is
 * kept aside on reading and written back by the next `encode`, so that an older program loses nothing of a newer one.
 */
export class RecordCodec<T extends { id: string }> {
  private readonly variants: Variant[];

  constructor(
    schema: TSchema,
    readonly version: number,
    private readonly migrations: Readonly<Record<number, Migration>>,
  ) {
    const shapes: TSchema[] = Array.isArray(schema.anyOf) ? schema.anyOf : [schema];
    this.variants = shapes.map((shape) => ({
      keys: new Set(Object.keys(shape.properties ?? {})),
      schema: shape,
    }));
  }

  decode(id: string, version: number, json: string): Decoded<T> {
    let value: unknown;
    try {
      value = JSON.parse(json);
    } catch (error) {
      return { ok: false, reason: `not JSON: ${messageOf(error)}` };
    }
    if (!isPlainObject(value)) return { ok: false, reason: 'not an object' };
    if (version > this.version) {
      return { ok: false, reason: `made by a newer version (${version}; this one knows ${this.version})` };
    }
    for (let at = version; at < this.version; at += 1) {
      const migrate = this.migrations[at];
      if (!migrate) return { ok: false, reason: `no way from version ${at} to ${at + 1}` };
      try {
        value = migrate(structuredClone(value) as Record<string, unknown>);
      } catch (error) {
        return { ok: false, reason: `could not be brought from version ${at} to ${at + 1}: ${messageOf(error)}` };
      }
      if (!isPlainObject(value)) return { ok: false, reason: `version ${at + 1} is not an object` };
    }
    return this.match(id, value as Record<string, unknown>, version < this.version);
  }

  /** The JSON to store; throws for a record that breaks its own schema, which is a fault of the caller. */
  encode(record: T, unknown: Record<string, unknown>): string {
    const reason = this.problem(record as Record<string, unknown>);
    if (reason) throw new Error(`record ${record.id} cannot be stored: ${reason}`);
    return JSON.stringify({ ...unknown, ...record });
  }

  private match(id: string, value: Record<string, unknown>, migrated: boolean): Decoded<T> {
    let best: ErrorObject[] | undefined;
    for (const { keys, schema } of this.variants) {
      const check = validators.of(schema);
      const known: Record<string, unknown> = {};
      const unknown: Record<string, unknown> = {};
      for (const [key, part] of Object.entries(value)) (keys.has(key) ? known : unknown)[key] = part;
      if (check(known)) {
        if (known.id !== id) return { ok: false, reason: 'its id differs from the one it is stored under' };
        return { ok: true, record: known as unknown as T, unknown, migrated };
      }
      const errors = check.errors ?? [];
      if (!best || rank(errors) < rank(best)) best = errors;
    }
    return { ok: false, reason: wordsFor(best) };
  }

  private problem(record: Record<string, unknown>): string | undefined {
    let best: ErrorObject[] | undefined;
    for (const { schema } of this.variants) {
      const check = validators.of(schema);
      if (check(record)) return undefined;
      const errors = check.errors ?? [];
      if (!best || rank(errors) < rank(best)) best = errors;
    }
    return wordsFor(best);
  }
}

/** The variant of another `kind` is never the one that was meant, however few other errors it has. */
function rank(errors: ErrorObject[]): number {
  return errors.length + (errors.some((e) => e.keyword === 'const') ? 1000 : 0);
}

function wordsFor(errors: ErrorObject[] | undefined): string {
  const first = errors?.[0];
  if (!first) return 'does not fit its schema';
  const where = first.instancePath ? `${first.instancePath.slice(1).replaceAll('/', '.')} ` : '';
  const extra =
    first.keyword === 'additionalProperties'
      ? ` (${String(first.params.additionalProperty)})`
      : first.keyword === 'const'
        ? ` ${JSON.stringify(first.params.allowedValue)}`
        : '';
  return `${where}${first.message ?? 'is wrong'}${extra}`.slice(0, 300);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
