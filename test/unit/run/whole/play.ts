import { inOrder, recordsInText, type StoredFact } from '../../../../src/action/state/records.ts';
import { prepareMain } from '../../../../src/action/steps/main-step.ts';
import type { Uuid } from '../../../../src/base/uuid.ts';
import { type Annotation, environment, type Inputs, keptToolkit } from '../../../support/action.ts';
import { interruptible } from '../../../support/interruption.ts';
import { type MemoryFiles, memoryFiles } from '../../../support/memory-files.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';
import { type FakeService, fakeService, type Script } from '../fake-service.ts';

export const OUTPUT = '/files/output';
export const STATE = '/files/state';
export const SUMMARY = '/files/summary';

export interface PlayOptions {
  readonly script?: Script;
  readonly interruptAtMs?: number;
  /** Called once everything is in place, before the first moment. */
  readonly prepare?: (parts: { readonly clock: VirtualClock; readonly files: MemoryFiles }) => void;
}

/** An entry of the output `results`. */
export type Entry = Readonly<Record<string, string>>;

export interface Played extends Pick<FakeService, 'calls' | 'statusOf'> {
  readonly exitCode: number;
  readonly endedAt: number;
  readonly outputs: Readonly<Record<string, string>>;
  readonly results: readonly Entry[];
  readonly annotations: readonly Annotation[];
  readonly lines: readonly string[];
  readonly log: string;
  readonly records: readonly StoredFact[];
  readonly files: MemoryFiles;
  readonly triggered: () => readonly (Uuid | undefined)[];
}

/** A whole main step in virtual time: what it is given, and all that can be seen of it. */
export async function play(inputs: Inputs, options: PlayOptions = {}): Promise<Played> {
  const clock = new VirtualClock();
  const files = memoryFiles();
  const toolkit = keptToolkit();
  const lines: string[] = [];
  const { service, calls, statusOf } = fakeService(clock, options.script);
  const { interruption, interrupt } = interruptible(clock);
  if (options.interruptAtMs !== undefined) clock.after(options.interruptAtMs, interrupt);
  options.prepare?.({ clock, files });
  const step = prepareMain({
    env: environment(inputs, { GITHUB_OUTPUT: OUTPUT, GITHUB_STATE: STATE, GITHUB_STEP_SUMMARY: SUMMARY }),
    pid: 4_711,
    startedAt: 'ticks:1',
    host: 'machine',
    clock,
    random: () => 0.5,
    files,
    toolkit,
    print: (line) => lines.push(line),
    interruption,
    openService: () => service,
  });
  const exitCode = await clock.until(step.run());
  const outputs = outputsIn(files.read(OUTPUT) ?? '');
  const results: readonly Entry[] = JSON.parse(outputs['results'] ?? '[]') as readonly Entry[];
  const records = inOrder(recordsInText(files.read(STATE) ?? '')).filter((record) => 'fact' in record);
  return {
    exitCode,
    endedAt: clock.now(),
    outputs,
    results,
    annotations: toolkit.annotations,
    lines,
    log: lines.join('\n'),
    records,
    files,
    calls,
    statusOf,
    triggered: () => calls.filter(({ call }) => call === 'trigger').map(({ pipelineId }) => pipelineId),
  };
}

/** An output file as a runner reads it: `key=value`, or `key<<END`, lines, `END`; the last of a name counts. */
export function outputsIn(text: string): Record<string, string> {
  const outputs: Record<string, string> = {};
  const lines = text.split('\n');
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const [, name, end] = /^([^=<]+)<<(.+)$/.exec(line) ?? [];
    if (name !== undefined && end !== undefined) {
      outputs[name] = lines.splice(0, lines.indexOf(end)).join('\n');
      lines.shift();
    } else if (line !== '') {
      outputs[line.slice(0, line.indexOf('='))] = line.slice(line.indexOf('=') + 1);
    }
  }
  return outputs;
}
