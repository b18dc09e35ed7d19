// @vitest-environment jsdom
import { beforeEach, expect, it, vi } from 'vitest';
import { keepViewports, savedViewport, saveViewport } from './viewports';

beforeEach(() => {
  sessionStorage.clear();
  localStorage.clear();
});

it('keeps where a tab stands on each canvas that there is', () => {
  saveViewport('canvas-a', { x: 1, y: 2, zoom: 1 });
  saveViewport('canvas-b', { x: 3, y: 4, zoom: 0.5 });
  localStorage.setItem('another', 'x');
  keepViewports(new Set(['canvas-b']));
  expect(savedViewport('canvas-a')).toBeUndefined();
  expect(savedViewport('canvas-b')).toEqual({ x: 3, y: 4, zoom: 0.5 });
  expect(localStorage.getItem('another')).toBe('x');
});

it('a browser without room for it goes on, and says so once', () => {
  const said = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const full = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  expect(() => saveViewport('canvas-a', { x: 1, y: 2, zoom: 1 })).not.toThrow();
  saveViewport('canvas-a', { x: 2, y: 2, zoom: 1 });
  expect(said).toHaveBeenCalledTimes(1);
  full.mockRestore();
  said.mockRestore();
});
