'use client';

import { useEffect, useState } from 'react';
import { Command, Notice } from './notice';
import { type SignInResult, signIn, tokenOf } from './sign-in';

/** One attempt a page: React may mount twice, a link works once. */
let attempt: Promise<SignInResult> | undefined;

function attemptOnce(): Promise<SignInResult> {
  attempt ??= (async () => {
    const token = tokenOf(location.hash);
    // Out of the address bar and the history, whatever comes of it.
    if (location.hash) history.replaceState(null, '', location.pathname);
    return signIn(token, localStorage);
  })();
  return attempt;
}

/** Follows a login link, or says how to get one. */
export function LoginPage() {
  const [result, setResult] = useState<SignInResult | null>(null);
  useEffect(() => {
    const renew = () => location.hash && location.reload();
    addEventListener('hashchange', renew);
    void attemptOnce().then((ended) => {
      if (ended === 'done') location.replace('/');
      else setResult(ended);
    });
    return () => removeEventListener('hashchange', renew);
  }, []);
  if (result === null) return <Notice key="busy" texts="login.busy" busy />;
  return (
    <Notice key={result} texts={`login.${result}`}>
      {result === 'unreachable' ? <Command>npx tessera</Command> : <Command>npx tessera login</Command>}
    </Notice>
  );
}
