'use client';

import { FolderOpen, SquareTerminal, Trash2, TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import { runAction } from '../actions';
import { attempt, deleteCanvas, openCanvas, useCanvas, useChords } from '../canvas';
import { retryConnection, useCanvases, useConnection, usePtyHost } from '../connection';
import { failureSentence, useT } from '../i18n';
import { Button, Mark, useIsPhone } from '../ui';

/** Nothing needs a word before this time, in milliseconds. */
const PATIENCE_MS = 400;
/** A server that is only restarted is back by then, milliseconds; after it, the person is told how to start it. */
const STOPPED_MS = 8_000;

/** Whether something has been so for a while. */
function useLasting(condition: boolean, after: number): boolean {
  const [lasting, setLasting] = useState(false);
  useEffect(() => {
    if (!condition) {
      setLasting(false);
      return;
    }
    const timer = setTimeout(() => setLasting(true), after);
    return () => clearTimeout(timer);
  }, [condition, after]);
  return condition && lasting;
}

/** The canvas while there is nothing on it, while it loads, and when it cannot be shown. */
export function CanvasStates() {
  const status = useCanvas((state) => state.status);
  const empty = useCanvas((state) => state.items.size === 0 && state.corrupt.length === 0);
  const refused = useConnection((state) => state.status === 'refused' && state.hello === null);
  if (refused) return <Refused />;
  if (status === 'loading') return <Loading />;
  if (status === 'failed') return <Failed />;
  if (status === 'none') return <NoProject />;
  return empty ? <Empty /> : null;
}

function Empty() {
  const t = useT();
  const chords = useChords();
  const phone = useIsPhone();
  const canvasId = useCanvas((state) => state.canvasId);
  const spare = useCanvases(({ canvases }) => {
    const projectId = canvases.find((canvas) => canvas.id === canvasId)?.projectId;
    return canvases.filter((canvas) => canvas.projectId === projectId).length > 1;
  });
  return (
    <div className="state">
      <Mark size={34} />
      <h1>{t('empty.title')}</h1>
      <p>{t(phone ? 'empty.textPhone' : 'empty.text')}</p>
      <Button look="solid" size="large" className="state-main" onClick={() => runAction('terminal.new')}>
        <SquareTerminal aria-hidden />
        {t('actions.terminal.new')}
      </Button>
      <dl className="state-hints">
        <dt>{chords('terminal.new') ? <kbd className="kbd">{chords('terminal.new')}</kbd> : null}</dt>
        <dd>{t('empty.hintTerminal')}</dd>
        <dt>
          <span className="kbd">{t('empty.doubleClick')}</span>
        </dt>
        <dd>{t('empty.hintLauncher')}</dd>
        <dt>{chords('palette.open') ? <kbd className="kbd">{chords('palette.open')}</kbd> : null}</dt>
        <dd>{t('empty.hintPalette')}</dd>
      </dl>
      {spare ? (
        <Button className="state-more" onClick={() => canvasId && attempt(deleteCanvas(canvasId))}>
          <Trash2 aria-hidden />
          {t('empty.deleteCanvas')}
        </Button>
      ) : null}
    </div>
  );
}

function NoProject() {
  const t = useT();
  return (
    <div className="state">
      <Mark size={34} />
      <h1>{t('noProject.title')}</h1>
      <p>{t('noProject.text')}</p>
      <Button look="solid" size="large" className="state-main" onClick={() => runAction('project.open')}>
        <FolderOpen aria-hidden />
        {t('actions.project.open')}
      </Button>
    </div>
  );
}

/** The shape of what comes; nothing at all for the first 300 ms. */
function Loading() {
  const t = useT();
  const connecting = useConnection((state) => state.status === 'connecting');
  const long = useLasting(connecting, 4_000);
  return (
    <div className="loading" role="status" aria-label={t('app.loading')}>
      {[0, 1, 2].map((card) => (
        <div key={card} className="loading-card" aria-hidden>
          <div className="loading-head">
            <span className="skeleton h-3 w-28" />
            <span className="skeleton h-3 w-16" />
          </div>
        </div>
      ))}
      {long ? (
        <p className="loading-word">
          {t('app.waiting')} {t('shell.startAgain')}
        </p>
      ) : null}
    </div>
  );
}

function Failed() {
  const t = useT();
  const failure = useCanvas((state) => state.failure);
  const canvasId = useCanvas((state) => state.canvasId);
  return (
    <div className="state" role="alert">
      <TriangleAlert className="size-8 text-bad" strokeWidth={1.6} aria-hidden />
      <h1>{t('failed.title')}</h1>
      <p>{failure}</p>
      <Button look="line" size="large" className="state-main" onClick={() => canvasId && void openCanvas(canvasId)}>
        {t('failed.again')}
      </Button>
    </div>
  );
}

/** The server is there, but this page cannot begin with what it answers. */
function Refused() {
  const t = useT();
  const failure = useConnection((state) => state.failure);
  return (
    <div className="state" role="alert">
      <TriangleAlert className="size-8 text-bad" strokeWidth={1.6} aria-hidden />
      <h1>{t('refused.title')}</h1>
      <p>{failure ? failureSentence(failure) : null}</p>
      <p>{t('refused.text')}</p>
      <Button look="line" size="large" className="state-main" onClick={retryConnection}>
        {t('failed.again')}
      </Button>
    </div>
  );
}

/** The server came back, but refuses this page; everything on the page stays. */
export function RefusedBanner() {
  const t = useT();
  const failure = useConnection((state) => (state.status === 'refused' && state.hello ? state.failure : null));
  if (!failure) return null;
  return (
    <div className="banner" data-tone="bad" role="alert">
      <span className="glyph" data-shape="diamond" aria-hidden />
      <span>
        {t('refused.title')}: {failureSentence(failure)}
      </span>
      <Button look="line" onClick={retryConnection}>
        {t('failed.again')}
      </Button>
    </div>
  );
}

/** A thin line while the connection is lost; everything on the page stays. */
export function Reconnecting() {
  const t = useT();
  const lost = useConnection((state) => state.status === 'reconnecting');
  const shown = useLasting(lost, PATIENCE_MS);
  const long = useLasting(lost, STOPPED_MS);
  if (!shown) return null;
  return (
    <>
      <div className="reconnecting" aria-hidden />
      <div className="banner" data-tone="need" role="status">
        <span className="glyph" data-shape="ring" aria-hidden />
        <span>
          {t('shell.reconnecting')}
          {long ? <span className="block">{t('shell.startAgain')}</span> : null}
        </span>
      </div>
    </>
  );
}

/** What is wrong with the process that keeps the shells, and what to do. */
export function PtyHostBanner() {
  const t = useT();
  const { state, reason } = usePtyHost((store) => store.ptyHost);
  const connected = useConnection((store) => store.status === 'connected');
  const starting = useLasting(connected && state === 'starting', 1_500);
  if (!connected || state === 'connected' || (state === 'starting' && !starting)) return null;
  return (
    <div
      className="banner"
      data-tone={state === 'starting' ? 'work' : 'bad'}
      role={state === 'starting' ? 'status' : 'alert'}
    >
      <span className="glyph" data-shape={state === 'starting' ? 'dot' : 'diamond'} aria-hidden />
      <span>
        {t(`ptyHost.${state}`)}
        {reason ? ` ${failureSentence(reason)}` : null}
      </span>
    </div>
  );
}
