import type { Clock } from '../base/clock.ts';
import { formatDuration } from '../base/duration.ts';
import { neutral, oneLine } from '../base/safe-text.ts';
import type { StepEvent } from '../run/events.ts';
import type { OnStop, Plan } from '../run/plan.ts';
import type { RunState } from '../run/run-state.ts';
import type { Stop } from '../run/stop.ts';
import type { Account } from '../service/api.ts';
import type { Settings } from './inputs.ts';
import { endedHow, failureOf, nameOf, reasonOf, runOf } from './words.ts';

/** A sign of life while nothing changes: every three minutes at first, later a fifth of the time so far, in ms. */
const FIRST_SIGN_MS = 180_000;
const RAREST_SIGN_MS = 900_000;

export interface Log {
  readonly line: (text: string) => void;
  event(event: StepEvent): void;
}

/** The live log: a line per change, with the time since the run's trigger. Never inside a collapsed group. */
export function createLog(
  settings: Settings,
  clock: Clock,
  print: (line: string) => void,
  runs: readonly RunState[],
): Log {
  const lastWords = new Map<RunState, number>();
  let account: Account | undefined;
  const line = (text: string): void => print(neutral(text));
  const since = (run: RunState): number => clock.now() - (run.startedAt ?? clock.now());
  const about = (run: RunState, text: string): void => {
    lastWords.set(run, clock.now());
    line(`[${formatDuration(wholeSeconds(since(run)))}] ${nameOf(run)}: ${text}`);
  };
  const still = (run: RunState): void => {
    const quiet = clock.now() - (lastWords.get(run) ?? -Infinity);
    const sign = Math.min(RAREST_SIGN_MS, Math.max(FIRST_SIGN_MS, since(run) / 5));
    if (quiet >= sign) about(run, `still ${oneLine(run.status ?? '', 60)}`);
  };
  const event = (event: StepEvent): void => {
    switch (event.type) {
      case 'connected':
        account = event.account;
        return;
      case 'resolved':
        for (const text of announcement(settings, account, event.runs)) line(text);
        return;
      case 'retry':
        line(
          `${failureOf(event.problem)} ${event.mayDouble ? 'retry-trigger is always: it' : 'It'} is tried again in ${formatDuration(event.inMs)}.`,
        );
        return;
      case 'named':
        line(`${event.run.pipeline?.id ?? ''} is the pipeline ${nameOf(event.run)}.`);
        return;
      case 'queued':
        about(event.run, `run ${event.run.jobId ?? ''} is queued`);
        return;
      case 'attached':
        about(event.run, attachedWords(event.run));
        return;
      case 'not_resumed':
        about(event.run, `the run ${event.job.id} ${endedHow(event.job.status)}, so a new one is triggered`);
        return;
      case 'status':
        about(event.run, `${change(event.run, event.from, event.known)}${countOver(event.run, runs)}`);
        return;
      case 'still':
        still(event.run);
        return;
      case 'read_failed':
        about(event.run, `${failureOf(event.problem)} ${outage(event.sinceMs, settings.plan)}`);
        return;
      case 'contact_again':
        about(event.run, `in contact again after ${formatDuration(event.afterMs)}`);
        return;
      case 'stopping':
        line(stopping(event.stop, event.runs));
        return;
      case 'settle_failed':
        about(event.run, `${failureOf(event.problem)} It is tried again.`);
        return;
      case 'ledger_failed':
        line(`Could not write down what happened to ${runOf(event.run)}: ${oneLine(event.reason)}.`);
        return;
      case 'over':
      case 'report_due':
    }
  };
  return { line, event };
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}

function change(run: RunState, from: string | undefined, known: boolean): string {
  const to = oneLine(run.status ?? '', 60);
  const said = run.statusMessage === null ? '' : oneLine(run.statusMessage, 300);
  const arrow = from === undefined ? to : `${oneLine(from, 60)} → ${to}`;
  const note = known ? '' : ' (a status unknown to this version: taken as still in progress)';
  return `${arrow}${said === '' ? '' : `: ${said}`}${note}`;
}

/** How far several runs are, where one of them has ended. */
function countOver(run: RunState, runs: readonly RunState[]): string {
  if (runs.length === 1 || run.standing.at !== 'ended') return '';
  return ` (${runs.filter(({ standing }) => standing.at === 'ended').length} of ${runs.length} ended)`;
}

function attachedWords(run: RunState): string {
  const now =
    run.status === undefined ? 'is awaited' : `is awaited; its status is ${oneLine(run.status, 60)}`;
  return run.target.kind === 'job' ? now : `the run ${run.jobId ?? ''} ${now}; no other one is triggered`;
}

function outage(sinceMs: number, plan: Plan): string {
  return `No good answer for ${formatDuration(sinceMs)}, given up after ${formatDuration(plan.maxOutageMs)}; the run itself goes on.`;
}

function stopping(stop: Stop, runs: readonly RunState[]): string {
  const open = runs.filter(({ standing }) => standing.at === 'in_progress');
  const inFlight = runs.filter(({ standing }) => standing.at === 'triggering');
  const waits = inFlight.length === 0 ? '' : ' A trigger is on its way: its answer is awaited first.';
  if (open.length === 0) return `${reasonOf(stop)}.${waits}`;
  const which = open.map(runOf).join(', ');
  const does = stop.policy === 'cancel' ? 'is being cancelled' : 'is left running';
  return `${reasonOf(stop)}: ${which} ${does}.${waits}`;
}

/** What will run, where, and what a cancel would do: before anything is triggered. */
function announcement(settings: Settings, account: Account | undefined, runs: readonly RunState[]): string[] {
  const { plan, baseUrl } = settings;
  const region =
    account?.region === null || account === undefined ? '' : `, region ${oneLine(account.region, 60)}`;
  return [
    ...runs.slice(0, MOST_NAMED).map(targetWords),
    ...(runs.length > MOST_NAMED ? [`… and ${runs.length - MOST_NAMED} more`] : []),
    `Service: ${baseUrl.href}, API ${account?.apiUrl.href ?? ''}${region}`,
    `Options: ${plan.fullResync ? 'full resync' : 'incremental sync'}${plan.resetTarget ? ', tables dropped and made anew' : ''}`,
    plan.wait ? waitWords(plan) : 'Waits: no; the run is triggered and not awaited',
    `On cancel: ${policyWords(plan.onCancel)}`,
  ];
}

/** So many pipelines are named one by one; a longer list would hide what stands below it. */
const MOST_NAMED = 30;

function targetWords(run: RunState): string {
  if (run.target.kind === 'job') return `Run: ${run.target.jobId}`;
  const resumed = run.target.kind === 'resume' ? `, unless the run ${run.target.jobId} can be taken` : '';
  return `Pipeline: ${nameOf(run)}${uuidBeside(run)}${resumed}`;
}

function uuidBeside(run: RunState): string {
  const id = run.pipeline?.id ?? '';
  return id === nameOf(run).toLowerCase() ? '' : ` (${id})`;
}

function waitWords(plan: Plan): string {
  const limit =
    plan.timeoutMs === undefined
      ? 'no time limit'
      : `at most ${formatDuration(plan.timeoutMs)}, then ${policyWords(plan.onTimeout)}`;
  const queue =
    plan.queueTimeoutMs === undefined ? '' : `; at most ${formatDuration(plan.queueTimeoutMs)} in the queue`;
  return `Waits: until the run is over, read every ${formatDuration(plan.pollIntervalMs)}; ${limit}${queue}`;
}

function policyWords(policy: OnStop): string {
  return policy === 'cancel' ? 'the run is cancelled' : 'the run is left running';
}
