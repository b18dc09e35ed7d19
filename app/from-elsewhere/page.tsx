'use client';

import dynamic from 'next/dynamic';

const FromElsewherePage = dynamic(() => import('@/components/login').then((room) => room.FromElsewherePage), {
  ssr: false,
});

export default function Page() {
  return <FromElsewherePage />;
}
