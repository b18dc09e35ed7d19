'use client';

import { type ComponentType, useEffect, useState } from 'react';
import { followLink } from '@/components/login/follow-link';

/** A start waits for this page: the link is followed before the page wakes up, and what it shows comes meanwhile. */
const coming = typeof window === 'undefined' ? undefined : import('@/components/login');
if (typeof window !== 'undefined') void followLink();

export default function Page() {
  const [Login, setLogin] = useState<ComponentType>();
  const [failure, setFailure] = useState<unknown>();
  useEffect(() => {
    coming?.then(({ LoginPage }) => setLogin(() => LoginPage), setFailure);
  }, []);
  // For the page's error boundary.
  if (failure) throw failure;
  return Login ? <Login /> : null;
}
