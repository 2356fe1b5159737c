import { vi } from 'vitest';
import { parseRecords } from '../../sandbox/runner/records.ts';
import { StepLog } from '../../sandbox/runner/step-log.ts';
import { githubToolkit } from '../../src/action/runner/toolkit.ts';
import { type PlayedStep, playStep, STEP_FILES, type StepOptions } from '../support/step.ts';

/** What a runner makes of a step: it reads the lines of stdout by its own rules, and the files. */
export interface SeenStep {
  readonly played: PlayedStep;
  readonly log: StepLog;
  /** As they cause: commands, and secrets in them. */
  readonly lines: readonly string[];
  readonly output: ReturnType<typeof parseRecords>;
  readonly state: ReturnType<typeof parseRecords>;
  readonly journal: ReturnType<typeof parseRecords>;
  readonly summary: string;
}

/** A step that writes to stdout as it does in production, through the toolkit of GitHub. */
export async function seeStep(options: StepOptions): Promise<SeenStep> {
  // With debug logging, which tells of every request.
  vi.stubEnv('RUNNER_DEBUG', '1');
  let stdout = '';
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    stdout += String(text);
    return true;
  });
  let played: PlayedStep;
  try {
    const print = (line: string): void => void process.stdout.write(`${line}\n`);
    played = await playStep({ ...options, toolkit: githubToolkit, print });
  } finally {
    spy.mockRestore();
  }
  const log = new StepLog(new Set(), true);
  // Whatever a runner may take for the end of a line.
  const lines = stdout.split(/\r\n|\r|\n/);
  for (const line of lines) log.take(line);
  const { files } = played;
  const journal = files.paths.find((path) => path.endsWith('.journal')) ?? '';
  return {
    played,
    log,
    lines,
    output: parseRecords(files.read(STEP_FILES.output) ?? ''),
    state: parseRecords(files.read(STEP_FILES.state) ?? ''),
    journal: parseRecords(files.read(journal) ?? ''),
    summary: files.read(STEP_FILES.summary) ?? '',
  };
}
