import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, chromium, type Page } from '@playwright/test';
import { chromiumArgs, chromiumPath } from '../e2e/support/chromium';
import { TesseraClient, takeLink } from '../e2e/support/client';
import { endProcessesOf, processesOf } from '../e2e/support/processes';
import { PROMPT, TesseraServer } from '../e2e/support/server';
import { until } from '../e2e/support/until';
import { descendants, proportionalBytes } from './machine';
import { installProbe } from './probe';

/** The grid of every terminal that is measured, on both sides. */
export const GRID = { cols: 140, rows: 44 };
/** Two such terminals fit beside each other at zoom 1. */
export const VIEWPORT = { width: 2400, height: 1000 };

const root = process.env.TESSERA_ROOT ?? process.cwd();
const REACHED_WITHIN_MS = 30_000;

/** A page with terminals that stand at their prompt, ready to be measured. */
export interface Stage {
  page: Page;
  /** One CSS selector a terminal, of an element round its rows. */
  terminals: string[];
  /** Puts the keyboard into a terminal. */
  focus(selector: string): Promise<void>;
  /** Memory of what serves the terminals, their shells left out; bytes. */
  serverBytes(): number;
  /** Memory of the whole browser, bytes. */
  browserBytes(): number;
  /** HOME folders whose processes are ours and no noise. */
  homes: string[];
  close(): Promise<void>;
}

export interface StageOptions {
  terminals: number;
  grid?: { cols: number; rows: number };
  viewport?: { width: number; height: number };
}

/** One of those that are compared. */
export interface Subject {
  name: 'floor' | 'tessera';
  open(options: StageOptions): Promise<Stage>;
  /** From the start of the program to the first prompt in a page, ms. */
  startToPrompt(): Promise<number>;
}

/** A browser of its own for each measure, so that none inherits another's heap. */
async function openBrowser(
  viewport = VIEWPORT,
): Promise<{ browser: Browser; page: Page; home: string; close(): Promise<void> }> {
  const home = mkdtempSync(path.join(tmpdir(), 'tess-browser-'));
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: chromiumArgs,
    env: { PATH: process.env.PATH ?? '', HOME: home, LANG: 'C.UTF-8' },
  });
  const page = await browser.newPage({ viewport });
  await page.addInitScript(installProbe);
  return {
    browser,
    page,
    home,
    async close() {
      await browser.close();
      await endProcessesOf(home);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Waits until every terminal that is in view draws its prompt; xterm.js draws no other. */
async function untilPrompts(page: Page, selectors: string[]): Promise<void> {
  await until(
    'the prompts of all terminals in view',
    () =>
      page.evaluate(
        ({ wanted, prompt }) =>
          wanted.every((one) => {
            const box = document.querySelector(`${one} .xterm-rows`)?.getBoundingClientRect();
            if (!box) return false;
            const seen = box.top < innerHeight && box.bottom > 0 && box.left < innerWidth && box.right > 0;
            return !seen || window.benchProbe.rows(one).some((row) => row.startsWith(prompt));
          }),
        { wanted: selectors, prompt: PROMPT },
      ),
    { timeoutMs: REACHED_WITHIN_MS + selectors.length * 500 },
  );
}

/** A renderer's own environment cannot be read, so the browser is found by its first process and its children. */
const browserBytesOf = (home: string) =>
  proportionalBytes([...new Set(processesOf(home).flatMap(({ pid }) => descendants(pid)))]);

/** Plain xterm.js + ws + node-pty (bench/floor). */
export const floor: Subject = {
  name: 'floor',

  async open({ terminals, grid = GRID, viewport }) {
    const server = await FloorServer.start();
    const view = await openBrowser(viewport);
    const selectors = Array.from({ length: terminals }, (_, index) => `#t${index}`);
    await view.page.goto(`${server.url}?n=${terminals}&cols=${grid.cols}&rows=${grid.rows}`);
    await untilPrompts(view.page, selectors);
    return {
      page: view.page,
      terminals: selectors,
      focus: (selector) => view.page.locator(`${selector} .xterm-helper-textarea`).focus(),
      serverBytes: () => proportionalBytes([server.pid]),
      browserBytes: () => browserBytesOf(view.home),
      homes: [server.home, view.home],
      async close() {
        await view.close();
        await server.dispose();
      },
    };
  },

  async startToPrompt() {
    const view = await openBrowser();
    const began = performance.now();
    const server = await FloorServer.start();
    try {
      await view.page.goto(`${server.url}?n=1&cols=${GRID.cols}&rows=${GRID.rows}`, { waitUntil: 'commit' });
      await view.page.evaluate(([prompt, limit]) => window.benchProbe.whenDrawn('#t0', `^${prompt}`, limit), [
        PROMPT,
        REACHED_WITHIN_MS,
      ] as const);
      return performance.now() - began;
    } finally {
      await view.close();
      await server.dispose();
    }
  },
};

class FloorServer {
  private constructor(
    readonly home: string,
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  get pid(): number {
    return this.child.pid ?? 0;
  }

  static async start(): Promise<FloorServer> {
    const home = mkdtempSync(path.join(tmpdir(), 'tess-floor-'));
    mkdirSync(home, { recursive: true });
    writeFileSync(path.join(home, '.bashrc'), `PS1='${PROMPT} '\nHISTFILE=\n`);
    const env = { PATH: process.env.PATH, HOME: home, SHELL: '/bin/bash', LANG: 'C.UTF-8', USER: 'tester' };
    const child = spawn(process.execPath, [path.join(root, 'bench/floor/server.mjs')], {
      cwd: root,
      env: env as unknown as NodeJS.ProcessEnv,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
    });
    const url = await until('the floor to be ready', () => printed.match(/^floor ready (\S+)$/m)?.[1]);
    return new FloorServer(home, child, url);
  }

  async dispose(): Promise<void> {
    this.child.kill('SIGKILL');
    await endProcessesOf(this.home);
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** The pixels round a card's grid; the first card tells how many it really is. */
const FIRST_GUESS = { width: 1130, height: 850 };
const GAP = 40;

/** The product, as `npm start` runs it. */
export const tessera: Subject = {
  name: 'tessera',

  async open({ terminals, grid = GRID, viewport = VIEWPORT }) {
    const server = await new TesseraServer().start();
    const view = await openBrowser(viewport);
    const client = await TesseraClient.connect(server);
    await view.page.goto(await server.loginUrl());
    await view.page.locator('.react-flow__viewport').waitFor({ state: 'attached' });
    void [client, FIRST_GUESS, GAP, grid, takeLink];
    throw new Error(`not yet: ${terminals}`);
  },

  async startToPrompt() {
    throw new Error('not yet');
  },
};
