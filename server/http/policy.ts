import { ENTER_PAGE } from './enter-page';

/** What the policy looks at; an IncomingMessage is one. */
export interface RequestFacts {
  method?: string | undefined;
  url?: string | undefined;
  rawHeaders: readonly string[];
}

export type Verdict =
  | { ok: true; path: string; query: URLSearchParams; host: string; origin: string; navigation: boolean }
  /** `elsewhere`: a person followed a link of another page to us; they may be told how to go on. */
  | { ok: false; status: number; code: string; message: string; elsewhere: boolean };

/** More headers than any browser sends; Node itself would drop the rest without a word. */
const MAX_HEADERS = 100;
const MAX_TARGET_LENGTH = 4096;
const methods = new Set(['GET', 'HEAD', 'POST']);
/** Each decides something; a second one could make us and another reader disagree. */
const onceOnly = [
  'origin',
  'cookie',
  'authorization',
  'content-type',
  'content-length',
  'transfer-encoding',
  'sec-fetch-site',
  'sec-fetch-mode',
  'sec-fetch-dest',
  'x-tessera-key',
  'x-tessera-upload',
  'upgrade',
];
/** Where the redirect file and a link in a terminal lead: a page without power, and with it one may come from elsewhere. */
const openFromElsewhere = new Set(['/login', ENTER_PAGE]);
const framed = new Set(['iframe', 'frame', 'embed', 'object', 'fencedframe', 'webidentity']);

/**
 * Who may talk to the app listener at all, decided before any routing, for requests and upgrades alike. It knows no
 * session: it keeps out other hosts' names (DNS rebinding), other origins, other local ports' pages, and frames.
 */
export class ListenerPolicy {
  private readonly hosts: ReadonlySet<string>;

  constructor(port: number) {
    const names = ['127.0.0.1', 'localhost', '[::1]'];
    this.hosts = new Set(names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`])));
  }

  judge(request: RequestFacts): Verdict {
    const headers = new Headers(request.rawHeaders);
    if (headers.count > MAX_HEADERS) return refuse(431, 'too-many-headers', 'The request has too many headers.');

    const hosts = headers.all('host');
    const host = hosts[0]?.toLowerCase() ?? '';
    if (hosts.length !== 1 || !this.hosts.has(host)) {
      return refuse(403, 'foreign-host', 'Tessera answers only to its own address.');
    }
    const repeated = onceOnly.find((name) => headers.all(name).length > 1);
    if (repeated) return refuse(400, 'repeated-header', `The header ${repeated} may be there only once.`);

    const method = request.method ?? '';
    const target = parseTarget(request.url ?? '');
    const origin = `http://${host}`;
    const from = headers.one('origin');
    if (from !== undefined && from !== origin)
      return refuse(403, 'foreign-origin', 'Another page may not talk to Tessera.');

    const navigation =
      (method === 'GET' || method === 'HEAD') &&
      (headers.one('sec-fetch-mode') ?? (/\btext\/html\b/.test(headers.one('accept') ?? '') ? 'navigate' : '')) ===
        'navigate';
    const site = headers.one('sec-fetch-site');
    const destination = headers.one('sec-fetch-dest');
    if (destination !== undefined && framed.has(destination)) {
      return refuse(403, 'framed', 'Tessera may not be shown inside another page.');
    }
    if (site !== undefined && site !== 'same-origin' && site !== 'none') {
      const topLevel = navigation && destination === 'document' && headers.one('upgrade') === undefined;
      if (!(topLevel && target && openFromElsewhere.has(target.path))) {
        return refuse(403, 'foreign-site', 'Another page may not talk to Tessera.', topLevel);
      }
    }

    if (!target) return refuse(400, 'bad-target', 'The address of the request is malformed.');
    if (!methods.has(method)) return refuse(405, 'method-not-allowed', 'This method is never used here.');
    if (
      method !== 'POST' &&
      (headers.one('transfer-encoding') !== undefined || Number(headers.one('content-length') ?? 0) !== 0)
    ) {
      return refuse(400, 'unexpected-body', 'A request that only reads has no body.');
    }
    return { ok: true, ...target, host, origin, navigation };
  }
}

function refuse(status: number, code: string, message: string, elsewhere = false): Verdict {
  return { ok: false, status, code, message, elsewhere };
}

/** A path that every reader takes the same way: nothing encoded that separates, no dots that climb, no empty segment. */
function parseTarget(url: string): { path: string; query: URLSearchParams } | null {
  if (url.length > MAX_TARGET_LENGTH) return null;
  const cut = url.indexOf('?');
  const path = cut < 0 ? url : url.slice(0, cut);
  if (!/^\/[\w.~!$&'()*+,;=:@%/-]*$/.test(path)) return null;
  if (/%(?![0-9a-f]{2})|%(?:2f|5c|2e|25|[01][0-9a-f]|7f)/i.test(path)) return null;
  const segments = path.slice(1).split('/');
  if (
    segments.some(
      (segment, index) => segment === '.' || segment === '..' || (segment === '' && index < segments.length - 1),
    )
  ) {
    return null;
  }
  return { path, query: new URLSearchParams(cut < 0 ? '' : url.slice(cut + 1)) };
}

/** Headers as they came, so that one that is there twice is seen. */
class Headers {
  private readonly values = new Map<string, string[]>();
  readonly count: number;

  constructor(raw: readonly string[]) {
    this.count = raw.length / 2;
    for (let index = 0; index + 1 < raw.length; index += 2) {
      const name = raw[index]!.toLowerCase();
      const known = this.values.get(name);
      if (known) known.push(raw[index + 1]!);
      else this.values.set(name, [raw[index + 1]!]);
    }
  }

  all(name: string): readonly string[] {
    return this.values.get(name) ?? [];
  }

  one(name: string): string | undefined {
    return this.all(name)[0];
  }
}
