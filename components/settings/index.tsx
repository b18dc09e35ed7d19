'use client';

import { Info, Keyboard, LayoutDashboard, MonitorSmartphone, Settings2, SquareTerminal } from 'lucide-react';
import { Tabs } from 'radix-ui';
import { useT } from '../i18n';
import { Dialog } from '../ui';
import { About } from './about';
import { Browsers } from './browsers';
import { CanvasSettings } from './canvas';
import { General } from './general';
import { Keys } from './keys';
import { TerminalSettings } from './terminal';

export { changeSettings } from './store';

const sections = [
  { id: 'general', Icon: Settings2, Content: General },
  { id: 'terminal', Icon: SquareTerminal, Content: TerminalSettings },
  { id: 'canvas', Icon: LayoutDashboard, Content: CanvasSettings },
  { id: 'keys', Icon: Keyboard, Content: Keys },
  { id: 'browsers', Icon: MonitorSmartphone, Content: Browsers },
  { id: 'about', Icon: Info, Content: About },
] as const;
export type SettingsSection = (typeof sections)[number]['id'];

/** The settings; every change takes effect at once, in every tab. Open as long as it is mounted. */
export function SettingsDialog({
  section,
  onSection,
  onClose,
}: {
  section: SettingsSection;
  onSection: (section: SettingsSection) => void;
  onClose: () => void;
}) {
  const t = useT();
  return (
    <Dialog title={t('settings.title')} closeLabel={t('ui.close')} onClose={onClose} width={860} height={620}>
      <Tabs.Root
        value={section}
        onValueChange={(value) => onSection(value as SettingsSection)}
        orientation="vertical"
        className="settings"
      >
        <Tabs.List className="settings-tabs" aria-label={t('settings.title')}>
          {sections.map(({ id, Icon }) => (
            <Tabs.Trigger key={id} value={id} className="btn settings-tab">
              <Icon aria-hidden />
              {t(`settings.sections.${id}`)}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {sections.map(({ id, Content }) => (
          <Tabs.Content key={id} value={id} className="settings-content" tabIndex={-1}>
            <Content />
          </Tabs.Content>
        ))}
      </Tabs.Root>
    </Dialog>
  );
}
