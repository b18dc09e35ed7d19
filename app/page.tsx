'use client';

import dynamic from 'next/dynamic';

const CanvasPage = dynamic(() => import('@/components/canvas').then((room) => room.CanvasPage), { ssr: false });

export default function Page() {
  return <CanvasPage />;
}
