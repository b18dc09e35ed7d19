import type { IDecoration, IDisposable, IMarker, Terminal } from '@xterm/xterm';

/** Older commands lose their mark; a terminal holds at most this many. */
const MAX_COMMANDS = 2_000;

interface CommandMark {
  /** Where the prompt begins. */
  prompt: IMarker;
  /** Where the output begins; absent while the person types. */
  output?: IMarker;
  /** The line after the output. */
  end?: IMarker;
  /** Exit status; absent while it runs. */
  status?: number;
  bar?: IDecoration;
}

interface CommandOutput {
  first: number;
  /** Not included. */
  end: number;
}

/**
 * The commands of a shell with integration (OSC 133): where each prompt stands, where its output begins and ends, and
 * how it ended. Draws a bar in the gutter for each.
 */
export class CommandMarks implements IDisposable {
  private commands: CommandMark[] = [];
  private readonly handler: IDisposable;

  constructor(
    private readonly term: Terminal,
    private readonly describe: (status: number) => string,
  ) {
    this.handler = term.parser.registerOscHandler(133, (data) => {
      this.take(data);
      return true;
    });
  }

  dispose(): void {
    this.handler.dispose();
    for (const command of this.commands) forget(command);
    this.commands = [];
  }

  /** The line of the nearest prompt above (-1) or below (1) `line`. */
  private promptFrom(line: number, direction: -1 | 1): number | undefined {
    const lines = this.alive().map((command) => command.prompt.line);
    return direction < 0 ? lines.findLast((at) => at < line) : lines.find((at) => at > line);
  }

  /** The output of the last command that has ended, or of the one that runs. */
  private lastOutput(): CommandOutput | undefined {
    const command = this.alive().findLast((one) => one.output && !one.output.isDisposed);
    if (!command?.output) return undefined;
    const buffer = this.term.buffer.normal;
    const end = command.end && !command.end.isDisposed ? command.end.line : buffer.baseY + buffer.cursorY + 1;
    return { first: command.output.line, end };
  }

  /** Shows the prompt above (-1) or below (1) the top of the view. */
  jump(direction: -1 | 1): void {
    const { viewportY, baseY } = this.term.buffer.active;
    const line = this.promptFrom(viewportY, direction);
    if (line !== undefined) this.term.scrollToLine(Math.min(line, baseY));
    else if (direction > 0) this.term.scrollToBottom();
  }

  /** What the last command printed, soft-wrapped lines joined. */
  lastOutputText(): string | undefined {
    const output = this.lastOutput();
    if (!output) return undefined;
    const buffer = this.term.buffer.normal;
    let text = '';
    for (let y = output.first; y < output.end; y++) {
      const next = buffer.getLine(y + 1);
      text += buffer.getLine(y)?.translateToString(!next?.isWrapped) ?? '';
      if (y + 1 < output.end && !next?.isWrapped) text += '\n';
    }
    return text;
  }

  selectLastOutput(): void {
    const output = this.lastOutput();
    if (output && output.end > output.first) this.term.selectLines(output.first, output.end - 1);
  }

  private take(data: string): void {
    // The alternate screen has no history to mark.
    if (this.term.buffer.active.type === 'alternate') return;
    const [kind, status] = data.split(';');
    const current = this.commands.at(-1);
    switch (kind) {
      case 'A':
        this.beginPrompt();
        break;
      case 'C':
        if (current && !current.output) current.output = this.mark();
        break;
      case 'D':
        if (current?.output && !current.end) this.finish(current, Number.parseInt(status ?? '', 10));
        break;
    }
  }

  private beginPrompt(): void {
    const last = this.commands.at(-1);
    // A prompt that is drawn again moves its mark.
    if (last && !last.output) {
      forget(last);
      this.commands.pop();
    }
    const prompt = this.mark();
    if (!prompt) return;
    this.commands.push({ prompt });
    if (this.commands.length > MAX_COMMANDS) {
      const oldest = this.commands.shift();
      if (oldest) forget(oldest);
    }
  }

  private finish(command: CommandMark, status: number): void {
    command.end = this.mark();
    if (Number.isNaN(status)) return;
    command.status = status;
    const bar = this.term.registerDecoration({ marker: command.prompt, width: 1, layer: 'top' });
    if (!bar) return;
    command.bar = bar;
    bar.onRender((element) => {
      element.classList.add('tt-mark');
      element.dataset.status = status === 0 ? 'good' : 'bad';
      element.title = this.describe(status);
    });
  }

  private mark(): IMarker | undefined {
    return this.term.registerMarker(0);
  }

  /** Without those whose line has left the buffer, or that a new screen has replaced. */
  private alive(): CommandMark[] {
    this.commands = this.commands.filter((command) => !command.prompt.isDisposed);
    return this.commands;
  }
}

function forget(command: CommandMark): void {
  command.bar?.dispose();
  command.prompt.dispose();
  command.output?.dispose();
  command.end?.dispose();
}
