import type { Static, TSchema } from '@sinclair/typebox';
import { Ajv, type Options, type ValidateFunction } from 'ajv';

/**
 * Validators of our schemas, each compiled when it is first needed: all of them at once would delay every start by a
 * quarter of a second. TypeBox makes only valid schemas, so they are not checked against the meta-schema, which alone
 * takes as long as compiling ten of them.
 */
export class Validators {
  readonly ajv: Ajv;
  private readonly compiled = new Map<TSchema, ValidateFunction>();

  constructor(options: Options = {}) {
    this.ajv = new Ajv({ ...options, meta: false, validateSchema: false });
  }

  of<T extends TSchema>(schema: T): ValidateFunction<Static<T>> {
    let validate = this.compiled.get(schema);
    if (!validate) {
      validate = this.ajv.compile(schema);
      this.compiled.set(schema, validate);
    }
    return validate as ValidateFunction<Static<T>>;
  }
}
