import { FailureError } from '../../schemas/result';

const unusable = new Set(['EACCES', 'EPERM', 'EROFS', 'EISDIR', 'ENOTDIR']);

/** Why a start failed, in one sentence where it is the disk or a folder; a fault of ours keeps its stack. */
export function startFailure(error: unknown): string {
  if (error instanceof FailureError) return error.message;
  const { code = '', path, stack } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'The disk is full: Tessera cannot start. Free some space first.';
  if (path && unusable.has(code)) {
    return `${path} cannot be used (${code}). Check what it is and who owns it, or choose another folder with --data-dir.`;
  }
  return stack ?? String(error);
}
