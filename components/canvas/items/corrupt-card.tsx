'use client';

import type { NodeProps } from '@xyflow/react';
import { FileWarning } from 'lucide-react';
import { memo } from 'react';
import { useT } from '../../i18n';
import { Button, Pill } from '../../ui';
import { attempt } from '../attempt';
import { byZoom } from '../camera/by-zoom';
import { discardQuestion } from '../commands/items';
import { discardCorrupt } from '../store/sync';
import type { CorruptNode as Node } from './nodes';

/** A stored item that could not be read: it is kept as it is until the person discards it. */
export const CorruptNode = memo(
  function CorruptNode({ data }: NodeProps<Node>) {
    const t = useT();
    const { id, reason } = data.corrupt;
    const discard = async () => {
      if (await discardQuestion(reason)) await discardCorrupt(id);
    };
    return (
      // biome-ignore lint/a11y/useSemanticElements: a card is no fieldset
      <div
        role="group"
        data-card-kind="corrupt"
        data-card-id={id}
        data-state="failed"
        aria-label={t('corrupt.label')}
        className="card nodrag nopan"
      >
        <div className="card-frame" ref={byZoom}>
          <header className="card-head">
            <FileWarning className="card-icon" aria-hidden />
            <span className="card-title">{t('corrupt.title')}</span>
            <span className="flex-1" />
            <Pill tone="bad" shape="diamond">
              {t('corrupt.status')}
            </Pill>
          </header>
          <div className="flex min-h-0 flex-1 flex-col gap-2 p-3 text-sm text-ink-2">
            <p>{t('corrupt.text')}</p>
            <code className="min-h-0 flex-1 overflow-auto rounded-control bg-sunken px-2 py-1 font-mono text-xs break-words text-ink select-text">
              {reason}
            </code>
            <Button look="line" className="self-start" onClick={() => attempt(discard())}>
              {t('corrupt.discard')}
            </Button>
          </div>
        </div>
      </div>
    );
  },
  (a, b) => a.data === b.data,
);
