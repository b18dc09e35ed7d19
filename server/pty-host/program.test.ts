import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Exit } from '../../schemas/terminals';
import { Program } from './program';
import { startPty } from './pty';
import { shellSpec, until } from './testing';

/** A line discipline looks at no key while this much of its input is unread (N_TTY_BUF_SIZE - 1). */
const FULL = 4095;
const LINE = 'a line of a paste that nobody reads\n';
const lines = (bytes: number): string => LINE.repeat(Math.ceil(bytes / LINE.length)).slice(-bytes);

/** A program in a real PTY, with its input in front of it. */
class Stage {
  output = '';
  exit: Exit | undefined;
  readonly program: Program;
  private pieces = 0;

  constructor(args: string[] | undefined) {
    const later = (ms: number, run: () => void): (() => void) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    };
    this.program = new Program({ now: () => performance.now(), later, startPty, folderOf: () => undefined }, undefined);
    const shell = shellSpec();
    this.program.start(
      args ? shellSpec({ program: '/bin/sh', args }) : { ...shell, env: { ...shell.env, PS1: '$ ' } },
      { cols: 80, rows: 24 },
      {
        data: (bytes) => {
          this.output += bytes.toString('latin1');
        },
        exit: (exit) => {
          this.exit = exit;
          this.program.ended(exit);
        },
        failed: (error) => {
          throw error;
        },
      },
    );
  }

  type(text: string): void {
    // Whether it was read is what the tests are about.
    void this.program.write({ inputId: 'person', seq: ++this.pieces }, Buffer.from(text));
  }

  says(what: string, text: string): Promise<void> {
    return until(`${what}: ${JSON.stringify(this.output.slice(-300))}`, () => this.output.includes(text), 10_000);
  }
}

const stages: Stage[] = [];
afterEach(() => {
  for (const { program } of stages.splice(0)) program.dispose();
});

async function start(script?: string): Promise<Stage> {
  const stage = new Stage(script === undefined ? undefined : ['-c', script]);
  stages.push(stage);
  await stage.says('it has begun', script === undefined ? '$ ' : 'go\r\n');
  return stage;
}

describe('a key that interrupts a program which never reads', () => {
  for (const [what, settings] of [
    ['with echo', ''],
    ['without echo', 'stty -echo;'],
    ['that reads by the letter', 'stty -icanon -echo;'],
    ['that reads by the letter and never waits', 'stty -icanon -echo min 0 time 0;'],
  ]) {
    for (const [bytes, where] of [
      [FULL - 1, 'that leaves room for one more key'],
      [FULL, 'that the terminal holds'],
      [10_000, 'that waits before the terminal'],
      [100 * 1024, 'that cannot even be written'],
    ] as const) {
      it(`arrives behind a paste ${where} (${what})`, async () => {
        const stage = await start(`${settings} echo go; exec sleep 1000`);
        stage.type(lines(bytes));
        stage.type('\x03');
        await until('it has ended', () => stage.exit !== undefined, 10_000);
        expect(stage.exit).toEqual({ signal: 'SIGINT' });
      });
    }
  }

  it('arrives also when the paste has long been there', async () => {
    const stage = await start('echo go; exec sleep 1000');
    stage.type(lines(100 * 1024));
    await new Promise((resolve) => setTimeout(resolve, 500));
    stage.type('\x03');
    await until('it has ended', () => stage.exit !== undefined, 10_000);
    expect(stage.exit).toEqual({ signal: 'SIGINT' });
  });

  it('reaches the group in the foreground alone, and the shell gets what is typed after it, and nothing of the paste', async () => {
    const stage = await start();
    stage.type('sleep 1000\n');
    await stage.says('the command was read', 'sleep 1000\r\n');
    await until('it runs', () => stage.output.includes('\x1b[?2004l'));
    stage.type('echo pas""ted\n'.repeat(8000));
    stage.type('\x03');
    stage.type('echo stat""us $?\n');
    await stage.says('the shell goes on', 'status 130\r\n');
    stage.type('sleep 1000\n');
    await stage.says('it waits again', '$ sleep 1000\r\n');
    stage.type('echo pas""ted\n'.repeat(8000));
    stage.type('\x1a');
    await stage.says('it is stopped', 'Stopped');
    stage.type('kill %1; echo do""ne\n');
    await stage.says('the shell goes on', 'done\r\n');
    expect(stage.output).not.toContain('\npasted');
  });

  it('is the key that the terminal was told', async () => {
    const stage = await start('stty intr ^Z susp undef -echo; echo go; exec sleep 1000');
    stage.type(lines(10_000));
    stage.type('\x03');
    stage.type('\x1a');
    await until('it has ended', () => stage.exit !== undefined, 10_000);
    expect(stage.exit).toEqual({ signal: 'SIGINT' });
  });

  it('is an ordinary key for a program that took the terminal raw: no signal, and not a byte is lost', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tess-raw-'));
    const read = join(folder, 'read');
    const bytes = 10_000;
    const stage = await start(
      `stty raw -echo; printf 'go\\r\\n'; until [ -e ${read} ]; do sleep 0.05; done; head -c ${bytes + 2} | od -An -v -tx1 | tr -d ' \\n' | tail -c 8; echo END; exec sleep 1000`,
    );
    stage.type('x'.repeat(bytes));
    stage.type('\x03');
    stage.type('k');
    // As long as the way takes to be made where there is one.
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect([stage.exit, existsSync(read)]).toEqual([undefined, false]);
    writeFileSync(read, '');
    await stage.says('it has read all', '7878036bEND');
    rmSync(folder, { recursive: true });
  });

  it('takes nothing from a program that reads', async () => {
    const stage = await start(
      `stty -echo; trap 'echo int' INT; echo go; while :; do cat && break; done; exec sleep 1000`,
    );
    for (let round = 0; round < 20; round++) {
      stage.type(lines(FULL / 2));
      await until('it has read', () => stage.output.endsWith(LINE.replace('\n', '\r\n')));
      stage.type('\x03');
      await stage.says('it was interrupted', 'int\r\n');
      stage.output = '';
      stage.type(`after ${round}\n`);
      await stage.says('what follows is there', `after ${round}\r\n`);
    }
  });
});
