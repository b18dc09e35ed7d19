import { failureText } from '../i18n';
import { toastFailure } from '../ui';

/** Runs what a click began: a failure is told to the person. */
export function attempt(work: Promise<unknown>): void {
  work.catch((error: unknown) => {
    console.error(error);
    toastFailure(failureText(error));
  });
}
