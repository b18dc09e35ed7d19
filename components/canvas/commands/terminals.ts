import { nanoid } from 'nanoid';
import { CanvasLimits, type TerminalCard } from '../../../schemas/canvas';
import { asName } from '../../../schemas/names';
import type { SessionView } from '../../../schemas/terminals';
import { call, useSessions, useSettings, withSession } from '../../connection';
import { failureText, text } from '../../i18n';
import { gridFor, pageTheme, terminalFont, titleOf } from '../../terminals';
import { confirm, isPhone, toastFailure, toastInfo, toastUndo } from '../../ui';
import { attempt } from '../attempt';
import { camera } from '../camera/camera';
import { freePlace, placeRound } from '../geometry/placing';
import type { Point, Rect } from '../geometry/rect';
import { canvasState } from '../store/state';
import { adoptItem, commit } from '../store/sync';
import { focusCard, unmaximise } from './focus';

/** The header of a card and its two borders, CSS pixels. */
const HEADER = 37;
const { width: WIDTH, height: HEIGHT } = CanvasLimits.card;
/** How long the page offers to undo a closing, milliseconds; the server waits some longer. */
const UNDO_MS = 10_000;

interface NewTerminal {
  /** Middle of the wanted place in canvas units; absent: the middle of the view, beside what is there. */
  at?: Point;
  /** Exactly here, with this size. */
  rect?: { x: number; y: number; width: number; height: number };
  likeSessionId?: string;
  fontSize?: number;
}

/** Starts a shell on a new card and gives it the keyboard. */
export async function newTerminal(options: NewTerminal = {}): Promise<void> {
  const { canvasId } = canvasState();
  if (!canvasId) return;
  const size = options.rect ?? fittingSize();
  const others = cardRects();
  const place = options.rect ?? (options.at ? placeRound(options.at, size, others) : placeInView(size, others));
  const fontSize = options.fontSize ?? useSettings.getState().settings.terminalFontSize;
  await terminalFont();
  const { item, session } = await call('terminal:create', {
    opId: nanoid(),
    canvasId,
    x: Math.round(place.x),
    y: Math.round(place.y),
    width: Math.round(size.width),
    height: Math.round(size.height),
    ...gridFor(size.width, size.height - HEADER, fontSize),
    theme: pageTheme(fontSize),
    ...(options.likeSessionId ? { likeSessionId: options.likeSessionId } : {}),
  });
  learn(session);
  if (canvasState().canvasId !== canvasId) return;
  adoptItem(item);
  if (options.fontSize && item.kind === 'terminal')
    commit([{ type: 'put', item: { ...item, fontSize: options.fontSize } }], { undoable: false });
  focusCard(item.id, { among: others });
}

function placeInView(size: { width: number; height: number }, others: readonly Rect[]): Point {
  const { x, y } = camera.middle();
  return freePlace({ x: x - size.width / 2, y: y - size.height / 2, ...size }, others, camera.freeSize());
}

/** The usual size of a card, smaller where the window is. */
function fittingSize(): { width: number; height: number } {
  if (isPhone()) return { width: 480, height: 430 };
  return { width: WIDTH, height: HEIGHT };
}

const cardRects = () => [...canvasState().items.values()].filter((item) => item.kind !== 'region');

function terminalOf(id: string): TerminalCard | undefined {
  const item = canvasState().items.get(id);
  return item?.kind === 'terminal' ? item : undefined;
}

function learn(view: SessionView): void {
  useSessions.setState(({ sessions }) => ({ sessions: withSession(sessions, view) }));
}

export const sessionOf = (id: string): SessionView | undefined => {
  const card = terminalOf(id);
  return card && useSessions.getState().sessions[card.sessionId];
};

/** Another shell in the same folder, beside the card. */
export async function duplicateTerminal(id: string): Promise<void> {
  const card = terminalOf(id);
  if (!card) return;
  const { width, height } = card;
  const place = freePlace({ x: card.x + width + 20, y: card.y, width, height }, cardRects());
  await newTerminal({ rect: { ...place, width, height }, likeSessionId: card.sessionId, fontSize: card.fontSize });
}

/** Halves the card and puts another shell, in the same folder, into the lower half. */
export async function splitBelow(id: string): Promise<void> {
  const card = terminalOf(id);
  if (!card) return;
  const gap = 20;
  const half = Math.max(CanvasLimits.card.minHeight, Math.round((card.height - gap) / 20) * 10);
  const { x, y, width, z } = card;
  commit([{ type: 'place', id, x, y, width, height: half, z }]);
  await newTerminal({
    rect: { x, y: y + half + gap, width, height: half },
    likeSessionId: card.sessionId,
    fontSize: card.fontSize,
  });
}

/** Starts the program of an ended session again. */
export async function restartTerminal(id: string): Promise<void> {
  const card = terminalOf(id);
  if (!card) return;
  const view = sessionOf(id);
  const grid = view?.info
    ? { cols: view.info.cols, rows: view.info.rows }
    : gridFor(card.width, card.height - HEADER, card.fontSize ?? useSettings.getState().settings.terminalFontSize);
  learn(await call('terminal:restart', { sessionId: card.sessionId, ...grid }));
  focusCard(id);
}

export async function renameTerminal(id: string, name: string): Promise<void> {
  const card = terminalOf(id);
  if (!card) return;
  const wanted = asName(name) || null;
  learn(await call('terminal:rename', { sessionId: card.sessionId, name: wanted }));
}

export async function keepJournal(id: string, on: boolean): Promise<void> {
  const card = terminalOf(id);
  if (!card) return;
  if (!on) {
    const yes = await confirm({
      title: text('card.journalOffTitle'),
      text: text('card.journalOffText'),
      yes: text('card.journalOffYes'),
      no: text('ui.cancel'),
      danger: true,
    });
    if (!yes) return;
  }
  learn(await call('terminal:journal', { sessionId: card.sessionId, on }));
}

/** The text size of one card in pixels; null: that of the settings. */
export function setFontSize(id: string, pixels: number | null): void {
  const card = terminalOf(id);
  if (!card || card.fontSize === (pixels ?? undefined)) return;
  const { fontSize: _before, ...plain } = card;
  commit([{ type: 'put', item: pixels === null ? plain : { ...plain, fontSize: pixels } }]);
}

/**
 * Closes the terminals of these cards: they are gone from every tab at once and are ended when the offer to undo is over.
 * Where something still runs in one, the person is asked once, with the list of it.
 */
export async function closeTerminals(ids: readonly string[]): Promise<boolean> {
  const cards = ids.flatMap((id) => terminalOf(id) ?? []);
  const running = cards.filter((card) => useSessions.getState().sessions[card.sessionId]?.info?.state === 'running');
  const found = await Promise.all(
    running.map((card) => call('terminal:processes', { sessionId: card.sessionId }).then((reply) => reply.processes)),
  );
  const processes = found.flat();
  if (processes.length > 0) {
    const yes = await confirm({
      title: text('card.closeTitle', { count: cards.length }),
      text: text('card.closeText', { count: processes.length }),
      lines: processes.map((process) => `${process.command}  ·  ${process.pid}`),
      yes: text('card.closeYes', { count: cards.length }),
      no: text('ui.cancel'),
      danger: true,
    });
    if (!yes) return false;
  }
  const first = useSessions.getState().sessions[cards[0]?.sessionId ?? ''];
  const title = first ? titleOf(first) : '';
  const results = await Promise.allSettled(
    cards.map((card) => call('terminal:close-later', { sessionId: card.sessionId })),
  );
  for (const result of results) if (result.status === 'rejected') toastFailure(failureText(result.reason));
  const closed = cards.filter((_card, index) => results[index]?.status === 'fulfilled');
  const maximised = canvasState().maximised?.id;
  if (closed.some((card) => card.id === maximised)) unmaximise();
  offerUndo(
    closed.filter((card) => {
      const result = results[cards.indexOf(card)];
      return result?.status === 'fulfilled' && result.value.undoable;
    }),
    title,
  );
  return results.every((result) => result.status === 'fulfilled');
}

/** Until the offer is over the terminals go on, unseen; then they are ended, and what escaped is told. */
function offerUndo(cards: readonly TerminalCard[], title: string): void {
  const [first] = cards;
  if (!first) return;
  toastUndo(text('card.closed', { count: cards.length, title }), {
    undoLabel: text('card.undo'),
    ms: UNDO_MS,
    undo: () => attempt(takeBack(cards)),
    done: () => attempt(endTerminals(cards)),
  });
}

async function takeBack(cards: readonly TerminalCard[]): Promise<void> {
  const views = await Promise.all(cards.map((card) => call('terminal:keep', { sessionId: card.sessionId })));
  for (const view of views) learn(view);
  const [only, ...more] = cards;
  if (only && more.length === 0 && canvasState().items.has(only.id)) focusCard(only.id);
}

async function endTerminals(cards: readonly TerminalCard[]): Promise<void> {
  const replies = await Promise.all(cards.map((card) => call('terminal:close', { sessionId: card.sessionId })));
  const survivors = replies.flatMap((reply) => reply.survivors);
  if (survivors.length > 0)
    toastInfo(
      text('card.survivors', {
        count: survivors.length,
        list: survivors.map((one) => `${one.command} (${one.pid})`).join(', '),
      }),
    );
}
