import { KEY_HEADER, KEY_STORAGE, UPLOAD_HEADER } from '../../schemas/auth';
import { FailureError } from '../../schemas/result';
import { TerminalLimits } from '../../schemas/terminals';

/** The type under which a drag from inside the app carries a real path. */
export const PATH_TYPE = 'text/x-tessera-path';

/**
 * Puts a dropped file into the private folder of a session. Resolves with its path on the server's machine; `progress`
 * gets the share that was sent, 0 to 1.
 */
export function uploadDropped(sessionId: string, file: File, progress: (share: number) => void): Promise<string> {
  if (file.size > TerminalLimits.maxUploadBytes) {
    const megabytes = TerminalLimits.maxUploadBytes / 1024 / 1024;
    const message = `${file.name} is larger than ${megabytes} MB.`;
    return Promise.reject(new FailureError('upload-too-large', message, { name: file.name, megabytes }));
  }
  return new Promise((resolve, reject) => {
    // fetch does not report how much of a body was sent.
    const request = new XMLHttpRequest();
    request.open('POST', `/api/terminals/${sessionId}/files?name=${encodeURIComponent(file.name)}`);
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.setRequestHeader(UPLOAD_HEADER, '1');
    request.setRequestHeader(KEY_HEADER, localStorage.getItem(KEY_STORAGE) ?? '');
    request.responseType = 'json';
    request.upload.onprogress = ({ loaded, total }) => progress(total > 0 ? loaded / total : 0);
    request.onload = () => {
      const reply: unknown = request.response;
      const path = pathOf(reply);
      if (path) resolve(path);
      else reject(failureOf(reply, file.name, request.status));
    };
    request.onerror = () =>
      reject(new FailureError('disconnected', `The connection was lost while ${file.name} was sent.`));
    request.send(file);
  });
}

function pathOf(reply: unknown): string | null {
  const value = isRecord(reply) && isRecord(reply.value) ? reply.value : reply;
  return isRecord(value) && typeof value.path === 'string' ? value.path : null;
}

function failureOf(reply: unknown, name: string, status: number): FailureError {
  const error = isRecord(reply) && isRecord(reply.error) ? reply.error : undefined;
  if (error && typeof error.code === 'string') {
    return new FailureError(
      error.code,
      String(error.message ?? ''),
      error.params as Record<string, string> | undefined,
    );
  }
  return new FailureError('upload-failed', `${name} could not be sent (${status}).`, { name });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
