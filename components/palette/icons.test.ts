import { CircleDashed } from 'lucide-react';
import { expect, it } from 'vitest';
import { messages } from '../i18n';
import { isListed } from './entries';
import { iconOf } from './icons';

/** The ids of everything that has a name in the message files. */
function idsOf(tree: object, before = ''): string[] {
  return Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string' ? [`${before}${key}`] : idsOf(value as object, `${before}${key}.`),
  );
}

it('every command of the palette has a sign, and hardly two have the same', () => {
  const ids = idsOf(messages.en.actions as object).filter(isListed);
  expect(ids.filter((id) => iconOf(id) === CircleDashed)).toEqual([]);
  expect(new Set(ids.map(iconOf)).size).toBeGreaterThan(ids.length * 0.8);
});
