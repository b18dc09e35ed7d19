'use client';

import dynamic from 'next/dynamic';

const CanvasPage = dynamic(() => import('@/components/shell').then((room) => room.CanvasPage), { ssr: false });

export default function Page() {
  return <CanvasPage />;
}
