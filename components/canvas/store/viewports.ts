import type { CameraPlace } from '../camera/places';

const KEY = 'tessera.view.';
const ACTIVE = 'tessera.canvas';
/** A failing write was said; one follows every movement of the camera. */
let told = false;

/** Where this tab last stood on a canvas; a new tab begins where the last one stood. */
export function savedViewport(canvasId: string): CameraPlace | undefined {
  for (const storage of [sessionStorage, localStorage]) {
    const place = parse(storage.getItem(KEY + canvasId));
    if (place) return place;
  }
  return undefined;
}

export function saveViewport(canvasId: string, place: CameraPlace): void {
  save(KEY + canvasId, JSON.stringify(place));
}

/** Drops the places on canvases that are there no more. */
export function keepViewports(canvasIds: ReadonlySet<string>): void {
  for (const storage of [sessionStorage, localStorage]) {
    const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '');
    for (const key of keys) {
      if (key.startsWith(KEY) && !canvasIds.has(key.slice(KEY.length))) storage.removeItem(key);
    }
  }
}

export function savedCanvas(): string | null {
  return sessionStorage.getItem(ACTIVE) ?? localStorage.getItem(ACTIVE);
}

export function saveCanvas(canvasId: string): void {
  save(ACTIVE, canvasId);
}

function save(key: string, text: string): void {
  for (const storage of [sessionStorage, localStorage]) {
    try {
      storage.setItem(key, text);
    } catch (error) {
      // A browser without room for it: the place is not remembered, and everything else goes on.
      if (!told) console.warn('Where this tab stands on its canvases is not remembered', error);
      told = true;
    }
  }
}

/** What a person or an older version left there is no reason to fail. */
function parse(text: string | null): CameraPlace | undefined {
  if (!text) return undefined;
  try {
    const { x, y, zoom } = JSON.parse(text) as Partial<CameraPlace>;
    return [x, y, zoom].every(Number.isFinite) && zoom! > 0 ? { x: x!, y: y!, zoom: zoom! } : undefined;
  } catch {
    return undefined;
  }
}
