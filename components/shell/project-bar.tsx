'use client';

import { Check, ChevronDown, FolderOpen, Plus } from 'lucide-react';
import type { Canvas, Project } from '../../schemas/canvas';
import { runAction } from '../actions';
import { attempt, openProject, switchCanvas, useCanvas, useChords } from '../canvas';
import { useCanvases, useConnection } from '../connection';
import { useT } from '../i18n';
import { shortFolder } from '../terminals';
import { Button, IconButton, Mark, Menu, MenuItem, MenuLabel, MenuLine, useIsPhone } from '../ui';
import { CanvasItems, CanvasMenu, renameCanvasHere } from './canvas-menu';
import { CanvasNameField } from './canvas-name-field';
import { newCanvas } from './new-canvas';
import { useShell } from './state';

/** The project and its canvases, at the upper left. */
export function ProjectBar() {
  const t = useT();
  const phone = useIsPhone();
  const canvasId = useCanvas((state) => state.canvasId);
  const { projects, canvases } = useCanvases();
  const current = canvases.find((canvas) => canvas.id === canvasId);
  const project = projects.find((one) => one.id === current?.projectId);
  const tabs = canvases.filter((canvas) => canvas.projectId === project?.id).sort((a, b) => a.position - b.position);
  return (
    <nav className="float project-bar" aria-label={t('shell.project')}>
      <ProjectMenu project={project} projects={projects} />
      {project ? <span className="sep" /> : null}
      {phone ? <CanvasMenu /> : null}
      {project && !phone ? (
        <>
          <div className="canvas-tabs">
            {tabs.map((canvas) => (
              <CanvasTab key={canvas.id} canvas={canvas} current={canvas.id === canvasId} alone={tabs.length === 1} />
            ))}
          </div>
          <IconButton label={t('actions.canvases.new')} onClick={() => attempt(newCanvas(project.id))}>
            <Plus aria-hidden />
          </IconButton>
        </>
      ) : null}
    </nav>
  );
}

function ProjectMenu({ project, projects }: { project: Project | undefined; projects: Project[] }) {
  const t = useT();
  const chords = useChords();
  const home = useConnection((state) => state.hello?.home);
  const items = (
    <>
      {projects.length > 0 ? <MenuLabel>{t('shell.recent')}</MenuLabel> : null}
      {projects.slice(0, 12).map((one) => (
        <MenuItem
          key={one.id}
          icon={one.id === project?.id ? <Check aria-hidden /> : <span className="w-4" />}
          onSelect={() => attempt(openProject(one.folder))}
        >
          <span className="block truncate">{one.name}</span>
          <span className="block truncate text-xs text-ink-3">{shortFolder(one.folder, home)}</span>
        </MenuItem>
      ))}
      {projects.length > 0 ? <MenuLine /> : null}
      <MenuItem
        icon={<FolderOpen aria-hidden />}
        keys={chords('project.open')}
        onSelect={() => runAction('project.open')}
      >
        {t('actions.project.open')}
      </MenuItem>
    </>
  );
  return (
    <Menu items={items} label={t('shell.projects')}>
      <Button aria-label={t('shell.projectNamed', { name: project?.name ?? t('shell.noProject') })}>
        <Mark />
        <b className="max-w-40 truncate max-sm:max-w-24 leading-[1.3] font-[640] text-ink">
          {project?.name ?? t('shell.noProject')}
        </b>
        <ChevronDown aria-hidden />
      </Button>
    </Menu>
  );
}

/** A canvas of the project. The one that is shown has a menu. */
function CanvasTab({ canvas, current, alone }: { canvas: Canvas; current: boolean; alone: boolean }) {
  const t = useT();
  const renaming = useShell((state) => state.renamingCanvas === canvas.id);
  if (renaming) return <CanvasNameField canvas={canvas} />;
  if (!current)
    return (
      <Button data-canvas-tab={canvas.id} onClick={() => switchCanvas(canvas.id)}>
        <span className="max-w-36 truncate leading-[1.3]">{canvas.name}</span>
      </Button>
    );
  return (
    <Menu items={<CanvasItems canvas={canvas} alone={alone} />} label={t('canvases.menu', { name: canvas.name })}>
      <Button
        data-on="true"
        aria-current="page"
        data-canvas-tab={canvas.id}
        onDoubleClick={() => renameCanvasHere(canvas.id)}
      >
        <span className="max-w-36 truncate leading-[1.3]">{canvas.name}</span>
      </Button>
    </Menu>
  );
}
