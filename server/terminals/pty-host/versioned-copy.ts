import { createHash, randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

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
  if (!existsSync(directory)) {
    // Made aside and put in place in one step: two servers may do this at once.
    const aside = join(versions, `.${version}.${process.pid}`);
    rmSync(aside, { recursive: true, force: true });
    mkdirSync(join(aside, 'node_modules', '@lydell'), { recursive: true, mode: 0o700 });
    cpSync(bundle, join(aside, 'main.js'));
    writeFileSync(join(aside, 'package.json'), JSON.stringify({ type: 'module', private: true }));
    cpSync(nodePty, join(aside, 'node_modules', 'node-pty'), { recursive: true, dereference: true });
    cpSync(binary, join(aside, 'node_modules', platform), { recursive: true, dereference: true });
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
    // Put aside in one step: half a copy under this name would be taken for a whole one.
    const aside = join(versions, `.${name}.${randomBytes(6).toString('hex')}.removed`);
    try {
      renameSync(directory, aside);
    } catch (error) {
      // Another server was first.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
      throw error;
    }
    rmSync(aside, { recursive: true, force: true });
  }
}
