import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { Closed, FailureError } from '../../schemas/result';
import { defaultSettings, Settings, type SettingsPatch } from '../../schemas/settings';
import type { Broadcast, RealtimeRoom } from '../realtime';
import type { CorruptRecord, Storage } from '../storage';

type Key = keyof SettingsPatch;

const shapes = Settings.properties;
const keys = (Object.keys(shapes) as (keyof Settings)[]).filter((key): key is Key => key !== 'v');

/** One row a setting, so that one that cannot be read leaves the others as the person set them. */
const StoredSetting = Type.Union(
  keys.map((key) => Closed({ v: Type.Literal(1), id: Type.Literal(key), value: shapes[key] })),
);
type StoredSetting = Static<typeof StoredSetting> & { id: Key };

export interface SettingsRoom {
  room: RealtimeRoom;
  /** The settings as they are now; a new object after every change. */
  current(): Settings;
  /** Changes some, tells every tab. Throws and changes nothing if one is not acceptable. */
  patch(patch: SettingsPatch): Settings;
  corrupt(): CorruptRecord[];
}

/** What a person can set, the same in every tab. */
export function createSettings({ storage, broadcast }: { storage: Storage; broadcast: Broadcast }): SettingsRoom {
  const table = storage.records<StoredSetting>('settings', StoredSetting);
  const loaded = table.all();
  let settings: Settings = { ...defaultSettings };
  for (const { id, value } of loaded.records) settings = { ...settings, [id]: value };

  const patch = (change: SettingsPatch): Settings => {
    if (change.shell) requireShell(change.shell);
    storage.transaction(() => {
      for (const [id, value] of Object.entries(change)) {
        // The person has just said what it shall be; what stood there is kept, out of the way.
        table.setAside(id);
        table.put({ v: 1, id, value } as StoredSetting);
      }
    });
    settings = { ...settings, ...change };
    broadcast('settings:changed', settings);
    return settings;
  };

  return {
    room: { calls: { 'settings:set': (args) => patch(args.patch) } },
    current: () => settings,
    patch,
    corrupt: () => table.all().corrupt,
  };
}

function requireShell(shell: string): void {
  const refuse = (why: string) =>
    new FailureError('shell-unusable', `${shell} cannot be the shell: ${why}.`, { shell, why });
  if (!isAbsolute(shell)) throw refuse('give its absolute path');
  try {
    if (!statSync(shell).isFile()) throw refuse('it is not a file');
    accessSync(shell, constants.X_OK);
  } catch (error) {
    if (error instanceof FailureError) throw error;
    throw refuse((error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such file' : 'it cannot be run');
  }
}
