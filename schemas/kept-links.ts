/**
 * Links that programs mark (OSC 8). xterm.js keeps each one for as long as its row, so a program that marks one link
 * after the other in one row, or fills the scrollback with them, takes all memory. Both ends apply these limits.
 */
export const LinkLimits = {
  /** An address that is longer is no link, UTF-16 units; browsers cut longer ones off too. */
  maxLength: 2083,
  /** Links that a terminal keeps; the oldest become text. Each new one costs xterm.js time for every one that it keeps. */
  maxLinks: 4_096,
  /** What their addresses may take together, UTF-16 units. */
  maxTotalLength: 2_000_000,
} as const;

/** The part of xterm.js 6.0.0 that keeps links (its OscLinkService): the oldest first, each with a mark per row. */
export interface KeptLinks {
  _dataByLinkId: Map<number, { data: { uri: string }; lines: { dispose(): void }[] }>;
}

/** Drops the oldest links of one terminal. A dropped link's text stays. */
export class LinkBound {
  private newLinks = 0;
  private newLength = 0;

  constructor(private readonly kept: KeptLinks) {}

  /** To be called before a link is added. Looks through what is kept after every half of a limit, never more often. */
  adding(uri: string): void {
    this.newLinks += 1;
    this.newLength += uri.length;
    const links = LinkLimits.maxLinks / 2;
    const length = LinkLimits.maxTotalLength / 2;
    if (this.newLinks <= links && this.newLength <= length) return;
    this.newLinks = 0;
    this.newLength = 0;
    this.keepNewest(links, length);
  }

  private keepNewest(maxLinks: number, maxLength: number): void {
    const entries = [...this.kept._dataByLinkId.values()];
    let links = entries.length;
    let length = entries.reduce((sum, { data }) => sum + data.uri.length, 0);
    for (const { data, lines } of entries) {
      if (links <= maxLinks && length <= maxLength) return;
      links -= 1;
      length -= data.uri.length;
      // The link goes with the last of its marks.
      for (const mark of [...lines]) mark.dispose();
    }
  }
}
