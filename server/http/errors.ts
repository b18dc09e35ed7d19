import { FailureError } from '../../schemas/result';

/** A failure with the status that it has over HTTP. */
export class HttpError extends FailureError {
  constructor(
    readonly status: number,
    code: string,
    message: string,
    params?: Record<string, string | number>,
  ) {
    super(code, message, params);
    this.name = 'HttpError';
  }
}
