'use client';

import { Command } from 'cmdk';
import { LayoutPanelLeft, SquareTerminal } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useRef } from 'react';
import { allActions, runAction } from '../actions';
import { attempt, canvasState, focusCard, revealSession, switchCanvas, useChords } from '../canvas';
import { useCanvases, useConnection, useSessions } from '../connection';
import { messages, useT } from '../i18n';
import { shortFolder, titleOf } from '../terminals';
import { englishLabel, isListed, scoreOf } from './entries';
import { iconOf } from './icons';

/** Everything that can be done, every running session and every canvas, by a few letters. Open as long as it is mounted. */
export function Palette({ onClose }: { onClose: () => void }) {
  const t = useT();
  const chords = useChords();
  const sessions = useSessions((state) => state.sessions);
  const home = useConnection((state) => state.hello?.home);
  const { canvases, projects } = useCanvases();
  const actions = allActions().filter((action) => isListed(action.id) && action.enabled?.() !== false);
  const projectName = (id: string) => projects.find((project) => project.id === id)?.name ?? '';
  const live = Object.values(sessions)
    .filter((view) => view.record.closingAt === undefined)
    .sort((a, b) => b.record.createdAt - a.record.createdAt);

  // The focus first goes back to where it was; then what was chosen may take it elsewhere.
  const chosen = useRef<(() => void) | null>(null);
  const choose = (run: () => void) => {
    chosen.current = run;
    onClose();
  };
  const closed = (event: Event) => {
    returnFocus(event);
    const run = chosen.current;
    chosen.current = null;
    if (run) requestAnimationFrame(run);
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="scrim" />
        <Dialog.Content className="palette" aria-describedby={undefined} onCloseAutoFocus={closed}>
          <Dialog.Title className="sr-only">{t('palette.label')}</Dialog.Title>
          <Command label={t('palette.label')} loop filter={scoreOf}>
            <Command.Input className="palette-input" placeholder={t('palette.placeholder')} autoFocus />
            <Command.List className="palette-list" label={t('palette.results')}>
              <Command.Empty className="palette-empty">{t('palette.nothing')}</Command.Empty>
              <Command.Group heading={t('palette.actions')}>
                {actions.map((action) => (
                  <Command.Item
                    key={action.id}
                    value={`action:${action.id}`}
                    keywords={[t(`actions.${action.id}`), englishLabel(messages.en, action.id)]}
                    onSelect={() => choose(() => runAction(action.id))}
                  >
                    <Icon id={action.id} />
                    <span className="truncate">{t(`actions.${action.id}`)}</span>
                    {chords(action.id) ? (
                      <kbd className="keys" data-chord>
                        {chords(action.id)}
                      </kbd>
                    ) : null}
                  </Command.Item>
                ))}
              </Command.Group>
              {live.length > 0 ? (
                <Command.Group heading={t('palette.sessions')}>
                  {live.map((view) => (
                    <Command.Item
                      key={view.record.id}
                      value={`session:${view.record.id}`}
                      keywords={[titleOf(view), view.info?.cwd ?? view.record.cwd]}
                      onSelect={() => choose(() => attempt(revealSession(view.record.id)))}
                    >
                      <SquareTerminal aria-hidden />
                      <span className="truncate">{titleOf(view)}</span>
                      <span className="keys truncate">{shortFolder(view.info?.cwd ?? view.record.cwd, home)}</span>
                    </Command.Item>
                  ))}
                </Command.Group>
              ) : null}
              {canvases.length > 1 ? (
                <Command.Group heading={t('palette.canvases')}>
                  {canvases.map((canvas) => (
                    <Command.Item
                      key={canvas.id}
                      value={`canvas:${canvas.id}`}
                      keywords={[canvas.name, projectName(canvas.projectId)]}
                      onSelect={() => choose(() => switchCanvas(canvas.id))}
                    >
                      <LayoutPanelLeft aria-hidden />
                      <span className="truncate">{canvas.name}</span>
                      <span className="keys">{projectName(canvas.projectId)}</span>
                    </Command.Item>
                  ))}
                </Command.Group>
              ) : null}
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Icon({ id }: { id: string }) {
  const Sign = iconOf(id);
  return <Sign aria-hidden />;
}

/** Into the terminal in which the person was, even if its field was replaced meanwhile. */
function returnFocus(event: Event): void {
  const { focusedId } = canvasState();
  if (!focusedId) return;
  event.preventDefault();
  focusCard(focusedId, { reveal: false });
}
