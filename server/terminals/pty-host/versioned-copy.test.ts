import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { removeOldCopies, versionedCopy } from './versioned-copy';

vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  return { ...real, rmSync: vi.fn(real.rmSync) };
});

it('a copy of the pty host that is removed is never half there under its name', () => {
  const dataDir = fs.mkdtempSync(join(tmpdir(), 'tessera-copy-'));
  try {
    const versions = join(dataDir, 'pty-host');
    const [old, kept] = ['0123456789abcdef', 'fedcba9876543210'].map((name) => join(versions, name)) as [
      string,
      string,
    ];
    for (const folder of [old, kept]) fs.mkdirSync(join(folder, 'node_modules'), { recursive: true });
    vi.mocked(fs.rmSync).mockImplementationOnce(() => {
      throw new Error('killed');
    });
    expect(() => removeOldCopies(dataDir, [kept])).toThrow('killed');
    expect([fs.existsSync(old), fs.existsSync(kept)]).toEqual([false, true]);
    removeOldCopies(dataDir, [kept]);
    expect(fs.readdirSync(versions)).toEqual(['fedcba9876543210']);
  } finally {
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
});

it('a copy that was cut short, as by a loss of power, is made anew', () => {
  const folder = fs.mkdtempSync(join(tmpdir(), 'tessera-copy-'));
  try {
    // node-pty is found from where the bundle lies.
    const bundleDir = fs.mkdtempSync(join(import.meta.dirname, '../../../node_modules/.tessera-copy-'));
    try {
      fs.writeFileSync(join(bundleDir, 'main.js'), 'console.log(1)');
      const { directory, script } = versionedCopy(bundleDir, folder);
      const files = fs.readdirSync(directory, { recursive: true }) as string[];
      const binary = join(directory, files.find((name) => name.endsWith('.node')) ?? '');
      const size = fs.statSync(binary).size;
      fs.writeFileSync(script, '');
      fs.truncateSync(binary, 10);
      expect(versionedCopy(bundleDir, folder).directory).toBe(directory);
      expect([fs.readFileSync(script, 'utf8'), fs.statSync(binary).size]).toEqual(['console.log(1)', size]);
      const { ino } = fs.statSync(directory);
      versionedCopy(bundleDir, folder);
      expect(fs.statSync(directory).ino).toBe(ino);
    } finally {
      fs.rmSync(bundleDir, { recursive: true, force: true });
    }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});
