'use client';

export function CanvasPage() {
  return <main className="react-flow__viewport">Tessera</main>;
}
