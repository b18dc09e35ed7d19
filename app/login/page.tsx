'use client';

import { useEffect, useState } from 'react';
import { followLink, LoginPage } from '@/components/login';

// A start waits for this page: the link is followed before the page wakes up.
if (typeof window !== 'undefined') void followLink();

/** Shown by the browser only: its language is the browser's. */
export default function Page() {
  const [awake, setAwake] = useState(false);
  useEffect(() => setAwake(true), []);
  return awake ? <LoginPage /> : null;
}
