import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ansiColours } from './theme';

const backgrounds: Record<string, string> = { sage: '#1d231f', lilac: '#221e2b', night: '#14171c' };

function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((i) => Number.parseInt(hex.slice(i, i + 2), 16) / 255) as [number, number, number];
  const linear = (v: number) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

test.each(Object.keys(backgrounds))('every colour of %s but black reads on its background', (palette) => {
  const colours = ansiColours[palette]!;
  expect(colours).toHaveLength(16);
  const weak = colours.slice(1).filter((colour) => contrast(colour, backgrounds[palette]!) < 4.5);
  expect(weak).toEqual([]);
  expect(new Set(colours).size).toBe(16);
});

test('the backgrounds are those of the page', () => {
  const css = readFileSync('components/ui/tokens.css', 'utf8');
  for (const background of Object.values(backgrounds)) expect(css).toContain(background);
});
