/** What a terminal wants to hear of the element that holds it, before the emulator does. */
export class HostEvents {
  /** The focus has just come or gone: what the emulator says now is about that. */
  focusChanges = false;
  private readonly ending = new AbortController();

  constructor(host: HTMLElement, listener: { pasted(text: string): void; wheel(): void }) {
    const { signal } = this.ending;
    const onFocus = () => {
      this.focusChanges = true;
      setTimeout(() => {
        this.focusChanges = false;
      }, 0);
    };
    host.addEventListener('focus', onFocus, { capture: true, signal });
    host.addEventListener('blur', onFocus, { capture: true, signal });
    host.addEventListener(
      'paste',
      (event) => {
        event.preventDefault();
        event.stopPropagation();
        listener.pasted(event.clipboardData?.getData('text/plain') ?? '');
      },
      { capture: true, signal },
    );
    // When it has scrolled.
    host.addEventListener('wheel', () => requestAnimationFrame(() => listener.wheel()), { passive: true, signal });
  }

  dispose(): void {
    this.ending.abort();
  }
}
