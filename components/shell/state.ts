import { create } from 'zustand';
import type { SettingsSection } from '../settings';

/** What is open over the canvas. */
export const useShell = create<{
  open: 'palette' | 'settings' | 'folder' | null;
  section: SettingsSection;
  /** The canvas whose name is being edited. */
  renamingCanvas: string | null;
  /** On a phone: the whole canvas instead of one card. */
  overview: boolean;
}>(() => ({ open: null, section: 'general', renamingCanvas: null, overview: false }));

export function openSettings(section?: SettingsSection): void {
  useShell.setState((state) => ({ open: 'settings', section: section ?? state.section }));
}

export const closeAll = () => useShell.setState({ open: null });
