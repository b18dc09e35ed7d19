import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { AuthLimits } from '../../schemas/auth';
import { writePrivateFile } from '../instance';

const isRedirect = (name: string) => /^open-[0-9a-f]+\.html$/.test(name);

/** Removes what a killed server left. */
export function removeRedirectFiles(runDir: string): void {
  for (const name of readdirSync(runDir)) if (isRedirect(name)) rmSync(path.join(runDir, name), { force: true });
}

/**
 * A file that only its owner can read and that leads to a login link: with it a browser can be opened without the
 * token in anybody's list of processes. `drop` removes it; time does too.
 */
export function writeRedirectFile(
  runDir: string,
  link: (onUsed: () => void) => string,
): { file: string; drop: () => void } {
  const file = path.join(runDir, `open-${randomBytes(12).toString('hex')}.html`);
  const drop = () => {
    clearTimeout(timer);
    rmSync(file, { force: true });
  };
  const timer = setTimeout(drop, AuthLimits.linkMs);
  timer.unref();
  const target = JSON.stringify(link(drop));
  writePrivateFile(
    file,
    `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Tessera</title><script>location.replace(${target})</script>\n`,
  );
  return { file, drop };
}

/** Opens the person's browser. Resolves to a sentence about why that was not possible, or to null. */
export async function openBrowser(file: string, env: Record<string, string | undefined>): Promise<string | null> {
  if (process.platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY && !env.WSL_DISTRO_NAME) {
    return 'There is no desktop here to open a browser on.';
  }
  try {
    const { default: open } = await import('open');
    const child = await open(file, { wait: false });
    child.on('error', () => {});
    return null;
  } catch (error) {
    return `The browser could not be opened (${(error as Error).message}).`;
  }
}
