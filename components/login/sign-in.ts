import { KEY_HEADER, KEY_STORAGE } from '../../schemas/auth-names';

/** How an attempt to sign in ended. */
export type SignInResult =
  | 'done'
  /** The page was opened without a link, and this browser is not signed in. */
  | 'absent'
  /** As before, but it was signed in once. */
  | 'ended'
  | 'expired'
  | 'used'
  | 'unknown'
  | 'too-many'
  | 'unreachable'
  /** The browser keeps nothing for us, e.g. because site data is blocked. */
  | 'no-storage';

const results: Readonly<Record<string, SignInResult>> = {
  'link-expired': 'expired',
  'link-used': 'used',
  'link-unknown': 'unknown',
  'bad-arguments': 'unknown',
  'too-many-attempts': 'too-many',
};

/** The token of a login link, from the fragment: that part of an address is never sent. */
export function tokenOf(hash: string): string | null {
  return new URLSearchParams(hash.replace(/^#/, '')).get('t');
}

/** Exchanges a token for this browser's key, or finds that the browser is signed in already. */
export async function signIn(
  token: string | null,
  storage: Storage,
  post: typeof fetch = fetch,
): Promise<SignInResult> {
  try {
    if (token === null) {
      if (await isSignedIn(storage, post)) return 'done';
      return storage.getItem(KEY_STORAGE) ? 'ended' : 'absent';
    }
    const response = await post('/api/login', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token }),
    });
    const reply = (await response.json()) as { key?: string; error?: { code: string } };
    if (!response.ok || reply.key === undefined) {
      // A link that was used by this very browser, e.g. by "back": it is in already.
      if (await isSignedIn(storage, post)) return 'done';
      return results[reply.error?.code ?? ''] ?? 'unreachable';
    }
    return remember(storage, reply.key) ? 'done' : 'no-storage';
  } catch {
    return 'unreachable';
  }
}

async function isSignedIn(storage: Storage, get: typeof fetch): Promise<boolean> {
  const key = storage.getItem(KEY_STORAGE);
  if (!key) return false;
  return (await get('/api/session', { headers: { [KEY_HEADER]: key } })).ok;
}

function remember(storage: Storage, key: string): boolean {
  try {
    storage.setItem(KEY_STORAGE, key);
    return storage.getItem(KEY_STORAGE) === key;
  } catch {
    return false;
  }
}
