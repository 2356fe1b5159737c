/** Prints the demo's output, in colour if stdout is a terminal. */
export class Page {
  readonly #colours: boolean;
  readonly #width = 100;
  readonly #startedAt = performance.now();

  constructor(colours: boolean) {
    this.#colours = colours;
  }

  heading(text: string): void {
    const line = '─'.repeat(Math.max(3, this.#width - text.length - 4));
    console.log(`\n${this.#paint('1', `── ${text} ${line}`)}`);
  }

  line(text: string): void {
    console.log(`  ${text}`);
  }

  note(text: string): void {
    console.log(this.#paint('2', `  ${text}`));
  }

  /** Prints a log line with the number of seconds since the demo began. */
  log(text: string): void {
    const seconds = ((performance.now() - this.#startedAt) / 1_000).toFixed(1).padStart(5);
    console.log(`${this.#paint('2', `${seconds} s │`)} ${this.#coloured(text)}`);
  }

  /** Prints an event that is not part of the log. */
  event(text: string): void {
    console.log(this.#paint('35;1', `        ▶ ${text}`));
  }

  table(rows: readonly (readonly [name: string, value: string])[]): void {
    const width = Math.max(...rows.map(([name]) => name.length));
    for (const [name, value] of rows) {
      const indented = value.replaceAll('\n', `\n${' '.repeat(width + 4)}`);
      this.line(`${this.#paint('36', name.padEnd(width))}  ${indented}`);
    }
  }

  #coloured(text: string): string {
    const colour = { Error: '31', Warning: '33', Notice: '36', Debug: '35' }[/^(\w+): /.exec(text)?.[1] ?? ''];
    return colour === undefined ? text : this.#paint(colour, text);
  }

  #paint(code: string, text: string): string {
    return this.#colours ? `\u001B[${code}m${text}\u001B[0m` : text;
  }
}
