'use client';

import dynamic from 'next/dynamic';

const BrokenPage = dynamic(() => import('@/components/login').then((room) => room.BrokenPage), { ssr: false });

export default function PageError() {
  return <BrokenPage />;
}
