import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A secret that cannot be guessed: 256 random bits, safe in a header, a cookie and a fragment. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** What is kept of a secret. It has too many bits to be tried out, so one round is enough. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Compares a secret with a kept hash, in a time that tells nothing. */
export function matches(secret: string | undefined, hash: string): boolean {
  if (secret === undefined || secret.length > 200) return false;
  const given = createHash('sha256').update(secret).digest();
  const kept = Buffer.from(hash, 'hex');
  return given.length === kept.length && timingSafeEqual(given, kept);
}
