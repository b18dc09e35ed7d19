'use client';

import { useEffect, useRef } from 'react';
import { setCanvas, useCanvas } from '../store/state';

export interface TitleProps {
  id: string;
  title: string;
  /** What the field holds at first; the title if absent. */
  initial?: string;
  placeholder?: string;
  label: string;
  className: string;
  onRename: (name: string) => void;
}

/** A name that turns into a field while it is renamed. Enter and leaving take the new one, Escape leaves the old one. */
export function Title({ id, title, initial, placeholder, label, className, onRename }: TitleProps) {
  const renaming = useCanvas((state) => state.renamingId === id);
  if (!renaming) return <TitleText title={title} className={className} />;
  return <TitleField label={label} initial={initial ?? title} placeholder={placeholder} onRename={onRename} />;
}

/** Of a path that is too long its end stays, which tells it from others; of all else the beginning. */
export function TitleText({ title, className }: { title: string; className: string }) {
  const [, head, tail] = /^([~/]\S*)(\/[^/\s]+)$/.exec(title) ?? [];
  if (!head) return <span className={className}>{title}</span>;
  return (
    <span className={`${className} title-path`} title={title}>
      <span>{head}</span>
      <span>{tail}</span>
    </span>
  );
}

function TitleField({
  label,
  initial,
  placeholder,
  onRename,
}: {
  label: string;
  initial: string;
  placeholder?: string;
  onRename: (name: string) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  useEffect(() => {
    // A menu that is just closing takes the focus once more.
    const frame = requestAnimationFrame(() => {
      field.current?.focus({ preventScroll: true });
      field.current?.select();
    });
    return () => cancelAnimationFrame(frame);
  }, []);
  const finish = (take: boolean) => {
    if (done.current) return;
    done.current = true;
    const name = field.current?.value ?? '';
    setCanvas({ renamingId: null });
    if (take && name !== initial) onRename(name);
  };
  return (
    <input
      ref={field}
      aria-label={label}
      defaultValue={initial}
      placeholder={placeholder}
      maxLength={80}
      spellCheck={false}
      autoComplete="off"
      className="title-field"
      onPointerDown={(event) => event.stopPropagation()}
      onDoubleClick={(event) => event.stopPropagation()}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Enter') finish(true);
        if (event.key === 'Escape') finish(false);
      }}
      onBlur={() => finish(true)}
    />
  );
}
