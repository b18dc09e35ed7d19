import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { defaultSettings } from '../../schemas/settings';
import type { Broadcast } from '../realtime';
import { DATABASE_FILE, openStorage, type Storage } from '../storage';
import { createSettings } from './index';

let dataDir: string;
let storage: Storage;
let told: unknown[];

const tell: Broadcast = (event, ...args) => {
  told.push([event, ...args]);
};
const start = () => createSettings({ storage, broadcast: tell });

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'tessera-settings-'));
  storage = openStorage(dataDir);
  told = [];
});
afterEach(() => {
  storage.close();
  rmSync(dataDir, { recursive: true, force: true });
});

it('starts with the defaults, keeps what is set and tells every tab', () => {
  const settings = start();
  expect(settings.current()).toEqual(defaultSettings);
  const changed = { ...defaultSettings, palette: 'night' as const, keys: { 'palette.open': ['$mod+KeyP'] } };
  expect(settings.patch({ palette: 'night', keys: changed.keys })).toEqual(changed);
  expect(told).toEqual([['settings:changed', changed]]);
  expect(start().current()).toEqual(changed);
});

it('one setting that cannot be read is its default; the others stay, and setting it anew works', () => {
  start().patch({ palette: 'lilac', snap: false });
  const db = new Database(join(dataDir, DATABASE_FILE));
  db.prepare(`UPDATE settings SET json = 'purple' WHERE id = 'palette'`).run();
  const settings = start();
  expect(settings.current()).toEqual({ ...defaultSettings, snap: false });
  expect(settings.corrupt()).toEqual([{ id: 'palette', reason: expect.stringContaining('not JSON') }]);
  settings.patch({ palette: 'sage' });
  expect(start().current().palette).toBe('sage');
  expect(settings.corrupt()).toEqual([]);
  expect(db.prepare(`SELECT json FROM settings WHERE id LIKE 'palette~%'`).get()).toEqual({ json: 'purple' });
  db.close();
});

it.each(['bash', '/nowhere/shell', '/etc/passwd', '/usr'])('refuses %s as a shell and changes nothing', (shell) => {
  const settings = start();
  expect(() => settings.patch({ shell, snap: false })).toThrow(expect.objectContaining({ code: 'shell-unusable' }));
  expect(settings.current()).toEqual(defaultSettings);
  expect(settings.patch({ shell: '/bin/sh' }).shell).toBe('/bin/sh');
});
