'use client';

import dynamic from 'next/dynamic';

const LoginPage = dynamic(() => import('@/components/login').then((room) => room.LoginPage), { ssr: false });

export default function Page() {
  return <LoginPage />;
}
