import type { SettingsPatch } from '../../schemas/settings';
import { call, useSettings } from '../connection';
import { failureText } from '../i18n';
import { toastFailure } from '../ui';

/** Changes settings: here at once, then on the server and so in every tab. A refusal puts them back and says why. */
export function changeSettings(patch: SettingsPatch): void {
  const before = useSettings.getState().settings;
  useSettings.setState({ settings: { ...before, ...patch } });
  call('settings:set', { patch }).then(
    (settings) => useSettings.setState({ settings }),
    (error: unknown) => {
      const back = Object.fromEntries(Object.keys(patch).map((key) => [key, before[key as keyof typeof before]]));
      useSettings.setState(({ settings }) => ({ settings: { ...settings, ...back } }));
      toastFailure(failureText(error));
    },
  );
}
