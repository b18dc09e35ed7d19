import { FailureError } from '../../schemas/result';
import { hasText, text } from './provider';

/** The sentence of a failure for people: that of its code in the page's language, else the one that came with it. */
export function failureText(error: unknown): string {
  if (error instanceof FailureError) return failureSentence(error.toFailure());
  return text('errors.internal');
}

/** The same for a failure that was sent as data. */
export function failureSentence(failure: {
  code: string;
  message: string;
  params?: Record<string, string | number>;
}): string {
  const key = `errors.${failure.code.replaceAll('.', '-')}`;
  return hasText(key) ? text(key, failure.params) : failure.message || text('errors.internal');
}
