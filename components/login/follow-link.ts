import { type SignInResult, signIn, tokenOf } from './sign-in';

/** One attempt a page: React may mount twice, a link works once. */
let attempt: Promise<SignInResult> | undefined;

/** Signs in by the link in the address, once, and goes on to the canvas when that worked. */
export function followLink(): Promise<SignInResult> {
  attempt ??= follow();
  return attempt;
}

async function follow(): Promise<SignInResult> {
  const token = tokenOf(location.hash);
  // Out of the address bar and the history, whatever comes of it.
  if (location.hash) history.replaceState(null, '', location.pathname);
  const result = await signIn(token, localStorage);
  if (result === 'done') location.replace('/');
  return result;
}
