import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createCanvases } from '../canvas';
import type { Broadcast } from '../realtime';
import { openStorage, type Storage } from '../storage';
import { createProjects } from './index';

let root: string;
let storage: Storage;
let told: unknown[][];

const tell: Broadcast = (event, ...args) => {
  told.push([event, ...args]);
};
const start = () => {
  const { canvases } = createCanvases({ storage, broadcast: tell });
  return { canvases, projects: createProjects({ storage, broadcast: tell, canvases }) };
};
const folders = async (folder: string, prefix: string) =>
  start().projects.room.calls['project:folders']!(
    { folder, prefix },
    { id: 't', browserSessionId: 'b', emit: () => {} },
  );

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tessera-project-')));
  storage = openStorage(join(root, 'data'));
  told = [];
});
afterEach(() => {
  storage.close();
  rmSync(root, { recursive: true, force: true });
});

it('opens a folder once, by whatever name, with a first canvas, over a restart', async () => {
  mkdirSync(join(root, 'мой проект'));
  symlinkSync(join(root, 'мой проект'), join(root, 'link'));
  const { projects, canvases } = start();
  const first = await projects.open(join(root, 'мой проект'));
  expect(first.project).toMatchObject({ folder: join(root, 'мой проект'), name: 'мой проект' });
  expect(first.canvas).toMatchObject({ projectId: first.project.id, name: 'Main' });
  const again = await projects.open(`${root}/link/../link/`);
  expect(again.project.id).toBe(first.project.id);
  expect(canvases.list()).toHaveLength(1);
  expect(told.map(([event]) => event)).toEqual(['projects:changed', 'canvases:changed', 'projects:changed']);
  expect(start().projects.list()).toEqual([again.project]);
});

it('says why a folder cannot be opened', async () => {
  writeFileSync(join(root, 'file'), '');
  const { projects } = start();
  await expect(projects.open(join(root, 'none'))).rejects.toMatchObject({ code: 'folder-missing' });
  await expect(projects.open(join(root, 'file'))).rejects.toMatchObject({ code: 'not-a-folder' });
  await expect(projects.open(join(root, 'file', 'x'))).rejects.toMatchObject({ code: 'not-a-folder' });
  expect(projects.list()).toEqual([]);
});

it('suggests folders only, hidden ones when asked for, links that lead to folders, at most 50', async () => {
  const home = join(root, 'home');
  for (const name of ['Docs', 'docker', '.cache', 'other']) mkdirSync(join(home, name), { recursive: true });
  writeFileSync(join(home, 'doc.txt'), '');
  symlinkSync('/nowhere', join(home, 'dock'));
  symlinkSync(join(home, 'other'), join(home, 'doc-link'));
  const named = (...names: string[]) => ({ folders: names.map((name) => join(home, name)) });
  expect(await folders(home, 'doc')).toEqual(named('doc-link', 'docker', 'Docs'));
  expect(await folders(home, '.')).toEqual(named('.cache'));
  await expect(folders(join(home, 'doc.txt'), '')).rejects.toMatchObject({ code: 'not-a-folder' });
  for (let i = 0; i < 60; i += 1) mkdirSync(join(home, `many-${i}`));
  expect((await folders(home, 'many')).folders).toHaveLength(50);
});
