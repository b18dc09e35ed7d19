'use client';

import { Settings } from 'lucide-react';
import { useEffect, useState } from 'react';
import { installKeys, isMac, onActionFailed, registerActions } from '../actions';
import {
  attempt,
  CanvasSurface,
  canvasActions,
  Minimap,
  maximise,
  revealSession,
  showSomeCanvas,
  startAttention,
  startSync,
  unmaximise,
  useAttention,
  useCanvas,
} from '../canvas';
import { beginConnection, startConnection, useCanvases, useConnection, useSettings } from '../connection';
import { failureText, I18nProvider, useT } from '../i18n';
import { Palette } from '../palette';
import { SettingsDialog } from '../settings';
import { installTerminals, onRevealSession, terminalActions } from '../terminals';
import { ConfirmHost, IconButton, TipProvider, ToastHost, toastFailure, useIsPhone, usePalette } from '../ui';
import { shellActions } from './actions';
import { Aside } from './aside';
import { Attention } from './attention';
import { startDesktopNotices } from './desktop-notices';
import { Dock, ZoomBar } from './dock';
import { useInsets } from './insets';
import { OpenFolder } from './open-folder';
import { PhoneBar } from './phone';
import { ProjectBar } from './project-bar';
import { SelectionBar } from './selection-bar';
import { closeAll, openSettings, useShell } from './state';
import { CanvasStates, PtyHostBanner, Reconnecting, RefusedBanner } from './states';

if (typeof window !== 'undefined') beginConnection();

/** The page of Tessera: the canvas and what floats over it. Made for the browser only. */
export function CanvasPage() {
  usePage();
  return (
    <I18nProvider>
      <TipProvider>
        <Page />
      </TipProvider>
    </I18nProvider>
  );
}

/** What lives as long as the page. */
function usePage(): void {
  useEffect(() => {
    onActionFailed((error) => {
      console.error(error);
      toastFailure(failureText(error));
    });
    onRevealSession((sessionId) => attempt(revealSession(sessionId)));
    const stops = [
      registerActions(canvasActions),
      registerActions(terminalActions),
      registerActions(shellActions(isMac())),
      installKeys(),
      installTerminals(),
      startSync(),
      startAttention(),
      startDesktopNotices(),
      useConnection.subscribe(({ hello }, before) => hello && !before.hello && showSomeCanvas()),
      // After a change of the list: this tab's canvas may be gone.
      useCanvases.subscribe(() => useConnection.getState().hello && showSomeCanvas()),
    ];
    startConnection();
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
}

function Page() {
  const t = useT();
  const known = useConnection((state) => state.hello !== null);
  usePalette(
    useSettings((state) => state.settings.palette),
    known,
  );
  const phone = useIsPhone();
  const maximised = useCanvas((state) => state.maximised !== null);
  const hasItems = useCanvas((state) => state.items.size > 0);
  const [phoneBar, setPhoneBar] = useState<HTMLDivElement | null>(null);
  const oneCard = phone && maximised;
  useInsets(phone, maximised, phoneBar);
  usePhoneCard(phone);
  return (
    <main id="page" className="page" data-phone={phone} data-maximised={maximised}>
      <Title />
      <div className="page-canvas">
        <CanvasSurface />
      </div>
      <CanvasStates />
      {oneCard ? (
        <div ref={setPhoneBar} className="phone-bar">
          <PhoneBar />
        </div>
      ) : (
        <>
          <header className="chrome-top">
            <ProjectBar />
            <div className="float">
              <Attention />
              <span className="sep" />
              <IconButton label={t('settings.title')} onClick={() => openSettings()}>
                <Settings aria-hidden />
              </IconButton>
            </div>
          </header>
          {maximised ? null : (
            <footer className="chrome-bottom">
              <div className="chrome-map">
                {hasItems && !phone ? (
                  <Aside className="">
                    <Minimap />
                  </Aside>
                ) : null}
              </div>
              <Aside className="chrome-dock">
                <SelectionBar />
                <Dock />
              </Aside>
              <div className="chrome-zoom">
                {phone ? null : (
                  <Aside className="">
                    <ZoomBar />
                  </Aside>
                )}
              </div>
            </footer>
          )}
        </>
      )}
      <div className="banners">
        <Reconnecting />
        <RefusedBanner />
        <PtyHostBanner />
      </div>
      <Overlays />
      <ConfirmHost />
      <ToastHost label={t('ui.messages')} closeLabel={t('card.closeNow')} top={oneCard} />
    </main>
  );
}

function Overlays() {
  const { open, section } = useShell();
  if (open === 'palette') return <Palette onClose={closeAll} />;
  if (open === 'settings') return <SettingsDialog section={section} onSection={openSettings} onClose={closeAll} />;
  if (open === 'folder') return <OpenFolder onClose={closeAll} />;
  return null;
}

/** On a phone one card fills the page, unless the person looks at the whole canvas. */
function usePhoneCard(phone: boolean): void {
  const ready = useCanvas((state) => state.status === 'ready');
  const maximised = useCanvas((state) => state.maximised?.id);
  const items = useCanvas((state) => state.items);
  const overview = useShell((state) => state.overview);
  const [wasPhone, setWasPhone] = useState(phone);
  useEffect(() => {
    if (phone && maximised) useShell.setState({ overview: false });
  }, [phone, maximised]);
  useEffect(() => {
    if (maximised && !items.has(maximised)) unmaximise();
    if (wasPhone !== phone) {
      setWasPhone(phone);
      if (!phone) unmaximise();
    }
    if (!phone || !ready || overview || (maximised && items.has(maximised))) return;
    const first = [...items.values()].find((item) => item.kind !== 'region');
    if (first) maximise(first.id);
  }, [phone, wasPhone, ready, overview, maximised, items]);
}

/** The tab of the browser says where one is and how many need you. */
function Title() {
  const t = useT();
  const canvasId = useCanvas((state) => state.canvasId);
  const { canvases, projects } = useCanvases();
  const needs = useAttention((state) => state.needs.length);
  const canvas = canvases.find((one) => one.id === canvasId);
  const project = projects.find((one) => one.id === canvas?.projectId);
  const where = [project?.name, canvas?.name].filter(Boolean).join(' · ');
  return <title>{`${needs > 0 ? `(${needs}) ` : ''}${where ? `${where} · ` : ''}${t('app.name')}`}</title>;
}
