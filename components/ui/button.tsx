'use client';

import { Tooltip } from 'radix-ui';
import type { ComponentProps, ReactNode } from 'react';

export interface ButtonProps extends ComponentProps<'button'> {
  look?: 'plain' | 'solid' | 'line' | 'danger';
  size?: 'normal' | 'large';
}

export function Button({ look = 'plain', size = 'normal', className = '', ...rest }: ButtonProps) {
  return <button type="button" data-look={look} data-size={size} className={`btn ${className}`} {...rest} />;
}

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'aria-label'> {
  /** Its name, for the tooltip and for those who hear the page. */
  label: string;
  /** A chord as a person reads it, shown beside the name. */
  keys?: string;
  side?: 'top' | 'right' | 'bottom' | 'left';
  children: ReactNode;
}

/** A button that is an icon: its name is a tooltip and its accessible name. */
export function IconButton({ label, keys, side = 'bottom', children, className = '', ...rest }: IconButtonProps) {
  return (
    <Tip text={label} keys={keys} side={side}>
      <Button data-icon="true" aria-label={label} className={className} {...rest}>
        {children}
      </Button>
    </Tip>
  );
}

export interface TipProps {
  text: string;
  keys?: string;
  side?: 'top' | 'right' | 'bottom' | 'left';
  children: ReactNode;
}

/** A tooltip round one focusable element. */
export function Tip({ text, keys, side = 'bottom', children }: TipProps) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content side={side} sideOffset={6} collisionPadding={8} className="tooltip">
          {text}
          {keys ? <span className="keys">{keys}</span> : null}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}

export function TipProvider({ children }: { children: ReactNode }) {
  return (
    <Tooltip.Provider delayDuration={500} skipDelayDuration={200}>
      {children}
    </Tooltip.Provider>
  );
}
