'use client';

import { useEffect, useState } from 'react';
import { dropToken, followLink } from './follow-link';
import { Command, Notice } from './notice';
import type { SignInResult } from './sign-in';

/** Says what became of following a login link, or how to get one. */
export function LoginPage() {
  const [result, setResult] = useState<SignInResult | null>(null);
  useEffect(() => {
    const renew = () => location.hash && location.reload();
    dropToken();
    addEventListener('hashchange', renew);
    void followLink().then((ended) => ended !== 'done' && setResult(ended));
    return () => removeEventListener('hashchange', renew);
  }, []);
  if (result === null) return <Notice key="busy" texts="login.busy" busy />;
  return (
    <Notice key={result} texts={`login.${result}`}>
      {result === 'unreachable' ? <Command>npx tessera</Command> : <Command>npx tessera login</Command>}
    </Notice>
  );
}
