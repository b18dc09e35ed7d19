'use client';

import { RadioGroup, Switch } from 'radix-ui';
import { type ComponentProps, type ReactNode, useId } from 'react';

export interface RowProps {
  label: string;
  hint?: ReactNode;
  /** Gets the ids that name and describe the control. */
  children: (ids: { labelledBy: string; describedBy: string | undefined }) => ReactNode;
}

/** A line of a form: what it is at the left, the control at the right. */
export function Row({ label, hint, children }: RowProps) {
  const id = useId();
  const describedBy = hint ? `${id}-hint` : undefined;
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 border-b border-line py-3 last:border-b-0">
      <div className="min-w-48 flex-1">
        <div id={id} className="text-md font-[540]">
          {label}
        </div>
        {hint ? (
          <div id={describedBy} className="mt-0.5 max-w-[46ch] text-xs text-ink-3">
            {hint}
          </div>
        ) : null}
      </div>
      {children({ labelledBy: id, describedBy })}
    </div>
  );
}

export interface ToggleProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  labelledBy: string;
  describedBy?: string;
}

export function Toggle({ checked, onChange, labelledBy, describedBy }: ToggleProps) {
  return (
    <Switch.Root
      className="switch"
      checked={checked}
      onCheckedChange={onChange}
      aria-labelledby={labelledBy}
      aria-describedby={describedBy}
    >
      <Switch.Thumb />
    </Switch.Root>
  );
}

export interface SegmentsProps<T extends string> {
  value: T;
  options: readonly { value: T; label: ReactNode }[];
  onChange: (value: T) => void;
  labelledBy: string;
}

/** One of a few, all in sight. */
export function Segments<T extends string>({ value, options, onChange, labelledBy }: SegmentsProps<T>) {
  return (
    <RadioGroup.Root
      className="segments"
      orientation="horizontal"
      value={value}
      onValueChange={(next) => onChange(next as T)}
      aria-labelledby={labelledBy}
    >
      {options.map((option) => (
        <RadioGroup.Item key={option.value} value={option.value} className="btn">
          {option.label}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  );
}

export function Field({ className = '', ...rest }: ComponentProps<'input'>) {
  return <input className={`field ${className}`} autoComplete="off" spellCheck={false} {...rest} />;
}
