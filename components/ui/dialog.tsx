'use client';

import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { CSSProperties, ReactNode } from 'react';
import { IconButton } from './button';

export interface DialogProps {
  title: string;
  /** A sentence below the title. */
  text?: ReactNode;
  closeLabel: string;
  onClose: () => void;
  /** Called before anything gets the focus; prevent its default to choose. */
  onOpenAutoFocus?: (event: Event) => void;
  /** Pixels; never more than the window leaves. */
  width?: number;
  height?: number;
  children: ReactNode;
}

function sizeOf(width: number | undefined, height: number | undefined): CSSProperties {
  return {
    ...(width ? { '--dialog-width': `${width}px` } : {}),
    ...(height ? { '--dialog-height': `${height}px` } : {}),
  } as CSSProperties;
}

/** Not the first control: its tooltip would open, and Escape would close that first. */
function focusItself(event: Event): void {
  event.preventDefault();
  if (event.target instanceof HTMLElement) event.target.focus();
}

/** A dialog over the page. It is open as long as it is mounted; Escape and a click outside close it. */
export function Dialog({ title, text, closeLabel, onClose, onOpenAutoFocus, width, height, children }: DialogProps) {
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="scrim" />
        <Radix.Content
          className="dialog"
          style={sizeOf(width, height)}
          onOpenAutoFocus={onOpenAutoFocus ?? focusItself}
          {...(text ? {} : { 'aria-describedby': undefined })}
        >
          <header className={`flex gap-3 px-5 pt-4 pb-2 ${text ? 'items-start' : 'items-center'}`}>
            <div className="min-w-0 flex-1">
              <Radix.Title className="dialog-title">{title}</Radix.Title>
              {text ? <Radix.Description className="dialog-text mt-1">{text}</Radix.Description> : null}
            </div>
            <Radix.Close asChild>
              <IconButton label={closeLabel} className="-mr-2">
                <X aria-hidden />
              </IconButton>
            </Radix.Close>
          </header>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
