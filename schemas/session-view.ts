import type { SessionView } from './terminals';

/** Only where the output has got to is different: how much came, the last line, which screen it is on. */
export function sameButOutput(a: SessionView, b: SessionView): boolean {
  if (a === b) return true;
  if (!a.info || !b.info || a.info.state !== b.info.state) return false;
  return JSON.stringify(withoutOutput(a)) === JSON.stringify(withoutOutput(b));
}

function withoutOutput({ record, info }: SessionView): unknown {
  return [record, { ...info, revision: 0, produced: 0, keptFrom: 0, lastLine: '', altScreen: false }];
}
