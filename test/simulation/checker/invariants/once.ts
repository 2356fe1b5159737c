// Main sends only permitted triggers, records each intent on disk beforehand, and records each id right afterwards.
import { ledgerOf } from '../../model/facts.ts';
import { isRepeatable } from '../endings.ts';
import { excuse, isKilledInWrite } from '../exemptions.ts';
import type { History, ObservedRequest, Run } from '../history.ts';
import { isFinal } from '../observed.ts';
import { TOLERANCE_MS } from '../time.ts';

export function once(history: History): string[] {
  const { facts, requests, runs } = history;
  const strays = requests.filter(
    ({ request: { on, call } }) => call === 'other' || (on === 'post' && (call === 'trigger' || call === 'list')),
  );
  return [
    ...strays.map(({ request }) => `${request.on} sent a ${request.call} to ${request.url}`),
    ...runs.flatMap((run) =>
      run.triggers.flatMap((trigger, index) => [
        ...wrongOrder(history, trigger),
        ...tooLate(history, run, trigger),
        ...unwanted(history, run, trigger, run.triggers[index - 1]),
      ]),
    ),
    ...(excuse('lost timer', facts.main.lostTimer) ? [] : runs.flatMap((run) => afterTimeout(run))),
  ];
}

/** A trigger requests exactly what the inputs specify, because `reset-target` drops tables. */
function wrongOrder({ facts }: History, { request }: ObservedRequest): string[] {
  const { inputs } = facts.spec;
  const wanted = JSON.stringify({
    p_pipeline_id: request.subject,
    p_job_type: 'pipeline_run',
    p_full_resync: inputs['full-resync'] === 'true',
    p_reset_target: inputs['reset-target'] === 'true',
  });
  return request.body === wanted ? [] : [`a trigger requested ${request.body} instead of ${wanted}`];
}

/** Main sends no trigger after a stop. One that is still connecting must not connect, because that would send it. */
function tooLate({ interrupted }: History, { stop, endings, pipeline }: Run, { request }: ObservedRequest): string[] {
  const name = `trigger ${request.nth} of ${pipeline.name}`;
  const { connectedStep = -1 } = request;
  const failedStep = stop?.why === 'fail_fast' && endings.length === 1 ? stop.step : Infinity;
  const stops = [
    { from: interrupted?.step ?? Infinity, why: `the interruption by ${interrupted?.name ?? ''}` },
    { from: failedStep + 1, why: 'another run had failed' },
  ];
  return stops.flatMap(({ from, why }) => [
    ...(request.step >= from ? [`${name} was sent after ${why}`] : []),
    ...(connectedStep >= from ? [`${name} was connected after ${why}`] : []),
  ]);
}

/** Main sends no trigger after a timeout, unless the timer never fires. */
function afterTimeout({ stop, triggers, pipeline }: Run): string[] {
  if (stop?.why !== 'timeout') return [];
  const lastMs = stop.atMs + TOLERANCE_MS;
  return triggers
    .filter(({ request }) => request.atMs > lastMs || (request.connectedAtMs ?? 0) > lastMs)
    .map(({ request }) => `trigger ${request.nth} of ${pipeline.name} was sent or connected after the timeout`);
}

/** A trigger is unwanted if its run exists or may exist, if the mode forbids it, or if it is not the run's turn. */
function unwanted(history: History, run: Run, { request }: ObservedRequest, before?: ObservedRequest): string[] {
  const { policy, facts } = history;
  const { knowledge, pipeline } = run;
  const { mode } = facts.spec;
  const { nth, step } = request;
  const found: string[] = [];
  if (mode === 'attach' || mode === 'dry_run') found.push('although the mode does not permit triggers');
  if (knowledge.is === 'known' && knowledge.id === pipeline.earlier) found.push('although main awaits an existing run');
  if (mode === 'resume' && !hasFailed(history, pipeline.earlier, step)) {
    found.push('although the earlier run may still be running');
  }
  if (inProgress(history, run, step) >= policy.maxParallel) found.push('before its turn');
  if (before !== undefined && !isRepeatable(before.observed, policy))
    found.push(`after a trigger whose result is ${before.observed.kind}`);
  return found.map((what) => `trigger ${nth} of ${pipeline.name} was sent ${what}`);
}

function hasFailed({ requests, policy }: History, id: string | undefined, beforeStep: number): boolean {
  return requests.some(
    ({ request, observed, step }) =>
      request.subject === id &&
      step <= beforeStep &&
      observed.kind === 'row' &&
      isFinal(observed.status) &&
      !policy.succeedOn.includes(observed.status),
  );
}

/** How many other runs of the step are in progress at this moment. */
function inProgress({ runs, policy }: History, run: Run, step: number): number {
  return runs.filter((other) => {
    const [first] = other.triggers;
    if (other === run || first === undefined || first.request.step >= step) return false;
    if (other.knowledge.is !== 'known') return other.triggers.every((trigger) => trigger.step > step);
    if (!policy.wait || other.lost.step <= step) return false;
    return (other.ended?.step ?? Infinity) > step && other.stop === undefined;
  }).length;
}

/** Main records an action before performing it, and records the result right afterwards. */
export function written(history: History): string[] {
  return history.runs.flatMap((run) => [
    ...run.triggers.flatMap((trigger, index) => intended(history, run, trigger, index + 1)),
    ...known(history, run),
  ]);
}

/** Main writes a separate intent for each trigger to a file before sending the trigger. */
function intended({ facts }: History, { pipeline }: Run, { request }: ObservedRequest, nth: number): string[] {
  const before = ledgerOf(facts).filter(
    ({ effect, text, failed }) => effect < request.effect && !failed && text.includes(pipeline.id),
  );
  const isIntended = before.some(({ path }) => before.filter((one) => one.path === path).length >= nth);
  return isIntended ? [] : [`trigger ${nth} of ${pipeline.name} was sent before its intent was recorded`];
}

/** Main writes the id to its records before writing anything else, and then to the outputs of a single run. */
function known({ facts, runs }: History, { knowledge, triggers }: Run): string[] {
  if (knowledge.is !== 'known') return [];
  const observed = triggers.find(({ step }) => step === knowledge.step)?.request.over;
  if (observed === undefined) return [];
  const ledger = ledgerOf(facts);
  const after = facts.writes.filter(({ process, effect }) => process === 'main' && effect > observed.effect);
  const [first] = after;
  const shown = after.find((write) => !ledger.includes(write));
  if ((first === undefined || shown === undefined) && isKilledInWrite(facts, knowledge.step)) return [];
  if (first === undefined) return ['main never recorded the id of the run'];
  const has = (write: typeof shown): boolean => write?.text.includes(knowledge.id) === true;
  const isShown = runs.length > 1 || (shown?.path === facts.paths.output && has(shown));
  return [
    ...(ledger.includes(first) && has(first) ? [] : [`main wrote something else before the id: ${first.text.trim()}`]),
    ...(isShown ? [] : [`main wrote something else before the output job-id: ${shown?.text.trim() ?? ''}`]),
  ];
}
