'use client';

import { Check } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';

/** Menus lie inside the page's main part, so that those who hear the page find them there. */
function pageElement(): HTMLElement | undefined {
  return document.getElementById('page') ?? undefined;
}

export interface MenuProps {
  /** The control that opens it. */
  children: ReactNode;
  items: ReactNode;
  /** Its accessible name, when the control's own is not enough. */
  label?: string;
  align?: 'start' | 'center' | 'end';
  onOpenChange?: (open: boolean) => void;
  /** Where the focus goes when it closes; absent: back to the control. */
  onClose?: () => void;
}

/** A menu below a control. */
export function Menu({ children, items, label, align = 'start', onOpenChange, onClose }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false} onOpenChange={onOpenChange}>
      <DropdownMenu.Trigger asChild>{children}</DropdownMenu.Trigger>
      <DropdownMenu.Portal container={pageElement()}>
        <DropdownMenu.Content
          className="menu"
          align={align}
          sideOffset={6}
          collisionPadding={8}
          aria-label={label}
          onCloseAutoFocus={(event) => {
            if (!onClose) return;
            event.preventDefault();
            onClose();
          }}
        >
          {items}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

export interface PointMenuProps {
  /** Screen pixels; the menu stays within the window. */
  at: { x: number; y: number };
  label: string;
  items: ReactNode;
  onClose: () => void;
}

/** A menu at a point, such as a context menu. It is open as long as it is mounted. */
export function PointMenu({ at, label, items, onClose }: PointMenuProps) {
  return (
    <DropdownMenu.Root modal={false} open onOpenChange={(open) => !open && onClose()}>
      <DropdownMenu.Trigger asChild>
        <span aria-hidden tabIndex={-1} style={{ position: 'fixed', left: at.x, top: at.y, width: 1, height: 1 }} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={pageElement()}>
        <DropdownMenu.Content
          className="menu"
          align="start"
          sideOffset={2}
          collisionPadding={8}
          aria-label={label}
          onCloseAutoFocus={(event) => event.preventDefault()}
        >
          {items}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

export interface MenuItemProps {
  icon?: ReactNode;
  keys?: string;
  danger?: boolean;
  disabled?: boolean;
  onSelect: () => void;
  children: ReactNode;
}

export function MenuItem({ icon, keys, danger, disabled, onSelect, children }: MenuItemProps) {
  return (
    <DropdownMenu.Item data-danger={danger} disabled={disabled} onSelect={onSelect}>
      {icon}
      <span className="truncate">{children}</span>
      {keys ? <span className="keys">{keys}</span> : null}
    </DropdownMenu.Item>
  );
}

export interface MenuCheckProps {
  checked: boolean;
  onSelect: () => void;
  children: ReactNode;
  icon?: ReactNode;
}

/** One of several, or on and off; the sign at its end says which. */
export function MenuCheck({ checked, onSelect, children, icon }: MenuCheckProps) {
  return (
    <DropdownMenu.CheckboxItem checked={checked} onSelect={onSelect}>
      {icon}
      <span className="truncate">{children}</span>
      {checked ? <Check className="ml-auto" aria-hidden /> : null}
    </DropdownMenu.CheckboxItem>
  );
}

export function MenuLine() {
  return <DropdownMenu.Separator className="menu-line" />;
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <DropdownMenu.Label className="menu-label">{children}</DropdownMenu.Label>;
}
