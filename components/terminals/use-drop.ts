import { type DragEvent, useState } from 'react';
import { failureText } from '../i18n';
import { toastFailure } from '../ui';
import type { CardTerminal } from './card-terminal';
import { quotePath } from './quote-path';
import { PATH_TYPE, uploadDropped } from './uploads';

/** A file that is on its way. */
export interface Upload {
  name: string;
  /** Share that was sent, 0 to 1. */
  share: number;
}

/**
 * Files and paths that are dropped on a terminal: a file of the computer is uploaded first; then its quoted path is
 * pasted, without Enter.
 */
export function useDrop(sessionId: string, terminal: CardTerminal | null, ended: boolean) {
  const [over, setOver] = useState(false);
  const [upload, setUpload] = useState<Upload | null>(null);

  const paste = (paths: string[]) => {
    if (paths.length > 0) terminal?.paste(`${paths.map(quotePath).join(' ')} `);
    terminal?.focus();
  };

  const send = async (files: File[]) => {
    const paths: string[] = [];
    try {
      for (const file of files) {
        setUpload({ name: file.name, share: 0 });
        paths.push(await uploadDropped(sessionId, file, (share) => setUpload({ name: file.name, share })));
      }
    } catch (error) {
      toastFailure(failureText(error));
    } finally {
      setUpload(null);
    }
    // Those that arrived are there, also when a later one did not.
    paste(paths);
  };

  const handlers = {
    onDragEnter: (event: DragEvent) => {
      if (accepts(event)) setOver(true);
    },
    onDragOver: (event: DragEvent) => {
      if (!accepts(event)) return;
      event.preventDefault();
      event.stopPropagation();
      event.dataTransfer.dropEffect = ended ? 'none' : 'copy';
      setOver(true);
    },
    onDragLeave: (event: DragEvent) => {
      const to = event.relatedTarget;
      if (!(to instanceof Node) || !event.currentTarget.contains(to)) setOver(false);
    },
    onDrop: (event: DragEvent) => {
      setOver(false);
      if (!accepts(event)) return;
      event.preventDefault();
      event.stopPropagation();
      if (ended) return;
      const path = event.dataTransfer.getData(PATH_TYPE);
      if (path) paste(path.split('\n').filter(Boolean));
      else void send([...event.dataTransfer.files]);
    },
  };
  return { handlers, over, upload };
}

function accepts(event: DragEvent): boolean {
  return event.dataTransfer.types.includes('Files') || event.dataTransfer.types.includes(PATH_TYPE);
}
