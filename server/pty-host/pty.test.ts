import { createHash } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Exit } from '../../schemas/terminals';
import { readRest, startPty } from './pty';
import { shellSpec, until } from './testing';

interface Run {
  output: Buffer;
  exit: Exit | undefined;
  write(text: string): void;
  resize(cols: number, rows: number): void;
  pause(): void;
  resume(): void;
}

function run(program: string, args: string[]): Run {
  const chunks: Buffer[] = [];
  const faults: unknown[] = [];
  const state: { exit: Exit | undefined } = { exit: undefined };
  const pty = startPty(
    shellSpec({ program, args }),
    { cols: 80, rows: 24 },
    {
      data: (bytes) => chunks.push(bytes),
      exit: (exit) => {
        state.exit = exit;
      },
      failed: (error) => faults.push(error),
    },
  );
  return {
    get output() {
      return Buffer.concat(chunks);
    },
    get exit() {
      if (faults.length) throw faults[0];
      return state.exit;
    },
    write: (text) => pty.write(Buffer.from(text), () => {}),
    resize: pty.resize,
    pause: pty.pause,
    resume: pty.resume,
  };
}

const ended = (one: Run): Promise<void> => until('it ends', () => one.exit !== undefined, 30_000);

describe('a PTY', () => {
  it('stream:last-output: loses no byte of 200 children that end at once', async () => {
    const size = 6000;
    const expected = `${'x'.repeat(size - 4)}END\r\n`;
    let lost = 0;
    for (let batch = 0; batch < 20; batch++) {
      const children = Array.from({ length: 10 }, () =>
        run('/usr/bin/env', ['printf', `${'x'.repeat(size - 4)}END\\n`]),
      );
      for (const child of children) {
        await ended(child);
        if (child.output.toString() !== expected) lost++;
      }
    }
    expect(lost).toBe(0);
  }, 120_000);

  it('loses nothing of a child that ends while reading is paused', async () => {
    const child = run('/bin/sh', ['-c', 'seq 1 700; echo END']);
    child.pause();
    await ended(child);
    expect(child.output.toString().endsWith('700\r\nEND\r\n')).toBe(true);
    expect(child.output.toString().startsWith('1\r\n2\r\n')).toBe(true);
  });

  it('ends with its program although another one that it left behind prints without end', async () => {
    const endless = openSync('/dev/zero', 'r');
    let bytes = 0;
    const events = { data: (piece: Buffer) => (bytes += piece.length), exit: () => {}, failed: () => {} };
    readRest(endless, { read: () => null }, events);
    closeSync(endless);
    expect(bytes).toBe(1024 * 1024);
  });

  it('tells the exit code, or the name of the signal', async () => {
    const code = run('/bin/sh', ['-c', 'exit 7']);
    const killed = run('/bin/sh', ['-c', 'kill -TERM $$']);
    await ended(code);
    await ended(killed);
    expect([code.exit, killed.exit]).toEqual([{ code: 7 }, { signal: 'SIGTERM' }]);
  });

  it('pain 13: takes writes and resizes after the end', async () => {
    const child = run('/bin/sh', ['-c', 'exit 0']);
    await ended(child);
    for (let i = 0; i < 200; i++) {
      child.resize(80 + (i % 10), 24);
      child.write('x');
    }
    expect(child.exit).toEqual({ code: 0 });
  });

  it('passes bytes as they are, and knows letters of more than one byte (IUTF8)', async () => {
    const child = run('/bin/sh', ['-c', 'stty -a; printf "\\303\\050\\377"']);
    await ended(child);
    expect(child.output.toString('latin1')).toMatch(/[^-]iutf8/);
    expect(child.output.subarray(-3)).toEqual(Buffer.from([0xc3, 0x28, 0xff]));
  });

  it('pain 8: 1 MiB of input arrives whole at a program that reads late', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tess-pty-'));
    const target = join(folder, 'out');
    const text = Array.from({ length: 149_797 }, (_, i) => `${String(i).padStart(6, '0')}\n`).join('');
    const child = run('/bin/sh', ['-c', `stty -echo; echo go; sleep 1; cat > ${target}`]);
    await until('it is ready', () => child.output.includes('go'));
    child.write(`${text}\x04`);
    await ended(child);
    const sha = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
    expect(sha(readFileSync(target))).toBe(sha(text));
    rmSync(folder, { recursive: true });
  }, 60_000);

  it('that is full of input which nobody reads keeps nothing else waiting, and nothing of it is lost', async () => {
    const text = 'x'.repeat(1024 * 1024);
    const deaf = run('/bin/sh', ['-c', `stty raw -echo; echo go; sleep 3; head -c ${text.length} | wc -c; echo END`]);
    const other = run('/bin/sh', ['-c', 'stty -echo; echo go; read line; echo "heard $line"']);
    await until('both are ready', () => deaf.output.includes('go') && other.output.includes('go'));
    deaf.write(text);
    other.write('you\n');
    await ended(other);
    expect(other.output.toString()).toContain('heard you');
    expect(deaf.output.toString()).not.toContain('END');
    await ended(deaf);
    expect(deaf.output.toString()).toContain(`${text.length}`);
  }, 30_000);
});
