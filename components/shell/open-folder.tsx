'use client';

import { Folder } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { openProject } from '../canvas';
import { call, useConnection } from '../connection';
import { failureText, useT } from '../i18n';
import { Button, Dialog, Field } from '../ui';
import { splitPath } from './paths';

/** Opens a folder of the computer as a project; its name completes as one types. */
export function OpenFolder({ onClose }: { onClose: () => void }) {
  const t = useT();
  const home = useConnection((state) => state.hello?.home ?? '/');
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(home.endsWith('/') ? home : `${home}/`);
  const [folders, setFolders] = useState<string[]>([]);
  /** Why there is nothing to choose from; nothing while the answer is not there. */
  const [why, setWhy] = useState<string | null>(null);
  const [chosen, setChosen] = useState(-1);
  const [failure, setFailure] = useState<string | null>(null);

  useEffect(() => {
    const asked = splitPath(typed, home);
    let late = false;
    setChosen(-1);
    const offer = (found: string[], reason: string | null) => {
      if (late) return;
      setFolders(found);
      setWhy(found.length > 0 ? null : reason);
    };
    if (!asked) {
      offer([], t('folder.absolute'));
      return;
    }
    const none = asked.prefix ? t('folder.noneSuch', { prefix: asked.prefix }) : t('folder.none');
    call('project:folders', asked).then(
      (reply) => offer(reply.folders, none),
      (error: unknown) => offer([], failureText(error)),
    );
    return () => {
      late = true;
    };
  }, [typed, home, t]);

  useEffect(() => {
    document.getElementById(`folder-${chosen}`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);

  const open = async (folder: string) => {
    const asked = splitPath(folder, home);
    if (!asked) {
      setFailure(t('folder.absolute'));
      return;
    }
    const path = asked.prefix ? `${asked.folder === '/' ? '' : asked.folder}/${asked.prefix}` : asked.folder;
    try {
      await openProject(path);
      onClose();
    } catch (error) {
      setFailure(failureText(error));
    }
  };
  const complete = (folder: string) => {
    setFailure(null);
    setTyped(`${folder}/`);
  };
  return (
    <Dialog
      title={t('folder.title')}
      text={t('folder.text')}
      closeLabel={t('ui.close')}
      onClose={onClose}
      onOpenAutoFocus={(event) => {
        event.preventDefault();
        field.current?.focus();
      }}
      width={560}
    >
      <form
        className="flex min-h-0 flex-col gap-2 px-5 pt-1 pb-5"
        onSubmit={(event) => {
          event.preventDefault();
          void open(folders[chosen] ?? typed);
        }}
      >
        <Field
          ref={field}
          className="font-mono"
          role="combobox"
          aria-label={t('folder.field')}
          aria-expanded={folders.length > 0}
          aria-controls="folder-list"
          aria-autocomplete="list"
          aria-activedescendant={chosen >= 0 ? `folder-${chosen}` : undefined}
          aria-invalid={failure !== null}
          value={typed}
          onChange={(event) => {
            setFailure(null);
            // A whole path that is typed or pasted after what stands there takes its place.
            setTyped(event.target.value.replace(/^\/.*\/(?=\/|~(?:\/|$))/, ''));
          }}
          onKeyDown={(event) => {
            const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
            if (step) {
              event.preventDefault();
              setChosen((at) => Math.max(-1, Math.min(folders.length - 1, at + step)));
            } else if (
              event.key === 'Tab' &&
              !event.shiftKey &&
              folders.length > 0 &&
              (chosen >= 0 || folders.length === 1)
            ) {
              event.preventDefault();
              complete(folders[Math.max(0, chosen)]!);
            }
          }}
        />
        {failure ? (
          <p role="alert" className="text-sm text-bad">
            {failure}
          </p>
        ) : null}
        <div
          id="folder-list"
          role="listbox"
          aria-label={t('folder.list')}
          className="folder-list"
          hidden={why !== null}
        >
          {folders.map((folder, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the chosen one
            <div
              key={folder}
              id={`folder-${index}`}
              role="option"
              aria-selected={index === chosen}
              className="folder-option"
              onPointerDown={(event) => {
                event.preventDefault();
                complete(folder);
              }}
            >
              <Folder className="size-4 flex-none text-ink-3" strokeWidth={1.6} aria-hidden />
              <span className="truncate">{folder.slice(folder.lastIndexOf('/') + 1)}</span>
            </div>
          ))}
        </div>
        {why ? (
          <p role="status" className="folder-list folder-none">
            {why}
          </p>
        ) : null}
        <div className="flex justify-end gap-2 pt-1">
          <span className="folder-keys">{t('folder.keys')}</span>
          <Button look="line" size="large" onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <Button look="solid" size="large" type="submit">
            {t('folder.open')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
