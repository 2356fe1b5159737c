import type { Annotation } from '../support/action.ts';
import { JOB } from '../support/service.ts';
import type { CallName } from './fault.ts';
import { wordsFor } from './fault-words.ts';
import type { FaultName } from './faults.ts';
import { callOf, type Phase } from './step-cell.ts';

const ATTEMPTED: Readonly<Record<CallName, string>> = {
  exchange: 'exchange the API key for a token',
  list: 'list the pipelines',
  trigger: 'trigger the run',
  read: 'read the status of the run',
  cancel: 'cancel the run',
};

const RUN = `run ${JOB} of Orders`;
const AGAIN = 'The problem may be temporary: run this step again later.';
const NO_ID = 'The step did not trigger it again, and cannot cancel it without its id.';
const LOOK_FIRST =
  'Before you run this step again, check the runs of this pipeline in the application: a second trigger queues a second run.';
const GO_ON = `To wait for it again, run a step with job-id: ${JOB}. Running this step again triggers a second run.`;
const HEARTBEAT = 'Its agent stops at the next heartbeat, within seconds.';

interface Words {
  /** Where it is not what the call attempts. */
  readonly attempted?: string;
  readonly cause: string;
  readonly help?: string | undefined;
}

/** Failures that are not of the connection or the answer, but of what the answer means. */
const MEANINGS: Readonly<Record<string, Words>> = {
  'empty array × list': {
    attempted: 'find the pipeline "orders"',
    cause: 'this API key has access to no pipeline',
    help: 'Check that the API key belongs to the right workspace.',
  },
  'JSON null × trigger': {
    cause: 'the account is out of sync credits',
    help: 'Add credits to the account of this API key, then run the pipeline again.',
  },
  'empty array × read': {
    cause: 'the workspace of this API key has no run with this id',
    help: 'Check the id, and that the API key belongs to the workspace of the run.',
  },
  'empty array × cancel': { cause: 'the service changed nothing, and the run was not seen to finish' },
};

/**
 * Everything that a step with this fault and this outcome has to say: the annotations, word for word.
 * `often`: what is said of how often it was tried, or how long it lasted.
 */
export function annotationsOf(fault: FaultName, phase: Phase, outcome: string, often: string): Annotation[] {
  if (outcome === 'succeeded') return [];
  const call = callOf(phase);
  const { attempted = ATTEMPTED[call], cause, help } = wordsOf(fault, call);
  const failure = `Could not ${attempted}: ${cause}${often}.`;
  if (phase === 'exchange' || phase === 'list') {
    const message = `${failure} No run was queued. ${help ?? AGAIN}`;
    return [{ level: 'error', title: 'run-pipeline: nothing was triggered', message }];
  }
  const lines = {
    not_triggered: [`No run of Orders was triggered. ${failure}`, 'No run was queued.', help ?? AGAIN],
    unknown: [
      `A run of Orders may be in progress, because its trigger was not confirmed: ${cause}.`,
      NO_ID,
      LOOK_FIRST,
    ],
    lost: [`Lost contact with ${RUN}. ${failure}`, 'It was not cancelled, and may still be in progress.', help, GO_ON],
  }[outcome];
  return lines === undefined ? [] : [{ level: 'error', title: 'run-pipeline: Orders', message: joined(lines) }];
}

/** The same for a run that was to be cancelled, by whether that was confirmed. */
export function cancelAnnotations(fault: FaultName, phase: Phase, confirmed: boolean): Annotation[] {
  const timeout = phase === 'cancel';
  const why = timeout ? 'Step timed out after 5m' : 'Step interrupted (SIGINT)';
  const longer = timeout ? 'If the run needs more time, set a longer timeout.' : undefined;
  const title = 'run-pipeline: Orders';
  if (confirmed) {
    const message = joined([`${why}: ${RUN} was cancelled TIME.`, HEARTBEAT, longer]);
    return [{ level: timeout ? 'error' : 'notice', title, message }];
  }
  const { cause, help } = wordsOf(fault, 'cancel');
  const message = joined([
    `${why}: the cancel of ${RUN} was not confirmed, and the run may still be in progress.`,
    `Could not cancel the run: ${cause}.`,
    help,
    'The post step tries again at the end of the job.',
    longer,
  ]);
  return [{ level: 'error', title, message: timeless(message) }];
}

function wordsOf(fault: FaultName, call: CallName): Words {
  return MEANINGS[`${fault} × ${call}`] ?? wordsFor(fault, call);
}

/** How long a try or a cancel took depends on how much time was left: no part of the words. */
export function timeless(text: string): string {
  return text
    .replace(/within \d[\d.]*m?s(?: \d+s)?/g, 'within TIME')
    .replace(/(?<=was cancelled )(?:immediately|after [\dms. ]*s)/, 'TIME');
}

function joined(lines: readonly (string | undefined)[]): string {
  return lines.filter((line) => line !== undefined).join('\n');
}
