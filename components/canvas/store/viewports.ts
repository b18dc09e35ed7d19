import type { CameraPlace } from '../camera/places';

const KEY = 'tessera.view.';
const ACTIVE = 'tessera.canvas';

/** Where this tab last stood on a canvas; a new tab begins where the last one stood. */
export function savedViewport(canvasId: string): CameraPlace | undefined {
  for (const storage of [sessionStorage, localStorage]) {
    const place = parse(storage.getItem(KEY + canvasId));
    if (place) return place;
  }
  return undefined;
}

export function saveViewport(canvasId: string, place: CameraPlace): void {
  const text = JSON.stringify(place);
  sessionStorage.setItem(KEY + canvasId, text);
  localStorage.setItem(KEY + canvasId, text);
}

export function savedCanvas(): string | null {
  return sessionStorage.getItem(ACTIVE) ?? localStorage.getItem(ACTIVE);
}

export function saveCanvas(canvasId: string): void {
  sessionStorage.setItem(ACTIVE, canvasId);
  localStorage.setItem(ACTIVE, canvasId);
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
