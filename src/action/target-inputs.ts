import { quoted } from '../base/safe-text.ts';
import { asUuid, type Uuid } from '../base/uuid.ts';
import type { Target } from '../run/plan.ts';
import { type InputReader, listed } from './input-reader.ts';

/**
 * Runs in one step at most. All of their ids stand in one output, which is an environment variable to a later step:
 * 37 bytes each, and Linux takes no variable of more than 128 KiB. The state, some 550 bytes a run, has a bound too.
 */
const MOST_RUNS = 1_000;

/** What the step is to see to: pipelines to trigger, runs to await, or one run to resume. */
export function readTargets(read: InputReader): readonly Target[] {
  const pipelines = read.lines('pipeline');
  const jobIds = readJobIds(read);
  if (!read.isGiven('pipeline') && !read.isGiven('job-id')) {
    read.mistake(
      'pipeline',
      "is empty. Write a pipeline's API name, its name or its UUID, or give job-id to await a run that exists.",
    );
  }
  refuseTooManyOrTwice(read, 'pipeline', pipelines);
  refuseTooManyOrTwice(read, 'job-id', jobIds);
  const [pipeline] = pipelines;
  if (pipeline === undefined) return jobIds.map((jobId) => ({ kind: 'job', jobId }));
  const [jobId, another] = jobIds;
  if (jobId === undefined) return pipelines.map((each) => ({ kind: 'pipeline', pipeline: each }));
  if (pipelines.length > 1 || another !== undefined) {
    read.mistake(
      'job-id',
      `names ${counted(jobIds.length, 'run')} beside ${counted(pipelines.length, 'pipeline')}. To resume, write one run and one pipeline; to await runs, leave out pipeline.`,
    );
  }
  return [{ kind: 'resume', pipeline, jobId }];
}

export function readJobIds(read: InputReader): Uuid[] {
  const lines = read.lines('job-id');
  const wrong = lines.filter((line) => asUuid(line) === undefined);
  if (wrong.length > 0) {
    const shown = listed(
      wrong.map((line) => quoted(line, 80)),
      'and',
    );
    read.mistake('job-id', `has ${shown}. Write ids of runs, one per line, as the output job-id gives them.`);
  }
  return lines.flatMap((line) => asUuid(line) ?? []);
}

/** The same pipeline in two spellings is found out later, once the names are known. */
function refuseTooManyOrTwice(
  read: InputReader,
  name: 'pipeline' | 'job-id',
  lines: readonly string[],
): void {
  if (lines.length > MOST_RUNS) {
    read.mistake(name, `has ${lines.length} lines. Write at most ${MOST_RUNS}, and a step for the others.`);
  }
  const twice = lines.find((line, index) => lines.indexOf(line) !== index);
  if (twice !== undefined) read.mistake(name, `has ${quoted(twice, 80)} more than once. Write it once.`);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
