/** The stdout of a process, as its runner reads it. */
import type { Toolkit } from '../../../src/action/runner/toolkit.ts';
import type { Annotation, Line, Received } from './facts.ts';
import type { Loop } from './loop.ts';
import type { SimProcess } from './process.ts';

export class Stdout {
  /** Lines that are not commands of the action: no command may be among them. */
  readonly lines: Line[] = [];
  readonly annotations: Annotation[] = [];
  readonly masked: { readonly secret: string; readonly step: number }[] = [];
  /** Everything, in order; a mask hides its own secret. */
  readonly received: Received[] = [];
  #isRead = true;
  #onGone: (() => void) | undefined;
  readonly #process: SimProcess;
  readonly #loop: Loop;
  readonly #debug: boolean;

  constructor(process: SimProcess, loop: Loop, debug: boolean) {
    this.#process = process;
    this.#loop = loop;
    this.#debug = debug;
  }

  /** From now on the runner ignores what is written, and no write fails. */
  stopReading(): void {
    this.#isRead = false;
  }

  /** From now on every write fails: the reader has gone. */
  close(): void {
    this.#process.isStdoutOpen = false;
  }

  onGone(listener: () => void): void {
    this.#onGone = listener;
  }

  readonly print = (line: string): void => {
    this.#write('print', line, () => this.#push(line, line));
  };

  /** The commands of the runner's toolkit, in the toolkit's own form. */
  readonly toolkit: Toolkit = {
    mask: (secret) => {
      const take = (): void => {
        this.masked.push({ secret, step: this.#loop.step });
        this.#receive('::add-mask::***');
      };
      this.#write('mask', '', take, true);
    },
    annotate: (level, title, message) => {
      this.#write('annotate', `${level} ${title}: ${message.replaceAll('\n', ' | ')}`, () => {
        this.annotations.push({ level, title, message, step: this.#loop.step });
        this.#receive(`::${level} title=${title}::${message}`);
      });
    },
    debug: (line) => {
      if (this.#debug) this.#write('debug', line, () => this.#push(line, `::debug::${line}`));
    },
  };

  #push(text: string, received: string): void {
    this.lines.push({ text, step: this.#loop.step, atMs: this.#loop.nowMs });
    this.#receive(received);
  }

  #receive(text: string): void {
    if (this.#isRead) this.received.push({ atMs: this.#loop.nowMs, text });
  }

  #write(kind: string, what: string, take: () => void, always = false): void {
    this.#process.perform(kind, what, (torn) => {
      const listener = this.#onGone;
      if (this.#process.isStdoutOpen) {
        if (!torn && (this.#isRead || always)) take();
      } else if (listener !== undefined) {
        // The stream reports the error some time after the write.
        this.#loop.at(this.#loop.nowMs, () => this.#process.deliver('stdout gone', '', listener));
      }
    });
  }
}
