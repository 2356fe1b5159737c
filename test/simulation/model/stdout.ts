/** The stdout of a process, as its runner reads it. */
import type { Toolkit } from '../../../src/action/runner/toolkit.ts';
import type { Printed } from './facts.ts';
import type { Loop } from './loop.ts';
import type { SimProcess } from './process.ts';

export interface Stdout {
  readonly printed: Printed;
  readonly print: (line: string) => void;
  /** The commands of the runner's toolkit, in the toolkit's own form. */
  readonly toolkit: Toolkit;
  /** From now on the runner ignores what is written, and no write fails. */
  readonly stopReading: () => void;
  readonly onGone: (listener: () => void) => void;
}

export function createStdout(process: SimProcess, loop: Loop, debug: boolean): Stdout {
  const printed = { lines: [], received: [], annotations: [], masked: [] } as Writable<Printed>;
  let isRead = true;
  let onGone: (() => void) | undefined;
  const receive = (text: string): void => {
    if (isRead) printed.received.push({ atMs: loop.nowMs, text });
  };
  const push = (text: string, received: string): void => {
    printed.lines.push({ text, step: loop.step, atMs: loop.nowMs });
    receive(received);
  };
  const write = (kind: string, what: string, take: () => void, always = false): void => {
    process.perform(kind, what, (torn) => {
      const listener = onGone;
      if (process.isStdoutOpen) {
        if (!torn && (isRead || always)) take();
      } else if (listener !== undefined) {
        // The stream reports the error some time after the write.
        loop.at(loop.nowMs, () => process.deliver('stdout gone', '', listener));
      }
    });
  };
  return {
    printed,
    print: (line) => write('print', line, () => push(line, line)),
    toolkit: {
      mask: (secret) => {
        const take = (): void => {
          printed.masked.push({ secret, step: loop.step });
          receive('::add-mask::***');
        };
        write('mask', '', take, true);
      },
      annotate: (level, title, message) => {
        write('annotate', `${level} ${title}: ${message.replaceAll('\n', ' | ')}`, () => {
          printed.annotations.push({ level, title, message, step: loop.step });
          receive(`::${level} title=${title}::${message}`);
        });
      },
      debug: (line) => {
        if (debug) write('debug', line, () => push(line, `::debug::${line}`));
      },
    },
    stopReading: () => {
      isRead = false;
    },
    onGone: (listener) => {
      onGone = listener;
    },
  };
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] extends readonly (infer I)[] ? I[] : T[Name] };
