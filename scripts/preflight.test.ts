import { describe, expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript on purpose, it runs before anything is installed.
import { installedAsLocked, installProblem, nodeProblem } from './preflight.mjs';

describe('before a start', () => {
  it.each(['v20.19.0', 'v20.20.2', 'v22.1.0', 'v25.0.0'])('takes Node %s', (version) => {
    expect(nodeProblem(version)).toBeNull();
  });

  it.each(['v20.18.3', 'v18.20.0', 'v12.0.0'])('says in one sentence that Node %s is too old', (version) => {
    expect(nodeProblem(version)).toMatch(
      new RegExp(`^Tessera needs Node 20\\.19 or newer and this is ${version}: .*\\.$`),
    );
  });

  it('says why packages could not be installed and what to do', () => {
    const network = installProblem(1, []);
    expect(network).toMatch(
      /^The packages could not be installed: npm ci ended with 1, .*network.*then start again\.$/,
    );
    expect(network).not.toContain('compiled');
    const compiler = installProblem(1, ['make', 'a C++ compiler']);
    expect(compiler).toMatch(/npm ci ended with 1, .*make and a C\+\+ compiler are missing: .*, then start again\.$/);
    expect(compiler).not.toContain('network');
  });

  it('knows when the packages are those of the lock', () => {
    const lock = {
      packages: {
        '': { version: '1' },
        'node_modules/a': { version: '1.0.0' },
        'node_modules/for-another-system': { version: '1.0.0', optional: true },
      },
    };
    const installed = (version: string) => ({ packages: { 'node_modules/a': { version } } });
    expect(installedAsLocked(lock, installed('1.0.0'))).toBe(true);
    expect(installedAsLocked(lock, installed('1.0.1'))).toBe(false);
    expect(installedAsLocked(lock, { packages: {} })).toBe(false);
    expect(installedAsLocked(lock, null)).toBe(false);
  });
});
