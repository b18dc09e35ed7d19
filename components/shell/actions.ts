import type { Settings } from '../../schemas/settings';
import type { Action } from '../actions';
import { canvasState } from '../canvas';
import { signOut } from '../connection';
import { changeSettings } from '../settings';
import { currentProject, newCanvas } from './new-canvas';
import { openSettings, useShell } from './state';

const looks: readonly Settings['palette'][] = ['system', 'sage', 'lilac', 'night'];

/** What concerns the page as a whole. `mac`: keyboards have a command key. */
export function shellActions(mac: boolean): Action[] {
  return [
    {
      id: 'palette.open',
      section: 'app',
      keys: ['$mod+Shift+KeyP', ...(mac ? ['Meta+KeyK'] : [])],
      reserved: true,
      run: () => useShell.setState((state) => ({ open: state.open === 'palette' ? null : 'palette' })),
    },
    { id: 'settings.open', section: 'app', keys: ['$mod+Comma'], run: () => openSettings() },
    { id: 'settings.keys', section: 'app', keys: ['Shift+Slash'], run: () => openSettings('keys') },
    { id: 'settings.browsers', section: 'app', keys: [], run: () => openSettings('browsers') },
    { id: 'project.open', section: 'app', keys: ['$mod+KeyO'], run: () => useShell.setState({ open: 'folder' }) },
    {
      id: 'canvases.new',
      section: 'canvas',
      keys: [],
      enabled: () => currentProject() !== undefined,
      run: () => newCanvas(currentProject()!),
    },
    {
      id: 'canvases.rename',
      section: 'canvas',
      keys: [],
      enabled: () => canvasState().canvasId !== null,
      run: () => useShell.setState({ renamingCanvas: canvasState().canvasId }),
    },
    ...looks.map(
      (palette): Action => ({
        id: `look.${palette}`,
        section: 'app',
        keys: [],
        run: () => changeSettings({ palette }),
      }),
    ),
    { id: 'app.signOut', section: 'app', keys: [], run: signOut },
  ];
}
