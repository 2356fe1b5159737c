/*
 * What the checks know about one step: what its inputs ask for, what each response meant, and what each process could know
 * at any moment. Everything comes from the history; the checks share no code with the action.
 */
import { type Job, stateAt } from '../../../sandbox/model/index.ts';
import type { History, Instant, ProcessHistory, RequestHistory, StepHistory } from '../history.ts';
import type { Scenario, StepSpec } from '../scenario.ts';

const FINAL = ['completed', 'completed_with_warning', 'failed', 'cancelled', 'timed_out', 'skipped'];

export function isFinal(status: string): boolean {
  return FINAL.includes(status);
}

/** Returns what the inputs of a step ask for. Times are in milliseconds. */
export function wantedBy({ inputs, task }: Pick<StepSpec, 'inputs' | 'task'>) {
  const input = (name: string, otherwise: string): string => {
    const value = inputs[name] ?? '';
    return value === '' ? otherwise : value;
  };
  const list = (name: string, otherwise: string): string[] => input(name, otherwise).split(/[\s,]+/);
  const policy = task === 'await' ? 'leave' : 'cancel';
  const waits = input('wait', 'true') === 'true';
  return {
    pollMs: msOf(input('poll-interval', '30s')),
    timeoutMs: msOf(input('timeout', '')),
    queueTimeoutMs: waits ? msOf(input('queue-timeout', '')) : Infinity,
    onTimeout: input('on-timeout', policy),
    onCancel: input('on-cancel', policy),
    succeedOn: list('succeed-on', 'completed, completed_with_warning, skipped'),
    retryOn: list('retry-on', 'failed, timed_out'),
    maxAttempts: waits ? Number(input('max-attempts', '1')) : 1,
    retryDelayMs: msOf(input('retry-delay', '1m')),
    maxParallel: waits ? Number(input('max-parallel', 'Infinity')) : Infinity,
    failFast: input('fail-fast', 'false') === 'true',
    mayRepeat: input('on-lost-response', 'fail') === 'retry',
    maxOutageMs: msOf(input('max-outage', '15m')),
    waits,
  };
}

function msOf(text: string): number {
  if (text === '') return Infinity;
  const units: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1_000 };
  return [...text.matchAll(/(\d+)([hms])/g)].reduce((sum, [, n, unit = '']) => sum + Number(n) * (units[unit] ?? 0), 0);
}

/** Returns the key or the token of a request. */
export function bearerOf({ headers }: RequestHistory): string {
  return headers['authorization']?.replace(/^Bearer /, '') ?? '';
}

/** What a response, or the lack of one, means for its request. */
export type Meaning =
  | { readonly is: 'token' | 'none' | 'list' | 'no_credits' }
  | { readonly is: 'id'; readonly id: string }
  | { readonly is: 'row'; readonly status: string }
  /** The service or a gateway rejected the request. */
  | { readonly is: 'refused' }
  /** The service provably did not process the request. */
  | { readonly is: 'unsent' }
  /** The service may have processed the request. */
  | { readonly is: 'unclear' };

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

export function meaningOf({ answer, call, connected, subject }: RequestHistory): Meaning {
  if (answer === undefined || answer.kind === 'aborted') return { is: connected === undefined ? 'unsent' : 'unclear' };
  if (answer.kind === 'unanswered') return { is: answer.connected ? 'unclear' : 'unsent' };
  const { body, status, text } = answer;
  if (status === 401 || status === 429 || (status >= 300 && isUnsentByCode(call, text))) return { is: 'unsent' };
  if (status >= 500) return { is: 'unclear' };
  if (status >= 300) return { is: 'refused' };
  const value = parsed(text);
  switch (call) {
    case 'trigger':
      if (value === null) return { is: body === 'complete' ? 'no_credits' : 'unclear' };
      return typeof value === 'string' && UUID.test(value) ? { is: 'id', id: value } : { is: 'unclear' };
    case 'exchange':
      return {
        is:
          isObject(value) && typeof value['token'] === 'string' && /^[!-~]+$/.test(value['token'])
            ? 'token'
            : 'refused',
      };
    case 'list':
      return { is: isList(value) ? 'list' : 'unclear' };
    default: {
      if (!Array.isArray(value)) return { is: 'unclear' };
      const row: unknown = value[0];
      if (row === undefined) return { is: 'none' };
      const isRight =
        value.length === 1 && isObject(row) && row['id'] === subject && typeof row['job_status'] === 'string';
      return isRight ? { is: 'row', status: String(row['job_status']) } : { is: 'unclear' };
    }
  }
}

/** Before any SQL was executed, or about a schema that a request does not fit, which no exchange has. */
function isUnsentByCode(call: RequestHistory['call'], text: string): boolean {
  const value = parsed(text);
  const code = isObject(value) ? value['code'] : undefined;
  if (code === 'PGRST301') return call === 'trigger';
  return code === 'PGRST000' || code === 'PGRST002' || (code === 'PGRST202' && call !== 'exchange');
}

/** The service refused the token of a request, or denied access, so another token may help. */
export function isTokenDoubted({ answer }: RequestHistory): boolean {
  if (answer?.kind !== 'answered') return false;
  return (
    answer.status === 401 ||
    (isObject(parsed(answer.text)) && (answer.status === 403 || /PGRST301|JWT/.test(answer.text)))
  );
}

function isList(value: unknown): boolean {
  const isRow = (row: unknown): boolean => isObject(row) && typeof row['pipeline_id'] === 'string';
  return Array.isArray(value) && (value.length === 0 || value.some(isRow));
}

/** Returns the ids of the pipelines in a response. */
export function idsInList({ answer }: RequestHistory): string[] {
  const rows = answer?.kind === 'answered' ? parsed(answer.text) : undefined;
  return (Array.isArray(rows) ? rows : []).flatMap((row: unknown) =>
    isObject(row) && typeof row['pipeline_id'] === 'string' ? row['pipeline_id'] : [],
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** A run of the step: one that existed before, or one that a trigger queued. */
export interface RunFacts {
  readonly job: Job;
  readonly id: string;
  readonly isGiven: boolean;
  /** The number of its target. */
  readonly number: number;
  /** Whether the run is unfinished when the scenario has ended. */
  readonly isLeft: boolean;
  /** When main learned the id, if it did. */
  readonly known: Instant | undefined;
  /** The first response in which a process saw a final status. */
  readonly finalSeen: Readonly<Record<'main' | 'post', (Instant & { readonly status: string }) | undefined>>;
}

/** A pipeline to trigger, or an existing run to wait for. */
export interface TargetFacts {
  readonly number: number;
  readonly pipelineId: string;
  /** Whether main does not resume the existing run, because it had failed when main first saw it. */
  readonly isReplaced: boolean;
  /** What messages may call the pipeline. */
  readonly names: readonly string[];
  readonly triggers: readonly RequestHistory[];
  readonly runs: readonly RunFacts[];
}

export interface StepFacts {
  readonly history: History;
  readonly scenario: Scenario;
  readonly index: number;
  readonly spec: StepSpec;
  readonly wanted: ReturnType<typeof wantedBy>;
  readonly step: StepHistory;
  readonly main: ProcessHistory;
  readonly post: ProcessHistory | undefined;
  /** The post steps that may report its runs: its own, and those of other uses in the same composite. */
  readonly posts: readonly ProcessHistory[];
  readonly targets: readonly TargetFacts[];
  readonly runs: readonly RunFacts[];
  /**
   * The external events that stopped main, in order, each with the time when main noticed it: a signal, a closed
   * stdout, the mark, a dead runner.
   */
  readonly stops: readonly (Instant & { readonly by: string; readonly isHurried: boolean })[];
  /** When a post step left its mark for main. */
  readonly mark: Instant | undefined;
  /** Main decided on the outcome at this point, so what happens later cannot change it. */
  readonly decided: number;
  /** Main ended on its own, without an interruption, an error or a failed write. */
  readonly isCalm: boolean;
  /** The job was cancelled after the step had begun. */
  readonly isJobCancelled: boolean;
  /** When main sent its first request, from which `timeout` counts. */
  readonly begunAt: number;
  /** Whether a write of this role to this kind of file failed. */
  hasDiskFault(role: 'main' | 'post', ...files: readonly string[]): boolean;
  hadIncident(...what: readonly string[]): boolean;
}

/** Returns what is known about each step whose main process started. */
export function factsOf(history: History): StepFacts[] {
  return history.steps.flatMap((step, index) => {
    const spec = history.scenario.steps[index];
    const { main, post } = step;
    return spec === undefined || main === undefined ? [] : [factsOfStep(history, index, spec, step, main, post)];
  });
}

function factsOfStep(
  history: History,
  index: number,
  spec: StepSpec,
  step: StepHistory,
  main: ProcessHistory,
  post: ProcessHistory | undefined,
): StepFacts {
  const journal = main.writes.find(({ file }) => file === 'journal')?.path;
  // Without a state, the post step of another use in the same composite may leave the mark.
  const mark = history.steps
    .flatMap((each) => each.post?.writes ?? [])
    .find(({ failed, file, path }) => !failed && file === 'mark' && journal !== undefined && path.startsWith(journal));
  // No runner kills a process whose own runner is dead, or whose post step waits for it.
  const isHurried = !main.stops.some(({ by }) => by === 'mark' || by === 'runner');
  const stops = main.stops.map((stop) => ({ ...stop, isHurried })).sort((a, b) => a.order - b.order);
  const hasDiskFault: StepFacts['hasDiskFault'] = (role, ...files) => {
    const writes = (role === 'main' ? main : post)?.writes ?? [];
    return writes.some(({ failed, file }) => failed && (files.length === 0 || files.includes(file)));
  };
  const targets = targetsOf(history, index, spec, main, post, stops[0]?.order ?? Infinity);
  const siblings = history.steps.filter((_, other) => {
    const { runner } = history.scenario.steps[other] ?? spec;
    return runner.job === spec.runner.job && runner.action === spec.runner.action;
  });
  return {
    history,
    scenario: history.scenario,
    index,
    spec,
    wanted: wantedBy(spec),
    step,
    main,
    post,
    posts: siblings.flatMap((each) => each.post ?? []),
    targets,
    runs: targets.flatMap(({ runs }) => runs),
    stops,
    mark,
    decided: decidedAt(main),
    isCalm: isOrderly(main) && stops.length === 0 && main.errors.length === 0 && !hasDiskFault('main'),
    isJobCancelled: step.jobStatus === 'cancelled' && spec.runner.statusAtStart !== 'cancelled',
    begunAt: main.requests[0]?.sent.at ?? Infinity,
    hasDiskFault,
    hadIncident: (...what) => step.incidents.some((each) => what.includes(each.what)),
  };
}

function targetsOf(
  { endedAt, givenIds, pipelineIds, service }: History,
  index: number,
  spec: StepSpec,
  main: ProcessHistory,
  post: ProcessHistory | undefined,
  stopped: number,
): TargetFacts[] {
  return (pipelineIds[index] ?? []).map((pipelineId, number) => {
    const jobs = service.jobs.filter((job) => job.pipelineId === pipelineId);
    const triggers = main.requests.filter(({ call, subject }) => call === 'trigger' && subject === pipelineId);
    const pipeline = service.pipelines.find(({ id }) => id === pipelineId);
    const runs = jobs.map((job): RunFacts => {
      const isGiven = (givenIds[index] ?? []).includes(job.id);
      const response = triggers.find((each) => {
        const meaning = meaningOf(each);
        return meaning.is === 'id' && meaning.id === job.id;
      });
      return {
        job,
        id: job.id,
        isGiven,
        number,
        isLeft: !isFinal(stateAt(job, endedAt)?.status ?? 'queued'),
        known: isGiven ? main.started : response?.answered,
        finalSeen: { main: finalRow(main, job.id), post: finalRow(post, job.id) },
      };
    });
    const names = [pipelineId, pipeline?.name ?? '', pipeline?.apiName ?? ''].filter((name) => name !== '');
    const given = runs.find(({ isGiven }) => isGiven);
    const [first] = given === undefined || spec.task !== 'resume' ? [] : rowsOf(main, given.id);
    const { succeedOn, timeoutMs } = wantedBy(spec);
    const endsAt = (main.requests[0]?.sent.at ?? 0) + timeoutMs;
    // After the timeout, no new run can follow.
    const hasFailed =
      first !== undefined && first.at < endsAt && isFinal(first.status) && !succeedOn.includes(first.status);
    const isCancelled = main.requests.some(({ call, subject }) => call === 'cancel' && subject === given?.id);
    const [error] = main.errors;
    const isReplaced = hasFailed && first.order < Math.min(stopped, error?.order ?? Infinity) && !isCancelled;
    return { number, pipelineId, isReplaced, names, triggers, runs };
  });
}

function finalRow(process: ProcessHistory | undefined, id: string): (Instant & { status: string }) | undefined {
  for (const { at, order, status } of rowsOf(process, id)) if (isFinal(status)) return { at, order, status };
  return undefined;
}

/** Returns the rows of a run that a process received, in order. */
export function rowsOf(process: ProcessHistory | undefined, id: string): (Instant & { readonly status: string })[] {
  const rows = (process?.requests ?? []).flatMap((request) => {
    const meaning = request.subject === id && request.answered !== undefined ? meaningOf(request) : undefined;
    return meaning?.is === 'row' && request.answered !== undefined
      ? [{ ...request.answered, status: meaning.status }]
      : [];
  });
  return rows.sort((a, b) => a.order - b.order);
}

/** Whether a run to resume had not finished when main first saw it. */
export function wasResumed(main: ProcessHistory, id: string): boolean {
  const [first] = rowsOf(main, id);
  return first !== undefined && !isFinal(first.status);
}

/** Returns what a user can read: log lines, annotations, outputs and summaries. */
export function readableText({ step, main, posts }: StepFacts): string {
  return [textOf([main, ...posts]), ...Object.values(step.outputs), ...step.summaries].join('\n');
}

/** Returns the part of the processes' logs that the runner reads. */
export function textOf(processes: readonly ProcessHistory[]): string {
  const lines = processes.flatMap((each) => each.lines.filter(({ isRead, isDebug }) => isRead && !isDebug));
  const notes = annotationsOf(processes).map(({ message, title }) => `${title} ${message}`);
  return [...lines.map(({ text }) => text), ...notes].join('\n');
}

export function annotationsOf(processes: readonly ProcessHistory[]): ProcessHistory['annotations'] {
  return processes.flatMap(({ annotations }) => annotations.filter(({ isRead }) => isRead));
}

/** Whether the runner read everything that a process printed. */
export function isRead({ annotations, lines }: ProcessHistory): boolean {
  return [...annotations, ...lines].every((each) => each.isRead);
}

/** Without a state, post also settles the runs of other uses in the same composite, whose identity is the same. */
export function isShared(facts: StepFacts, id: string): boolean {
  const { history, index, main, spec, step } = facts;
  const owner = history.pipelineIds.findIndex((ids) =>
    history.service.jobs.some((job) => job.id === id && ids.includes(job.pipelineId)),
  );
  const other = history.scenario.steps[owner]?.runner;
  const isStateLost =
    !step.isStateKept ||
    facts.hadIncident('container_cancel') ||
    !main.writes.some(({ failed, file }) => file === 'state' && !failed);
  return owner !== index && isStateLost && other?.action === spec.runner.action && other.job === spec.runner.job;
}

/** Whether a process ended on its own, so its report must be correct. */
export function isOrderly(process: ProcessHistory | undefined): boolean {
  return process?.end?.how === 'exited' && process.end.code <= 1;
}

/** Whether the folder for temporary files is emptied at some time. All steps share it. */
export function isTempEmptied({ steps }: Scenario): boolean {
  return steps.some(({ runner }) => runner.temp === 'vanishes');
}

/** Main decides on the outcome before it writes it, or before it says that it could not write it. */
function decidedAt({ annotations, outputs }: ProcessHistory): number {
  const written = outputs.find(({ name }) => name === 'outcome');
  const unwritten = annotations.find(
    ({ level, message }) => level === 'error' && message.startsWith('Could not write the outputs'),
  );
  return (written ?? unwritten)?.order ?? Infinity;
}
