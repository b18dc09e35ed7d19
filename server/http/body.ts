import type { IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import type { Static, TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { plainDataProblem } from '../../schemas/plain';
import { HttpError } from './errors';

const tooLarge = (maxBytes: number) => new HttpError(413, 'too-large', `At most ${maxBytes} bytes are accepted here.`);

function refuseByLength(request: IncomingMessage, maxBytes: number): void {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

/** The body as checked plain data. Throws an HttpError that says what is wrong. */
export async function readJson<T extends TSchema>(
  request: IncomingMessage,
  schema: T,
  maxBytes: number,
): Promise<Static<T>> {
  refuseByLength(request, maxBytes);
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    parts.push(part);
  }
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts)));
  } catch {
    throw new HttpError(400, 'bad-json', 'The body is not JSON.');
  }
  const problem = plainDataProblem(value);
  if (problem) throw new HttpError(400, 'bad-arguments', `The body is refused: ${problem}.`);
  const wrong = Value.Errors(schema, value).First();
  if (wrong)
    throw new HttpError(400, 'bad-arguments', `The body is wrong at ${wrong.path || 'its root'}: ${wrong.message}.`);
  return value as Static<T>;
}

/** The body as a stream that fails once it is longer than allowed. */
export function boundedBody(request: IncomingMessage, maxBytes: number): Readable {
  refuseByLength(request, maxBytes);
  let size = 0;
  const bounded = new Transform({
    transform(part: Buffer, _encoding, done) {
      size += part.length;
      done(size > maxBytes ? tooLarge(maxBytes) : null, part);
    },
  });
  // The reader gets the error too, if it is still there; without a listener it would end the process.
  bounded.on('error', () => request.unpipe(bounded));
  request.on('error', (error) => bounded.destroy(error));
  request.on('aborted', () => bounded.destroy(new HttpError(400, 'aborted', 'The upload was broken off.')));
  return request.pipe(bounded);
}
