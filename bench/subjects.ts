import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, chromium, type Page } from '@playwright/test';
import { chromiumArgs, chromiumPath } from '../e2e/support/chromium';
import { newId, TesseraClient } from '../e2e/support/client';
import { endProcessesOf, processesOf } from '../e2e/support/processes';
import { PROMPT, startServer, TesseraServer } from '../e2e/support/server';
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
  /** Size of the cards, where it matters more than the grid (the floor has no cards). */
  card?: { width: number; height: number };
  /** What the shells read when they start, where it matters (the floor's are plain). */
  rcFiles?: Record<string, string>;
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
            const box = document.querySelector(one)?.getBoundingClientRect();
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
      focus: (selector) => view.page.locator(`${selector} .xterm-screen`).click(),
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

/** A card that is about right for the grid; what it really holds is then asked. */
const GUESS = { cellWidth: 7.8, cellHeight: 16, around: { width: 24, height: 61 } };
const GAP = 40;
/** Where the first card's corner is on the screen: clear of what floats over the canvas. */
const ORIGIN = { x: 40, y: 60 };
const CARDS_PER_ROW = 10;

/** The product, as `npm start` runs it. */
export const tessera: Subject = {
  name: 'tessera',

  async open({ terminals, grid = GRID, viewport = VIEWPORT, card, rcFiles }) {
    const server = await startServer(rcFiles ? { rcFiles } : {});
    const view = await openBrowser(viewport);
    let client: TesseraClient | null = null;
    const close = async () => {
      client?.close();
      await view.close();
      await server.dispose();
    };
    try {
      client = await TesseraClient.connect(server);
      const size = card ?? {
        width: Math.round(grid.cols * GUESS.cellWidth + GUESS.around.width),
        height: Math.round(grid.rows * GUESS.cellHeight + GUESS.around.height),
      };
      const ids: string[] = [];
      for (let index = 0; index < terminals; index++) {
        const x = (index % CARDS_PER_ROW) * (size.width + GAP);
        const y = Math.floor(index / CARDS_PER_ROW) * (size.height + GAP);
        ids.push(
          index === 0
            ? await placeFirst(client, { x, y, ...size })
            : (await client.createTerminal({ x, y, ...size, ...grid })).item.id,
        );
      }
      const canvasId = client.hello.canvases[0]?.id ?? '';
      await view.page.addInitScript(
        ([key, place]) => {
          if (!sessionStorage.getItem(key)) sessionStorage.setItem(key, place);
        },
        [`tessera.view.${canvasId}`, JSON.stringify({ ...ORIGIN, zoom: 1 })] as const,
      );
      await view.page.goto(await server.loginUrl());
      const selectors = ids.map((id) => `[data-card-id="${id}"]`);
      await untilPrompts(view.page, selectors);
      if (!card) for (const id of ids.slice(0, 2)) await fitGrid(client, view.page, canvasId, id, grid);
      return {
        page: view.page,
        terminals: selectors,
        focus: (selector) => view.page.locator(`${selector} .xterm-screen`).click(),
        serverBytes: () => proportionalBytes([server.pid, server.ptyHostPid() ?? 0]),
        browserBytes: () => browserBytesOf(view.home),
        homes: [server.home, view.home],
        close,
      };
    } catch (error) {
      await view.page.screenshot({ path: path.join(root, 'bench/results/failed.png') }).catch(() => undefined);
      await close();
      throw error;
    }
  },

  async startToPrompt() {
    const view = await openBrowser();
    const server = new TesseraServer({ openBrowser: true });
    try {
      const began = performance.now();
      await server.start();
      await view.page.goto(`file://${await server.openedFile()}`, { waitUntil: 'commit' });
      // The page that is opened leads on by itself; the probe starts anew with each document.
      await until(
        'the first prompt',
        () =>
          view.page
            .evaluate(
              (prompt) => window.benchProbe.rows('[data-card-kind="terminal"]').some((row) => row.startsWith(prompt)),
              PROMPT,
            )
            .catch((error: Error) =>
              /context was destroyed|navigat/i.test(error.message) ? false : Promise.reject(error),
            ),
        { timeoutMs: REACHED_WITHIN_MS },
      );
      return performance.now() - began;
    } finally {
      await view.close();
      await server.dispose();
    }
  },
};

/** A first project has a terminal: it is one of those that are asked for, so that there are no more. */
async function placeFirst(
  client: TesseraClient,
  place: { x: number; y: number; width: number; height: number },
): Promise<string> {
  const canvasId = client.hello.canvases[0]?.id ?? '';
  const { items } = await client.call('canvas:open', { canvasId });
  const [first] = items.filter((item) => item.kind === 'terminal');
  if (!first) throw new Error('The first project has no terminal');
  await client.call('canvas:apply', {
    opId: newId(),
    canvasId,
    changes: [{ type: 'place', id: first.id, ...place, z: first.z }],
  });
  return first.id;
}

/** Resizes a card until its terminal has exactly the wanted grid. */
async function fitGrid(
  client: TesseraClient,
  page: Page,
  canvasId: string,
  id: string,
  wanted: { cols: number; rows: number },
): Promise<void> {
  const actual = () =>
    page.evaluate((card) => {
      const terminal = window.tesseraTerminals?.get(card);
      return terminal ? { cols: terminal.cols, rows: terminal.rows } : null;
    }, id);
  await until(
    `the grid ${wanted.cols}x${wanted.rows}`,
    async () => {
      const grid = await actual();
      if (!grid) return false;
      if (grid.cols === wanted.cols && grid.rows === wanted.rows) return true;
      const { items } = await client.call('canvas:open', { canvasId });
      const item = items.find((one) => one.id === id);
      if (!item) throw new Error('The card is gone');
      await client.call('canvas:apply', {
        opId: newId(),
        canvasId,
        changes: [
          {
            type: 'place',
            id,
            x: item.x,
            y: item.y,
            z: item.z,
            width: Math.round(item.width + (wanted.cols - grid.cols) * GUESS.cellWidth),
            height: Math.round(item.height + (wanted.rows - grid.rows) * GUESS.cellHeight),
          },
        ],
      });
      await until('the new grid', async () => {
        const now = await actual();
        return now && (now.cols !== grid.cols || now.rows !== grid.rows);
      });
      return false;
    },
    { timeoutMs: 10_000, last: actual },
  );
}
