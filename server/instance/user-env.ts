import { readFileSync } from 'node:fs';

type Env = Readonly<Record<string, string | undefined>>;

/** Set by npm for its scripts, over whatever the person had. */
const setByNpm = ['INIT_CWD', 'NODE', 'COLOR', 'EDITOR', 'NODE_OPTIONS', 'FORCE_COLOR'];
/** Never the person's wish for a shell: they say how *we* run. */
const neverPassedOn = [
  'NODE_ENV',
  'NODE_CHANNEL_FD',
  'NODE_CHANNEL_SERIALIZATION_MODE',
  'NODE_UNIQUE_ID',
  'NEXT_TELEMETRY_DISABLED',
];

const isOfNpm = (name: string) => /^npm_/i.test(name);
const isAddedToPath = (folder: string) =>
  /(^|\/)node_modules\/\.bin\/?$/.test(folder) || /\/node-gyp-bin\/?$/.test(folder);

/**
 * The environment as it was before npm and Node added to it, which is what shells get. `before` is that of npm itself
 * where it can be known; it settles what cannot be told apart otherwise (was EDITOR the person's or npm's?).
 */
export function userEnvironment(env: Env, before: Env | null): Record<string, string> {
  const underNpm = env.npm_execpath !== undefined || env.npm_lifecycle_event !== undefined;
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || isOfNpm(name) || neverPassedOn.includes(name)) continue;
    if (underNpm && setByNpm.includes(name)) {
      const own = before ? before[name] : ownOf(name, value, env);
      if (own !== undefined) result[name] = own;
    } else {
      result[name] = value;
    }
  }
  if (underNpm && result.PATH !== undefined) {
    const own = new Set((before?.PATH ?? '').split(':'));
    result.PATH = result.PATH.split(':')
      .filter((folder) => own.has(folder) || !isAddedToPath(folder))
      .join(':');
  }
  return result;
}

/** Without npm's own environment at hand: keep what npm only passes through, drop what is surely its own. */
function ownOf(name: string, value: string, env: Env): string | undefined {
  if (name === 'EDITOR') return value === 'vi' && env.npm_config_editor === undefined ? undefined : value;
  if (name === 'NODE_OPTIONS') return value === env.npm_config_node_options ? undefined : value;
  return name === 'FORCE_COLOR' ? value : undefined;
}

/** The environment with which npm was started: that of the nearest ancestor that npm did not start. Linux only. */
export function environmentBeforeNpm(pid: number = process.ppid): Env | null {
  try {
    for (let depth = 0; depth < 16 && pid > 1; depth++) {
      const env = parseEnviron(readFileSync(`/proc/${pid}/environ`, 'utf8'));
      if (env.npm_execpath === undefined && env.npm_lifecycle_event === undefined) return env;
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      pid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    }
    return null;
  } catch {
    // No /proc, or an ancestor that is not ours to read: the rules above must do.
    return null;
  }
}

function parseEnviron(text: string): Env {
  const entries = text.split('\0').filter((entry) => entry.includes('='));
  return Object.fromEntries(
    entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  );
}
