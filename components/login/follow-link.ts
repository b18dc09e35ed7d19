import { type SignInResult, signIn, tokenOf } from './sign-in';

/** One attempt a page: React may mount twice, a link works once. */
let attempt: Promise<SignInResult> | undefined;

/** Signs in by the link in the address, once, and goes on to the canvas when that worked. */
export function followLink(): Promise<SignInResult> {
  attempt ??= follow();
  return attempt;
}

/** Out of the address bar and the history, whatever comes of it. The router puts back what it found when it wakes up. */
export function dropToken(): void {
  if (location.hash) history.replaceState(null, '', location.pathname);
}

async function follow(): Promise<SignInResult> {
  const token = tokenOf(location.hash);
  dropToken();
  const result = await signIn(token, localStorage);
  if (result === 'done') location.replace('/');
  return result;
}
