import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const css = readFileSync(path.join(import.meta.dirname, 'tokens.css'), 'utf8');

/** The tokens of the block whose selector list ends with `selector`. */
function tokensOf(selector: string): Record<string, string> {
  const start = css.indexOf(`${selector} {`);
  expect(start, selector).toBeGreaterThanOrEqual(0);
  const body = css.slice(css.indexOf('{', start) + 1, css.indexOf('}', start));
  return Object.fromEntries(
    [...body.matchAll(/--([\w-]+):\s*([^;]+);/g)].map((match) => [match[1]!, match[2]!.trim()]),
  );
}

function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light! + 0.05) / (dark! + 0.05);
}

const grounds = ['surface', 'raised', 'sunken', 'canvas'];
/** Every text colour with every ground on which it stands. */
const pairs: [ink: string, ground: string][] = [
  ...['ink', 'ink-2', 'ink-3'].flatMap((ink) => grounds.map((ground): [string, string] => [ink, ground])),
  ...['accent', 'bad', 'need'].flatMap((ink) => ['surface', 'raised'].map((ground): [string, string] => [ink, ground])),
  ['accent', 'accent-wash'],
  ['accent', 'canvas'],
  ['accent-ink', 'accent'],
  ['need', 'need-wash'],
  ['ink', 'need-wash'],
  ['ink', 'accent-wash'],
  ['ink', 'work-wash'],
  ['ink', 'bad-wash'],
  ['surface', 'need'],
  ['surface', 'ink'],
  ['work', 'work-wash'],
  ['bad', 'bad-wash'],
  ['info', 'surface'],
  ['good', 'surface'],
  ['term-ink', 'term-bg'],
];

describe('the palettes', () => {
  it.each(['sage', 'lilac', 'night'])('%s: every text is readable on its ground (contrast at least 4.5)', (name) => {
    const tokens = tokensOf(`[data-palette="${name}"]`);
    const weak = pairs
      .map(([ink, ground]) => ({ pair: `${ink} on ${ground}`, contrast: contrast(tokens[ink]!, tokens[ground]!) }))
      .filter((pair) => !(pair.contrast >= 4.5))
      .map((pair) => `${pair.pair}: ${pair.contrast.toFixed(2)}`);
    expect(weak).toEqual([]);
  });

  it.each(['sage', 'lilac', 'night'])('%s: the edge of a card stands out from the canvas and from the card', (name) => {
    const tokens = tokensOf(`[data-palette="${name}"]`);
    expect(['canvas', 'raised', 'term-bg'].filter((ground) => contrast(tokens.edge!, tokens[ground]!) < 1.7)).toEqual(
      [],
    );
  });

  it('has the same roles in each', () => {
    const roles = ['sage', 'lilac', 'night'].map((name) => Object.keys(tokensOf(`[data-palette="${name}"]`)).sort());
    expect(roles[1]).toEqual(roles[0]);
    expect(roles[2]).toEqual(roles[0]);
  });

  it('follows a dark system with night, before the settings are known', () => {
    expect(tokensOf(':root:not([data-palette])')).toEqual(tokensOf('[data-palette="night"]'));
  });
});
