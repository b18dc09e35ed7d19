'use client';

import type { NodeProps } from '@xyflow/react';
import { Maximize2, Minimize2, SquareTerminal, X } from 'lucide-react';
import { memo, useRef } from 'react';
import type { TerminalCard as Item } from '../../../schemas/canvas';
import { useConnection, usePtyHost, useSession, useSettings } from '../../connection';
import { useT } from '../../i18n';
import { PATH_TYPE, shortFolder, TerminalBody, TerminalProgress, TerminalSummary, titleOf } from '../../terminals';
import { IconButton, Pill } from '../../ui';
import { attempt } from '../attempt';
import { byZoom } from '../camera/by-zoom';
import { useSummary } from '../camera/use-camera';
import { focusCard, focusContent, toggleMaximised } from '../commands/focus';
import { removeItems } from '../commands/items';
import { renameTerminal, setFontSize } from '../commands/terminals';
import { CardMenuButton } from '../menus/card-menu';
import { useAttention } from '../store/attention';
import { canvasState, select, setCanvas, useCanvas } from '../store/state';
import { pressItem } from '../tools/moving';
import { useChords } from '../use-chords';
import { Handles } from './handles';
import type { ItemNode } from './nodes';
import { isOwn } from './own-event';
import { programName, statusOf } from './status';
import { Title, TitleText } from './title';
import { useInSight } from './visibility';

/** A terminal on the canvas. It renders when its item or its session changes, never because the camera or another card moved. */
export const TerminalNode = memo(
  function TerminalNode({ data }: NodeProps<ItemNode>) {
    return data.item.kind === 'terminal' ? <TerminalCard item={data.item} /> : null;
  },
  (a, b) => a.data === b.data,
);

function TerminalCard({ item }: { item: Item }) {
  const t = useT();
  const root = useRef<HTMLDivElement>(null);
  const { id, sessionId } = item;
  const view = useSession(sessionId);
  const ptyHost = usePtyHost((state) => state.ptyHost.state);
  const home = useConnection((state) => state.hello?.home);
  const usualSize = useSettings((state) => state.settings.terminalFontSize);
  const need = useAttention((state) => state.needs.find((one) => one.sessionId === sessionId));
  const focused = useCanvas((state) => state.focusedId === id);
  const selected = useCanvas((state) => state.selection.has(id));
  const maximised = useCanvas((state) => state.maximised?.id === id);
  const covered = useCanvas((state) => state.maximised !== null && state.maximised.id !== id);
  const inSight = useInSight(root) && !covered;
  const summary = useSummary(inSight) && !maximised;
  const chords = useChords();

  const status = statusOf(view, need, ptyHost, t);
  const title = view ? titleOf(view) : t('status.starting');
  const program = view ? programName(view.record.program) : '';
  const cwd = view?.info?.cwd ?? view?.record.cwd ?? '';
  const folder = shortFolder(cwd, home);
  const where = [folder, program].filter((part) => part && part !== title).join(' · ');

  // The same name in the header and, from afar, in the summary: the field is where it can be read.
  const name = (className: string) => (
    <Title
      id={id}
      title={title}
      initial={view?.record.name ?? ''}
      placeholder={title}
      label={t('card.nameField')}
      className={className}
      onRename={(next) => attempt(renameTerminal(id, next))}
    />
  );
  const pill = (
    <Pill tone={status.tone} shape={status.shape} title={status.title}>
      {status.word}
    </Pill>
  );

  return (
    // biome-ignore lint/a11y/useSemanticElements: a card is no fieldset
    <div
      ref={root}
      role="group"
      aria-label={t('card.label', { title, status: status.word })}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: cards are reached by Tab, and entered with Enter
      tabIndex={0}
      data-card-kind="terminal"
      data-card-id={id}
      data-state={status.state}
      data-focused={focused}
      data-selected={selected}
      data-maximised={maximised}
      className="card nodrag nopan nowheel nokey"
      onFocus={(event) => {
        if (event.target === event.currentTarget) select([id]);
      }}
      onKeyDown={(event) => {
        if (event.target !== event.currentTarget || event.key !== 'Enter') return;
        event.preventDefault();
        focusCard(id);
      }}
    >
      <div className="card-frame" ref={byZoom}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the same by keyboard is the menu and the arrow keys */}
        <header
          className="card-head"
          onPointerDown={(event) => {
            if (!isOwn(event) || (event.target as Element).closest('button, input, .card-proxy')) return;
            event.preventDefault();
            pressItem(event.nativeEvent, id);
          }}
          onDoubleClick={(event) => {
            if (isOwn(event) && !(event.target as Element).closest('button, input')) toggleMaximised(id);
          }}
          onContextMenu={(event) => {
            if (!isOwn(event)) return;
            event.preventDefault();
            if (!canvasState().selection.has(id)) select([id]);
            setCanvas({ menu: { kind: 'card', id, at: { x: event.clientX, y: event.clientY } } });
          }}
        >
          {/* biome-ignore lint/a11y/noStaticElementInteractions: the same by keyboard is typing the path */}
          <span
            className="card-proxy"
            title={t('card.dragFolder')}
            draggable
            onDragStart={(event) => {
              event.dataTransfer.setData(PATH_TYPE, cwd);
              event.dataTransfer.setData('text/plain', cwd);
              event.dataTransfer.effectAllowed = 'copy';
            }}
          >
            <SquareTerminal className="card-icon" aria-hidden />
          </span>
          {summary ? <TitleText className="card-title" title={title} /> : name('card-title')}
          <span className="card-where" title={where}>
            {where}
          </span>
          {pill}
          <span className="card-buttons" inert={summary}>
            <IconButton
              label={maximised ? t('card.unmaximise') : t('card.maximise')}
              keys={chords('card.maximise')}
              onClick={() => toggleMaximised(id)}
            >
              {maximised ? <Minimize2 aria-hidden /> : <Maximize2 aria-hidden />}
            </IconButton>
            <CardMenuButton id={id} />
            <IconButton label={t('card.close')} onClick={() => attempt(removeItems([id]))}>
              <X aria-hidden />
            </IconButton>
          </span>
          <TerminalProgress sessionId={sessionId} />
        </header>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: it notices who has the focus, it is no control */}
        <div
          data-card-body
          className="card-body"
          hidden={summary}
          onFocus={() => {
            const state = canvasState();
            if (state.focusedId !== id)
              setCanvas({ focusedId: id, selection: state.selection.has(id) ? state.selection : new Set([id]) });
          }}
          onPointerDown={() => {
            if (canvasState().focusedId !== id) focusCard(id, { reveal: false });
          }}
          onMouseDown={(event) => {
            // Beside the text (its edge, or a grid smaller than the card) the browser would focus the card instead.
            if ((event.target as Element).closest('.xterm, button, input, a, [role="dialog"]')) return;
            event.preventDefault();
            focusContent(id);
          }}
        >
          <TerminalBody
            cardId={id}
            sessionId={sessionId}
            fontSize={item.fontSize ?? usualSize}
            visibility={summary || !inSight ? 'hidden' : focused ? 'live' : 'background'}
            focused={focused && !summary}
            onFontSize={(pixels) => setFontSize(id, pixels)}
          />
        </div>
        {summary ? (
          // biome-ignore lint/a11y/noStaticElementInteractions: the same by keyboard is Enter on the card
          <div
            ref={byZoom}
            className="card-summary"
            onPointerDown={(event) => {
              event.preventDefault();
              pressItem(event.nativeEvent, id, { onClick: () => select([id]) });
            }}
            onDoubleClick={() => focusCard(id)}
          >
            <TerminalSummary sessionId={sessionId} title={name('tt-summary-title')} status={pill} />
          </div>
        ) : null}
      </div>
      {maximised ? null : <Handles id={id} />}
    </div>
  );
}
