import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { nanoid } from 'nanoid';
import { type Canvas, Project } from '../../schemas/canvas';
import { FailureError } from '../../schemas/result';
import type { Canvases } from '../canvas';
import type { Broadcast, RealtimeRoom } from '../realtime';
import type { CorruptRecord, Storage } from '../storage';

/** Suggestions of the "open folder" field. */
const MAX_FOLDERS = 50;

export interface Projects {
  room: RealtimeRoom;
  /** The project opened last comes first. */
  list(): Project[];
  get(projectId: string): Project | undefined;
  /** Opens a folder as a project, or says which project has it, with its first canvas. */
  open(folder: string): Promise<{ project: Project; canvas: Canvas }>;
  /** Runs after a project was opened; who opened it is answered when the listener is done. One listener. */
  listen(opened: (project: Project) => Promise<void>): void;
  corrupt(): CorruptRecord[];
}

interface Surroundings {
  storage: Storage;
  broadcast: Broadcast;
  canvases: Canvases;
}

/** Folders that a person opened. */
export function createProjects({ storage, broadcast, canvases }: Surroundings): Projects {
  const table = storage.records<Project>('projects', Project);
  const projects = new Map(table.all().records.map((project) => [project.id, project]));
  for (const project of projects.values()) canvases.ensure(project.id);

  const list = () => [...projects.values()].sort((a, b) => b.openedAt - a.openedAt);

  let opened: (project: Project) => Promise<void> = async () => undefined;

  const open = async (given: string) => {
    const folder = await realFolder(given);
    const known = list().find((project) => project.folder === folder);
    const project: Project = known
      ? { ...known, openedAt: Date.now() }
      : { v: 1, id: nanoid(), folder, name: basename(folder) || folder, openedAt: Date.now() };
    table.put(project);
    projects.set(project.id, project);
    broadcast('projects:changed', list());
    const canvas = canvases.ensure(project.id);
    await opened(project);
    return { project, canvas };
  };

  return {
    room: {
      calls: {
        'project:open': ({ folder }) => open(folder),
        'project:folders': async ({ folder, prefix }) => ({ folders: await foldersIn(folder, prefix) }),
      },
    },
    list,
    get: (projectId) => projects.get(projectId),
    open,
    listen: (listener) => {
      opened = listener;
    },
    corrupt: () => table.all().corrupt,
  };
}

async function realFolder(folder: string): Promise<string> {
  try {
    const real = await realpath(folder);
    if ((await stat(real)).isDirectory()) return real;
  } catch (error) {
    throw folderFailure(folder, error);
  }
  throw new FailureError('not-a-folder', `${folder} is a file, not a folder.`, { folder });
}

/** Absolute paths of the folders in `folder` whose names start with `prefix`; hidden ones only when asked for. */
async function foldersIn(folder: string, prefix: string): Promise<string[]> {
  const wanted = prefix.toLocaleLowerCase();
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw folderFailure(folder, error);
  });
  const candidates = entries
    .filter(({ name }) => name.toLocaleLowerCase().startsWith(wanted))
    .filter(({ name }) => prefix.startsWith('.') || !name.startsWith('.'))
    .sort((a, b) => a.name.localeCompare(b.name));
  const folders: string[] = [];
  for (const entry of candidates) {
    if (folders.length === MAX_FOLDERS) break;
    const path = join(folder, entry.name);
    if (entry.isDirectory() || (entry.isSymbolicLink() && (await leadsToFolder(path)))) folders.push(path);
  }
  return folders;
}

/** A link that leads nowhere, or where we may not look, is no folder to suggest. */
async function leadsToFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function folderFailure(folder: string, error: unknown): FailureError {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return new FailureError('folder-missing', `There is no folder ${folder}.`, { folder });
  if (code === 'ENOTDIR') return new FailureError('not-a-folder', `${folder} is a file, not a folder.`, { folder });
  if (code === 'EACCES' || code === 'EPERM') {
    return new FailureError('folder-denied', `You may not read the folder ${folder}.`, { folder });
  }
  return new FailureError('folder-unreadable', `The folder ${folder} cannot be read (${code ?? String(error)}).`, {
    folder,
    reason: code ?? String(error),
  });
}
