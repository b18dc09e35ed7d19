import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { FailureError } from '../../schemas/result';
import { startFailure } from './start-failure';

it('says in a sentence why a start failed, and keeps the stack of what nobody expected', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tess-'));
  const thrown = (run: () => unknown): unknown => {
    try {
      return run();
    } catch (error) {
      return error;
    }
  };
  expect(startFailure(new FailureError('port-taken', 'Port 1 is taken.'))).toBe('Port 1 is taken.');
  expect(startFailure(Object.assign(new Error('write'), { code: 'ENOSPC' }))).toContain('The disk is full');
  expect(startFailure(thrown(() => readFileSync(path.join(folder, 'x'))))).toContain('start-failure.test.ts');
  const denied = Object.assign(new Error('open'), { code: 'EACCES', path: folder });
  expect(startFailure(denied)).toMatch(/^\/.* cannot be used \(EACCES\)\. [^\n]*$/);
});
