/** A step as plain data, which the runners in real processes and in virtual time play in the same way. */
import type { CallKind, Fault, RequestFault, Role } from '../faults.ts';
import type { JobStatus } from './action.ts';
import type { Mode, ModeName } from './modes.ts';

type Texts = Readonly<Record<string, string>>;

/** What both runners understand. Each runner adds the faults and the incidents that only it can play. */
export interface StepDescription<OneFault extends Fault = RequestFault, OneIncident = Incident> {
  /** The inputs that the workflow sets, apart from the key and the address. */
  readonly inputs?: Texts;
  readonly faults?: readonly OneFault[];
  /** How its processes are ended. By default, they exit on their own. */
  readonly incidents?: readonly OneIncident[];
  readonly runner?: RunnerDescription;
}

/** A way to end or isolate a process, and the moment at which this happens if the process is still alive. */
export interface Incident<What = ModeName, When = Moment> {
  /** By default, main. */
  readonly on?: Role;
  readonly what: What;
  /** By default, when the process logs that a run is queued. */
  readonly at?: When;
}

export type Moment<Phase = 'connected' | 'processed' | 'answered'> =
  /** Since the process started. */
  | { readonly ms: number }
  /** Since the process printed a line that contains this text. */
  | { readonly line: string; readonly plusMs?: number }
  /** Since a phase of a request. `nth` counts the requests of the process with this call, from 1. */
  | { readonly call: CallKind; readonly nth: number; readonly phase: Phase; readonly plusMs?: number };

/** What a runner hands to post, and what it loses. */
export interface RunnerDescription {
  readonly losesState?: boolean;
  /** RUNNER_TEMP. `none`: it is not set. `vanishes`: the folder is emptied at the first incident, or else before post. */
  readonly temp?: 'kept' | 'vanishes' | 'none';
  /** The inputs of post. `without_inputs`: only the key and the address. */
  readonly post?: 'complete' | 'without_key' | 'without_inputs';
  /** The job's status in post, unless an incident changes it. By default, the exit code of main decides. */
  readonly statusAtEnd?: JobStatus;
}

export const QUEUED = { line: 'is queued' } as const satisfies Moment;

/** A run that is never picked up, so the log of an interrupted step does not depend on time. */
const UNPICKED = { pipeline: 'unpicked', 'poll-interval': '1h' } as const;

/** Returns the inputs of a step in a test, which has a default pipeline. */
export function inputsOf({
  incidents = [],
  inputs,
}: Pick<StepDescription<Fault, unknown>, 'incidents' | 'inputs'>): Texts {
  return { ...(incidents.length === 0 ? { pipeline: 'orders' } : UNPICKED), ...inputs };
}

/** Returns the inputs that the runner hands to post. */
export function inputsOfPost(inputs: Texts, { post = 'complete' }: RunnerDescription): Texts {
  if (post === 'without_key') return { ...inputs, 'api-key': '' };
  if (post === 'complete') return inputs;
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => name === 'api-key' || name === 'base-url'));
}

/** Returns the status of a job after an incident. A cancelled job stays cancelled. */
export function statusAfter({ jobStatus }: Mode, status: JobStatus): JobStatus {
  return status === 'cancelled' ? status : (jobStatus ?? status);
}
