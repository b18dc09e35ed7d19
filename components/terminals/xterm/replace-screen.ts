import type { Terminal } from '@xterm/xterm';
import type { Snapshot } from '../viewer/output';
import { beginQuiet, parseNow } from './xterm-internals';

/** Rows that must agree for a place in the new buffer to be the one that was read. */
const ANCHOR_ROWS = 4;

/** Time in which parts of a snapshot are parsed before other work gets its turn, in milliseconds. */
const PARSE_BUDGET_MS = 12;

/** Writes a snapshot into a terminal that is not opened and into which nothing was written: nothing of it is shown. */
export async function writeFirstSnapshot(term: Terminal, snapshot: Snapshot, done: () => void): Promise<void> {
  const { cols, rows, parts } = snapshot;
  if (term.cols !== cols || term.rows !== rows) term.resize(cols, rows);
  let began = performance.now();
  for (const [i, part] of parts.entries()) {
    if (!parseNow(term, part)) {
      writeSnapshot(term, { ...snapshot, parts: parts.slice(i) }, done);
      return;
    }
    if (performance.now() - began > PARSE_BUDGET_MS) {
      await nextTask();
      began = performance.now();
    }
  }
  done();
}

let tasks: MessageChannel | undefined;
const waiting: (() => void)[] = [];

/**
 * Lets events in. Not a timer: those of a page that is still loading come late. One channel for all, which is never
 * given up: the message of a channel that nothing refers to any more may be gone with it.
 */
function nextTask(): Promise<void> {
  if (!tasks) {
    tasks = new MessageChannel();
    tasks.port1.onmessage = () => waiting.shift()?.();
  }
  const { port2 } = tasks;
  return new Promise((done) => {
    waiting.push(done);
    port2.postMessage(null);
  });
}

/** Writes a snapshot through xterm.js's own queue. */
function writeSnapshot(term: Terminal, snapshot: Snapshot, done: () => void): void {
  const { cols, rows, parts } = snapshot;
  if (term.cols !== cols || term.rows !== rows) term.resize(cols, rows);
  parts.forEach((part, i) => {
    term.write(part, i === parts.length - 1 ? done : undefined);
  });
  if (parts.length === 0) done();
}

/**
 * Replaces what an opened terminal holds. The person sees the old screen until the new one is whole: a copy of the
 * rows covers it, and the emulator draws nothing meanwhile. Who reads further up keeps the place, by the text that
 * stands there; who follows stays at the end; a selection stays where its text is still the same.
 */
export function replaceScreen(term: Terminal, snapshot: Snapshot, done: () => void): void {
  const place = readingPlace(term);
  const selected = selection(term);
  const baseBefore = term.buffer.active.baseY;
  const cover = coverScreen(term);
  const endQuiet = beginQuiet(term);
  writeSnapshot(term, snapshot, () => {
    const line = place ? findPlace(term, place) : undefined;
    endQuiet(line);
    const moved = place && line !== undefined ? line - place.top : term.buffer.active.baseY - baseBefore;
    if (selected) restoreSelection(term, selected, moved);
    // xterm draws in the next frame; the copy goes once that is done.
    requestAnimationFrame(() => requestAnimationFrame(() => cover?.remove()));
    done();
  });
}

interface Place {
  top: number;
  fromEnd: number;
  rows: string[];
}

function readingPlace(term: Terminal): Place | null {
  const { baseY, viewportY } = term.buffer.active;
  if (viewportY >= baseY) return null;
  return { top: viewportY, fromEnd: baseY - viewportY, rows: textOf(term, viewportY, ANCHOR_ROWS) };
}

/** The line whose rows read like the remembered ones, nearest to the same distance from the end. */
export function findPlace(term: Terminal, place: Place): number {
  const { baseY } = term.buffer.active;
  const expected = Math.max(0, baseY - place.fromEnd);
  const agrees = (line: number) => textOf(term, line, place.rows.length).every((text, i) => text === place.rows[i]);
  for (let away = 0; away <= baseY; away++) {
    if (expected - away >= 0 && agrees(expected - away)) return expected - away;
    if (expected + away <= baseY && agrees(expected + away)) return expected + away;
    if (expected - away < 0 && expected + away > baseY) break;
  }
  return expected;
}

function textOf(term: Terminal, line: number, count: number): string[] {
  const rows: string[] = [];
  for (let y = line; y < line + count; y++) rows.push(term.buffer.active.getLine(y)?.translateToString(true) ?? '');
  return rows;
}

function selection(term: Terminal) {
  const range = term.getSelectionPosition();
  return range ? { range, text: term.getSelection() } : null;
}

function restoreSelection(term: Terminal, was: NonNullable<ReturnType<typeof selection>>, moved: number): void {
  const { start, end } = was.range;
  const length = (end.y - start.y) * term.cols + end.x - start.x;
  if (start.y + moved < 0 || length <= 0) return;
  term.select(start.x, start.y + moved, length);
  if (term.getSelection() !== was.text) term.clearSelection();
}

/** A picture of the rows as they are, above them. */
function coverScreen(term: Terminal): HTMLElement | null {
  const screen = term.element?.querySelector<HTMLElement>('.xterm-screen');
  const rows = screen?.querySelector<HTMLElement>('.xterm-rows');
  if (!screen || !rows) return null;
  const cover = document.createElement('div');
  cover.className = 'tt-cover';
  cover.setAttribute('aria-hidden', 'true');
  cover.append(rows.cloneNode(true));
  screen.append(cover);
  return cover;
}
