import type { Terminal } from '@xterm/xterm';

const IME_KEY = 229;

/**
 * Text that does not come from plain key presses: input methods, dead keys, emoji pickers, phone keyboards. xterm
 * compares its helper field before and after with timers, which loses or doubles characters when they come fast; here
 * each event's own text is sent, at once and once. `root` is an ancestor of the terminal; listeners run before xterm's.
 */
export function installTextInput(term: Terminal, root: HTMLElement): () => void {
  let composing = false;
  /** The last key went to the input method, so its text comes by an input event. */
  let imeKey = true;
  let preview: HTMLElement | null = null;

  const field = () => term.textarea;
  const send = (text: string) => {
    if (text) term.input(text, true);
  };
  const clear = () => {
    const textarea = field();
    if (textarea && !composing) textarea.value = '';
  };
  const show = (text: string) => {
    preview ??= addPreview(term);
    if (!preview) return;
    preview.textContent = text;
    const textarea = field();
    preview.style.left = textarea?.style.left ?? '0';
    preview.style.top = textarea?.style.top ?? '0';
    preview.style.lineHeight = textarea?.style.lineHeight ?? '';
  };
  const hide = () => {
    preview?.remove();
    preview = null;
  };

  const onKeyDown = (event: KeyboardEvent) => {
    imeKey = event.keyCode === IME_KEY || event.isComposing;
  };
  const onKeyUp = () => {
    if (!composing) imeKey = true;
  };
  const onStart = (event: CompositionEvent) => {
    event.stopImmediatePropagation();
    composing = true;
    show('');
  };
  const onUpdate = (event: CompositionEvent) => {
    event.stopImmediatePropagation();
    show(event.data);
  };
  const onEnd = (event: CompositionEvent) => {
    event.stopImmediatePropagation();
    composing = false;
    hide();
    send(event.data);
    // The browser may still change the field after this event.
    setTimeout(clear, 0);
  };
  const onInput = (event: Event) => {
    if (!(event instanceof InputEvent)) return;
    event.stopImmediatePropagation();
    // While composing the end event has the text; a committed composition reports itself here once more.
    if (composing || event.isComposing || event.inputType === 'insertCompositionText') return;
    if (imeKey) send(textOf(event));
    clear();
  };

  const listeners: [string, (event: never) => void][] = [
    ['keydown', onKeyDown],
    ['keyup', onKeyUp],
    ['compositionstart', onStart],
    ['compositionupdate', onUpdate],
    ['compositionend', onEnd],
    ['input', onInput],
  ];
  for (const [type, listener] of listeners) root.addEventListener(type, listener as EventListener, true);
  return () => {
    for (const [type, listener] of listeners) root.removeEventListener(type, listener as EventListener, true);
    hide();
  };
}

/** The key event belongs to an input method: xterm must leave it alone. */
export function isImeKey(event: KeyboardEvent): boolean {
  return event.keyCode === IME_KEY || event.isComposing;
}

function textOf(event: InputEvent): string {
  switch (event.inputType) {
    case 'insertText':
    case 'insertReplacementText':
    case 'insertFromComposition':
      return event.data ?? '';
    case 'insertLineBreak':
    case 'insertParagraph':
      return '\r';
    case 'deleteContentBackward':
      return '\x7f';
    default:
      return '';
  }
}

function addPreview(term: Terminal): HTMLElement | null {
  const helpers = term.element?.querySelector('.xterm-helpers');
  if (!helpers) return null;
  const view = document.createElement('div');
  view.className = 'composition-view active';
  view.style.fontFamily = term.options.fontFamily ?? '';
  view.style.fontSize = `${term.options.fontSize}px`;
  helpers.append(view);
  return view;
}
