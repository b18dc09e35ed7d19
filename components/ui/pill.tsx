import type { ReactNode } from 'react';

export type Tone = 'idle' | 'work' | 'need' | 'good' | 'bad';
export type Shape = 'dot' | 'ring' | 'square' | 'diamond' | 'dash';

export interface PillProps {
  tone: Tone;
  /** Says the same as the colour to those who do not see it. */
  shape: Shape;
  children: ReactNode;
  title?: string;
}

/** A status: a shape, a word and a colour. */
export function Pill({ tone, shape, children, title }: PillProps) {
  return (
    <span className="pill" data-tone={tone} title={title}>
      <span className="glyph" data-shape={shape} aria-hidden />
      <span className="truncate leading-[1.3]">{children}</span>
    </span>
  );
}
