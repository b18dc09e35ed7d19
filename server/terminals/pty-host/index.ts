import type { PtyHostClient } from '../../../schemas/pty-host';
import { FailureError } from '../../../schemas/result';

export async function connectPtyHost(_around: object): Promise<PtyHostClient> {
  throw new FailureError('pty-host-failed', 'The pty host is not there yet.');
}
