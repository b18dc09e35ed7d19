/**
 * What is measured inside a page, the same code for every subject: it reads the rows that xterm.js draws, in the frame
 * in which they change, and the time stamps of trusted key events. Added to the page before its own scripts.
 */
export interface Probe {
  /** Page time of the last trusted keydown, in ms. */
  lastKeyAt: number;
  /** Rows that are drawn now. */
  rows(selector: string): string[];
  /** Resolves to the page time of the first frame in which a drawn row of `selector` matches. */
  whenDrawn(selector: string, pattern: string, timeoutMs: number): Promise<number>;
  /** Frame times in ms while `step` is called once a frame. */
  frames(count: number, step: (frame: number) => void): Promise<number[]>;
}

declare global {
  interface Window {
    benchProbe: Probe;
  }
}

/** Runs in the page. */
export function installProbe(): void {
  const rows = (selector: string) =>
    [...document.querySelectorAll(`${selector} .xterm-rows > div`)].map((row) =>
      (row.textContent ?? '').replaceAll('\u00a0', ' ').trimEnd(),
    );
  const probe: Probe = {
    lastKeyAt: 0,
    rows,
    whenDrawn(selector, pattern, timeoutMs) {
      const expression = new RegExp(pattern);
      return new Promise((resolve, reject) => {
        const deadline = performance.now() + timeoutMs;
        let observer: MutationObserver | null = null;
        let observed: Element | null = null;
        const stop = () => {
          observer?.disconnect();
          clearInterval(late);
        };
        const look = () => {
          if (!rows(selector).some((row) => expression.test(row))) return false;
          stop();
          resolve(performance.now());
          return true;
        };
        // xterm draws in an animation frame; the observer runs in that same frame, before it is painted.
        const watch = () => {
          const element = document.querySelector(`${selector} .xterm-rows`);
          if (element && element !== observed) {
            observer?.disconnect();
            observed = element;
            observer = new MutationObserver(look);
            observer.observe(element, { childList: true, subtree: true, characterData: true });
            look();
          }
        };
        const late = setInterval(() => {
          watch();
          if (performance.now() < deadline) return;
          stop();
          reject(
            new Error(
              `"${pattern}" was not drawn within ${timeoutMs} ms; rows: ${rows(selector).filter(Boolean).slice(-6).join(' ⏎ ')}`,
            ),
          );
        }, 20);
        watch();
      });
    },
    frames(count, step) {
      return new Promise((resolve) => {
        const times: number[] = [];
        let before = 0;
        const next = (now: number) => {
          if (before) times.push(now - before);
          before = now;
          if (times.length >= count) return resolve(times);
          step(times.length);
          requestAnimationFrame(next);
        };
        requestAnimationFrame(next);
      });
    },
  };
  window.benchProbe = probe;
  addEventListener(
    'keydown',
    (event) => {
      if (event.isTrusted) probe.lastKeyAt = event.timeStamp;
    },
    true,
  );
}
