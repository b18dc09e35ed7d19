import { text } from '../i18n';
import { lendTerminals } from './lend';
import { startSignals } from './signals';
import { installUnloadGuard } from './unload-guard';
import { installEventScaler } from './xterm/event-scaler';

let users = 0;
let ends: (() => void)[] = [];

/** What the page's terminals need once: mapped pointers, signals of programs, a question before the page goes. */
export function installTerminals(): () => void {
  users++;
  if (users === 1) ends = [installEventScaler(), startSignals(text), installUnloadGuard(), lendTerminals()];
  return () => {
    users--;
    if (users > 0) return;
    for (const end of ends) end();
    ends = [];
  };
}
