import { AuthLimits } from '../../schemas/auth';
import { hashOf, matches, newSecret } from './secrets';

export type Refused = 'expired' | 'used' | 'unknown';

/** Links that are remembered after their time, so that the page can say what became of them. */
const REMEMBERED = 50;

interface Link {
  hash: string;
  expiresAt: number;
  used: boolean;
  onUsed?: (() => void) | undefined;
}

/** Login links: each works once, within two minutes. They live in memory; a restart ends them all. */
export class LoginLinks {
  private links: Link[] = [];

  constructor(private readonly now: () => number = Date.now) {}

  /** The token of a fresh link. Only its hash stays here. */
  create(onUsed?: () => void): { token: string; expiresAt: number } {
    const token = newSecret();
    const expiresAt = this.now() + AuthLimits.linkMs;
    this.links = [...this.links, { hash: hashOf(token), expiresAt, used: false, onUsed }].slice(-REMEMBERED);
    return { token, expiresAt };
  }

  /** What `use` makes of a link that works, or why it does not. A `use` that throws leaves the link as it was. */
  redeem<T extends object>(token: string, use: () => T): Refused | { value: T } {
    const link = this.links.find((one) => matches(token, one.hash));
    if (!link) return 'unknown';
    if (link.used) return 'used';
    if (this.now() >= link.expiresAt) return 'expired';
    link.used = true;
    let value: T;
    try {
      value = use();
    } catch (error) {
      link.used = false;
      throw error;
    }
    link.onUsed?.();
    return { value };
  }
}
