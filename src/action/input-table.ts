import { formatDuration } from '../base/duration.ts';
import type { Described } from '../report/outputs.ts';
import { isRetryable } from '../run/plan.ts';
import { MIN_POLL_INTERVAL_MS } from '../run/reads.ts';
import { FINAL_STATUSES } from '../service/statuses.ts';

interface Input extends Described {
  /** How the value is written. `InputReader` has a method for each type. */
  readonly type: 'text' | 'lines' | 'boolean' | 'duration' | 'count' | 'choice' | 'statuses';
  readonly required?: true;
  /** The action applies this default too, because reusable workflows and composite actions may pass empty values. */
  readonly default?: string;
  /** A default that the runner computes. */
  readonly expression?: string;
  /** The allowed words of a choice, or the allowed statuses of a list. */
  readonly values?: readonly string[];
  /** The highest allowed count. */
  readonly most?: number;
}

/**
 * The inputs of both actions, each declared only here. From these declarations, `npm run declare` writes the YAML files
 * and the tables in the documents. Defaults that depend on other inputs are in `inputs.ts`.
 */
export const INPUTS = {
  'api-key': {
    type: 'text',
    required: true,
    description: "The workspace's API key. Store it as a secret.",
    details:
      'Keys begin with ak_. By default, GitHub passes no secrets to pull requests from forks, and only Dependabot secrets to those from Dependabot.',
    cancel: "API key (`ak_…`) of the runs' workspace. Store it as a secret.",
  },
  'base-url': {
    type: 'text',
    required: true,
    description: 'URL of the application. `https` is required, except for loopback addresses.',
    details: 'Example: https://app.example.com.',
    cancel: 'URL of the application, such as `https://app.example.com`.',
  },
  pipeline: {
    type: 'lines',
    description: 'API names, names or UUIDs of pipelines, one per line. Required unless `job-id` is set.',
    page: 'docs/using.md#several-pipelines',
    details: 'The step triggers one run for each pipeline.',
  },
  'job-id': {
    type: 'lines',
    description:
      'Ids of existing runs to wait for, one per line. If the `pipeline` input is also set, enter the id of the run to resume.',
    page: 'docs/using.md#wait-for-existing-runs',
    details:
      'If that run has not finished, the step waits for it. If it had already finished with a status that is not in succeed-on, the step triggers a new one. If the pipeline input is empty, the step triggers nothing.',
    cancel: 'Ids of the runs to cancel, one per line. If this input is empty, the step prints a notice and succeeds.',
  },
  'full-resync': {
    type: 'boolean',
    default: 'false',
    description: 'Load all data, not only new data.',
    details: "This resets the pipeline's cursors.",
  },
  'reset-target': {
    type: 'boolean',
    default: 'false',
    description: '**Drop and recreate the destination tables** first.',
    page: 'docs/using.md#full-resync-and-reset',
    details: 'This cannot be undone. Requires full-resync and exactly one pipeline.',
  },
  wait: {
    type: 'boolean',
    default: 'true',
    description: 'Wait until the run has finished. If `false`, the step succeeds as soon as the run is queued.',
  },
  'poll-interval': {
    type: 'duration',
    default: '30s',
    description: `Time between status checks, at least ${formatDuration(MIN_POLL_INTERVAL_MS)}.`,
  },
  timeout: {
    type: 'duration',
    description: 'How long the step waits, from its first request. Default: no limit.',
    details:
      'When it expires, the step triggers no more runs, applies on-timeout to unfinished ones, and fails. With wait: false, queued runs continue, and the step fails only if it has not triggered all runs. In the job, set timeout-minutes at least 5 minutes higher, plus the time of earlier steps, so that the step can cancel the run.',
  },
  'queue-timeout': {
    type: 'duration',
    description: 'Maximum time that a run can stay `queued` without interruption. Default: no limit.',
    details:
      'When it expires, the step checks the status. If the run is still queued, the step applies on-timeout and fails.',
  },
  'on-timeout': {
    type: 'choice',
    values: ['cancel', 'leave'],
    description: 'What to do with the run after a timeout. Default: `cancel`, or `leave` if only `job-id` is set.',
  },
  'on-cancel': {
    type: 'choice',
    values: ['cancel', 'leave'],
    description:
      'What to do with the run if the workflow, job or step is cancelled or killed. Same default as `on-timeout`.',
  },
  'succeed-on': {
    type: 'statuses',
    values: FINAL_STATUSES,
    default: 'completed, completed_with_warning, skipped',
    description: 'Final statuses that count as success, separated by commas or line breaks.',
  },
  'max-attempts': {
    type: 'count',
    // At most ten, because a load that fails ten times needs a person's attention.
    most: 10,
    default: '1',
    description: 'Attempts per pipeline, including the first.',
    page: 'docs/using.md#retry-a-failed-run',
    details: 'Another attempt starts only if the run finishes with a status in retry-on.',
  },
  'retry-on': {
    type: 'statuses',
    values: FINAL_STATUSES.filter(isRetryable),
    default: 'failed, timed_out',
    description: 'Final statuses that lead to another attempt, separated by commas or line breaks.',
    details: 'Statuses in succeed-on are not allowed here. This input has no effect if max-attempts is 1.',
  },
  'retry-delay': { type: 'duration', default: '1m', description: 'Pause before the next attempt.' },
  'max-parallel': {
    type: 'count',
    description: 'Maximum number of pipelines that run at the same time. Default: all.',
  },
  'fail-fast': {
    type: 'boolean',
    default: 'false',
    description:
      'Once a pipeline has failed (after its last attempt), trigger no more runs and apply `on-cancel` to unfinished ones.',
  },
  'on-lost-response': {
    type: 'choice',
    values: ['fail', 'retry'],
    default: 'fail',
    description: 'What to do if the response to a trigger is lost. With `retry`, several runs can be queued.',
  },
  'max-outage': {
    type: 'duration',
    default: '15m',
    description: 'How long requests of one kind can keep failing before the step gives up.',
    page: 'docs/limits.md#outages',
    details: 'The step then fails. Existing runs continue.',
  },
  'run-url': {
    type: 'text',
    description: 'Template for links to runs, such as `https://app.example.com/runs/{job-id}`.',
    details: '{pipeline-id} is also allowed. The link appears in the log, annotations, summary and outputs.',
  },
  'dry-run': {
    type: 'boolean',
    default: 'false',
    description: 'Check the inputs, key and pipelines without triggering a run.',
    page: 'docs/using.md#dry-run',
  },
  summary: {
    type: 'boolean',
    default: 'true',
    description: 'Write a job summary.',
    details: 'This input also applies to the post step.',
  },
  'internal-job-status': {
    type: 'text',
    expression: '${{ job.status }}',
    description: 'Do not set this input. The action uses its default.',
  },
} as const satisfies Readonly<Record<string, Input>>;

type Inputs = typeof INPUTS;

export type InputName = keyof Inputs;

/** The names of the inputs that have a given type. */
export type NameOf<T extends Input['type']> = { [N in InputName]: Inputs[N]['type'] extends T ? N : never }[InputName];

/** The allowed words of a choice. */
export type ChoiceOf<N extends NameOf<'choice'>> = Inputs[N]['values'][number];

export const INPUT_NAMES = Object.keys(INPUTS) as readonly InputName[];

/** The inputs of the cancel action. */
export const CANCEL_INPUT_NAMES = INPUT_NAMES.filter((name) => declared(name).cancel !== undefined);

/** Returns the declaration of an input, typed with all optional parts. */
export function declared(name: InputName): Input {
  return INPUTS[name];
}
