'use client';

import dynamic from 'next/dynamic';

const NotFoundPage = dynamic(() => import('@/components/login').then((room) => room.NotFoundPage), { ssr: false });

export default function Page() {
  return <NotFoundPage />;
}
