/** The machine that all executions share. It starts processes and lets them find one another. */
import type { Processes } from '../../../src/action/runner/processes.ts';
import type { Toolkit } from '../../../src/action/runner/toolkit.ts';
import type { Instant, Printed, SignalFact } from './facts.ts';
import type { Loop } from './loop.ts';
import { SimProcess } from './process.ts';
import type { ProcessName, SingleSpec } from './spec.ts';

const PIDS = { main: 4_242, post: 4_711 } as const;

export interface Started extends Instant {
  readonly process: SimProcess;
  readonly stdout: ReturnType<typeof createStdout>;
  readonly observed: SignalFact[];
  /** The name of the machine or container, which sees only its own processes. */
  readonly host: string;
}

export type Machine = ReturnType<typeof createMachine>;

export function createMachine(loop: Loop) {
  const all: Started[] = [];
  return {
    /** Starts a process of an execution. Returns before the process runs its first statement. */
    start(name: ProcessName, spec: SingleSpec, execution: number): Started {
      const { container, job } = spec.placement;
      const label = execution === 0 ? name : `${name}-${execution + 1}`;
      const pid = PIDS[name] + (container ? 0 : execution * 1_000);
      const process = new SimProcess({
        ...{ name, label, pid, loop },
        startedAt: `ticks:${pid * 7 + execution}`,
        clock: spec.clocks[name],
        flushMs: spec.runner.flushMs,
        lostTimer: name === 'main' ? spec.lostTimer : null,
      });
      const stdout = createStdout(process, loop, spec.runner.debug);
      const host = container ? `container-of-job-${job}` : 'machine';
      const started = { process, stdout, atMs: loop.nowMs, step: loop.step, observed: [], host };
      all.push(started);
      loop.note(label, 0, 'starts', '');
      return started;
    },
    noticeDrained: (): void => {
      for (const { process } of all) process.noticeDrained();
    },
    /** An unhandled rejection hits the oldest process that is still alive. */
    fail: (error: unknown): void => all.find(({ process }) => process.alive)?.process.fail(error),
    /** The machine's processes, as far as a process can find and signal them. */
    processesFor({ process, host }: Started, sight: SingleSpec['runner']['sight']): Processes {
      // The system reuses the id of an exited process, so the id refers to the youngest process.
      const found = (pid: number): SimProcess | undefined =>
        all.findLast((one) => one.process.pid === pid && one.host === host)?.process;
      return {
        stateOf(pid, startedAt) {
          if (sight === 'nothing' || found(pid)?.alive !== true) return 'dead';
          if (sight === 'existence') return 'unknown';
          return found(pid)?.startedAt === startedAt ? 'alive' : 'dead';
        },
        signal: (pid, name) => {
          process.perform('signals', `${pid} ${name}`, () => {
            if (sight !== 'no_signals') found(pid)?.signal(name);
          });
        },
      };
    },
  };
}

/** The stdout of a process, as its runner reads it. */
function createStdout(process: SimProcess, loop: Loop, debug: boolean) {
  const printed = { lines: [], received: [], annotations: [], masked: [] } as Writable<Printed>;
  let isRead = true;
  let onGone: (() => void) | undefined;
  const receive = (text: string): void => {
    if (isRead) printed.received.push({ atMs: loop.nowMs, text });
  };
  const push = (text: string, received: string): void => {
    printed.lines.push(text);
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
  const toolkit: Toolkit = {
    mask: (secret) => {
      const take = (): void => {
        printed.masked.push({ secret, step: loop.step });
        receive('::add-mask::***');
      };
      write('mask', '', take, true);
    },
    annotate: (level, title, message) => {
      write('annotate', `${level} ${title}: ${message.replaceAll('\n', ' | ')}`, () => {
        printed.annotations.push({ level, title, message });
        receive(`::${level} title=${title}::${message}`);
      });
    },
    debug: (line) => {
      if (debug) write('debug', line, () => push(line, `::debug::${line}`));
    },
  };
  return {
    printed: printed as Printed,
    toolkit,
    print: (line: string): void => write('print', line, () => push(line, line)),
    /** From now on, the runner ignores all output, and no write fails. */
    stopReading: (): void => {
      isRead = false;
    },
    onGone: (listener: () => void): void => {
      onGone = listener;
    },
  };
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] extends readonly (infer I)[] ? I[] : T[Name] };
