import { type Browser, chromium, type Page } from '@playwright/test';
import { chromiumArgs, chromiumPath } from '../support/chromium';
import { type ServerOptions, startServer, type TesseraServer } from '../support/server';
import { signIn } from '../support/test';

/** Something done on purpose that must lose nothing. It throws when something was lost. */
export interface Drill {
  name: string;
  title: string;
  /** Gives one line about what was seen, or why it cannot be done here. */
  run(tools: DrillTools): Promise<string | { skipped: string }>;
}

export interface DrillTools {
  /** How often; the drill's own number unless the person said another. */
  times(usual: number): number;
  say(text: string): void;
  /** Things to end when the drill is over, however it ended; newest first. */
  atEnd(undo: () => unknown): void;
}

/** A server that ends with the drill. */
export async function serverFor(tools: DrillTools, options?: ServerOptions): Promise<TesseraServer> {
  const server = await startServer(options);
  tools.atEnd(() => server.dispose());
  return server;
}

/** A signed-in page in a browser of its own. */
export async function pageFor(tools: DrillTools, server: TesseraServer): Promise<{ browser: Browser; page: Page }> {
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: chromiumArgs });
  tools.atEnd(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1600, height: 900 } });
  await signIn(server, page);
  return { browser, page };
}
