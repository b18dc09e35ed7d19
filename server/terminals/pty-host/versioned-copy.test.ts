import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { removeOldCopies } from './versioned-copy';

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
