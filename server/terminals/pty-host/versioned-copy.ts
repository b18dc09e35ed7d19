import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  cpSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

/** Enough of the hash to tell versions apart. */
const NAME_LENGTH = 16;
const VERSION_NAME = /^[0-9a-f]{16}$/;
/** A copy that is being removed. */
const REMOVED_NAME = /^\.[0-9a-f]{16}\.[0-9a-f]{12}\.removed$/;

/** The pty host as it is run: a folder that no upgrade touches. */
export interface VersionedCopy {
  directory: string;
  script: string;
  version: string;
}

/**
 * Copies the bundle and node-pty with its binary into the data folder, under a name made of what they are; a copy that
 * is there already is used as it is.
 */
export function versionedCopy(bundleDir: string, dataDir: string): VersionedCopy {
  const bundle = join(bundleDir, 'main.js');
  const resolve = createRequire(bundle).resolve;
  const nodePty = dirname(resolve('node-pty/package.json'));
  const platform = `@lydell/node-pty-${process.platform}-${process.arch}`;
  const binary = dirname(createRequire(join(nodePty, 'package.json')).resolve(`${platform}/package.json`));
  const version = createHash('sha256')
    .update(readFileSync(bundle))
    .update(readFileSync(join(nodePty, 'package.json')))
    .update(readFileSync(join(binary, 'package.json')))
    .update(`${process.versions.modules} ${process.platform} ${process.arch}`)
    .digest('hex')
    .slice(0, NAME_LENGTH);
  const versions = join(dataDir, 'pty-host');
  const directory = join(versions, version);
  if (!isWhole(directory, bundle, binary, platform)) {
    // One that was cut short, as by a loss of power, makes way.
    if (existsSync(directory)) putAside(versions, version);
    // Made aside and put in place in one step: two servers may do this at once.
    const aside = join(versions, `.${version}.${process.pid}`);
    rmSync(aside, { recursive: true, force: true });
    mkdirSync(join(aside, 'node_modules', '@lydell'), { recursive: true, mode: 0o700 });
    cpSync(bundle, join(aside, 'main.js'));
    writeFileSync(join(aside, 'package.json'), JSON.stringify({ type: 'module', private: true }));
    cpSync(nodePty, join(aside, 'node_modules', 'node-pty'), { recursive: true, dereference: true });
    cpSync(binary, join(aside, 'node_modules', platform), { recursive: true, dereference: true });
    for (const file of filesBelow(aside)) sync(file);
    try {
      renameSync(aside, directory);
    } catch (error) {
      rmSync(aside, { recursive: true, force: true });
      if (!existsSync(directory)) throw error;
    }
  }
  return { directory, script: join(directory, 'main.js'), version };
}

/** Removes copies that no host runs from. Only to be called when none runs, or with the one that does. */
export function removeOldCopies(dataDir: string, keep: string[]): void {
  const versions = join(dataDir, 'pty-host');
  for (const name of readdirSync(versions)) {
    const directory = join(versions, name);
    // One of a server that was killed in the middle of this.
    if (REMOVED_NAME.test(name)) rmSync(directory, { recursive: true, force: true });
    if (!VERSION_NAME.test(name) || keep.includes(directory)) continue;
    putAside(versions, name);
  }
}

/** Removes a copy in one step: half a one under its name would be taken for a whole one. */
function putAside(versions: string, name: string): void {
  const aside = join(versions, `.${name}.${randomBytes(6).toString('hex')}.removed`);
  try {
    renameSync(join(versions, name), aside);
  } catch (error) {
    // Another server was first.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  rmSync(aside, { recursive: true, force: true });
}

/** Whether it is there, and the files without which it cannot run are as long as they should be. */
function isWhole(directory: string, bundle: string, binary: string, platform: string): boolean {
  const copyOf = join(directory, 'node_modules', platform);
  const pairs: [string, string][] = [
    [bundle, join(directory, 'main.js')],
    ...filesBelow(binary).map((file): [string, string] => [file, join(copyOf, relative(binary, file))]),
  ];
  return pairs.every(([from, to]) => statSync(to, { throwIfNoEntry: false })?.size === statSync(from).size);
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** On disk before the name of the folder is. */
function sync(file: string): void {
  const fd = openSync(file, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
