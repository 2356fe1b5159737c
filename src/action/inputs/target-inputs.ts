import { quoted } from '../../base/safe-text.ts';
import { asUuid, type Uuid } from '../../base/uuid.ts';
import type { Target } from '../../run/plan.ts';
import { type InputReader, quotedList } from './input-reader.ts';

/**
 * The output `job-id` contains the ids of all runs, at 37 bytes each. Later steps read it from an environment variable,
 * which Linux limits to 128 KiB.
 */
const MAX_RUNS = 1_000;

/** Reads the inputs `pipeline` and `job-id`: pipelines to trigger, runs to wait for, or one run to resume. */
export function readTargets(read: InputReader): readonly Target[] {
  const pipelines = read.list('pipeline');
  const jobIds = readJobIds(read);
  if (!read.isGiven('pipeline') && !read.isGiven('job-id')) {
    read.mistake(
      'pipeline',
      "is empty. Write a pipeline's API name, its name or its UUID, or give job-id to await a run that exists.",
    );
  }
  checkLines(read, 'pipeline', pipelines);
  checkLines(read, 'job-id', jobIds);
  const [pipeline] = pipelines;
  const [jobId] = jobIds;
  if (pipeline === undefined) return jobIds.map((id) => ({ kind: 'job', jobId: id }));
  if (jobId === undefined) return pipelines.map((each) => ({ kind: 'pipeline', pipeline: each }));
  if (pipelines.length > 1 || jobIds.length > 1) {
    read.mistake(
      'job-id',
      `names ${counted(jobIds.length, 'run')} beside ${counted(pipelines.length, 'pipeline')}. To resume, write one run and one pipeline; to await runs, leave out pipeline.`,
    );
  }
  return [{ kind: 'resume', pipeline, jobId }];
}

/** Whether the step only waits for existing runs. */
export function areExistingRuns(targets: readonly Target[]): boolean {
  return targets.length > 0 && targets.every(({ kind }) => kind === 'job');
}

export function readJobIds(read: InputReader): Uuid[] {
  const lines = read.list('job-id');
  const wrong = lines.filter((line) => asUuid(line) === undefined);
  if (wrong.length > 0) {
    const shown = quotedList(wrong, 80);
    read.mistake('job-id', `has ${shown}. Write ids of runs, one per line, as the output job-id gives them.`);
  }
  return lines.flatMap((line) => asUuid(line) ?? []);
}

/** Refuses too many lines and identical ones. Two spellings of one pipeline are found when the names are resolved. */
function checkLines(read: InputReader, name: 'pipeline' | 'job-id', lines: readonly string[]): void {
  if (lines.length > MAX_RUNS) {
    read.mistake(name, `has ${lines.length} lines. Write at most ${MAX_RUNS}, and a step for the others.`);
  }
  const twice = lines.find((line, index) => lines.indexOf(line) !== index);
  if (twice !== undefined) read.mistake(name, `has ${quoted(twice, 80)} more than once. Write it once.`);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
