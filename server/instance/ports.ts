import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { writePrivateFile } from './private-file';

const Port = Type.Integer({ minimum: 1, maximum: 65_535 });
/** `<dataDir>/ports.json`: chosen once, so that bookmarks, pasted entries and running agents survive a restart. */
const Ports = Type.Object({ v: Type.Literal(1), app: Type.Optional(Port), content: Type.Optional(Port) });
type Ports = Static<typeof Ports>;

/** Below the range from which systems pick ports for outgoing connections, so that those do not take ours. */
const CHOSEN_FROM = { first: 20_000, last: 32_000 };

export class PortBook {
  private readonly file: string;

  constructor(dataDir: string) {
    this.file = path.join(dataDir, 'ports.json');
  }

  /** What was kept; an unreadable book is an empty one, its ports are only a convenience. */
  read(): Ports {
    try {
      const value: unknown = JSON.parse(readFileSync(this.file, 'utf8'));
      return Value.Check(Ports, value) ? value : { v: 1 };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return { v: 1 };
      throw error;
    }
  }

  keep(changes: { app?: number; content?: number }): void {
    const before = this.read();
    const after = { ...before, ...changes };
    if (JSON.stringify(after) !== JSON.stringify(before)) writePrivateFile(this.file, `${JSON.stringify(after)}\n`);
  }
}

/** A port to try when none was chosen yet. */
export function randomPort(random: () => number = Math.random): number {
  return CHOSEN_FROM.first + Math.floor(random() * (CHOSEN_FROM.last - CHOSEN_FROM.first));
}
