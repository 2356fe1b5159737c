// Invariants for an execution whose loop drains, for a dry run, for a step with an invalid input, and after a signal.
import { excuse, isForAll, isRead } from '../exemptions.ts';
import { type History, outputsOf } from '../history.ts';
import { isUnwritten } from '../stored.ts';
import { heldByLookupsMs, stalledMs, TOLERANCE_MS } from '../time.ts';

/** If the loop drains, the step fails with exit code 1 and a complete report. */
export function drained({ facts, exited }: History): string[] {
  const { main, post } = facts;
  const found = post?.drained === true ? ['post drained'] : [];
  if (!main.drained) return found;
  if (!excuse('lost timer', main.lostTimer)) found.push('main drained');
  if (main.end?.code === 0) found.push('main drained and ended with exit code 0');
  if (!exited) return found;
  if (outputsOf(facts).get('outcome') === undefined) {
    found.push('main drained without an outcome');
  }
  const reports =
    main.observed.length > 0 ? main.annotations : main.annotations.filter((one) => one.level !== 'notice');
  if (reports.length === 0 && isRead(facts, 'main')) found.push('main drained and reported nothing');
  return found;
}

/** A dry run does everything except trigger runs, and reports whether it could have triggered them. */
export function dry({ facts, requests, interrupted, exited }: History): string[] {
  const found = requests
    .filter(({ request: { on, call } }) => on === 'main' && (call === 'trigger' || call === 'cancel'))
    .map(({ request }) => `a dry run sent a ${request.call}`);
  if (!exited) return found;
  const outcome = outputsOf(facts).get('outcome') ?? '';
  const code = facts.main.end?.code;
  // Main also looks up UUIDs, because a dry run reports whether they exist.
  const isWhole = ['token', 'list'].every((kind) => requests.some(({ observed }) => observed.kind === kind));
  if ((outcome === 'dry_run') !== (isWhole && interrupted === undefined)) found.push(`a dry run ended as ${outcome}`);
  if ((code === 0) !== (outcome === 'dry_run' && !isUnwritten(facts)))
    found.push(`a dry run with outcome ${outcome} exited with ${code}`);
  return found;
}

export function refused({ facts, exited }: History): string[] {
  const { main, post, requests } = facts;
  const outcome = outputsOf(facts).get('outcome');
  const code = main.end?.code;
  const isOfOthers = isForAll(facts);
  return [
    ...requests
      .filter(({ on }) => on === 'main' || !isOfOthers)
      .map(({ on, call }) => `${on} sent a request (${call}) although an input is invalid`),
    ...(isOfOthers ? [] : (post?.lines ?? [])).map(
      (text) => `post printed a line although an input is invalid: ${text}`,
    ),
    ...(exited && code !== 1 ? [`exit code ${String(code)} although an input is invalid`] : []),
    ...(exited && outcome !== 'not_triggered' ? [`the outcome is ${outcome ?? ''}`] : []),
  ];
}

/** After a signal, main exits as soon as it knows the final status of each run. */
export function prompt({ interrupted, facts, exited, runs }: History): string[] {
  const { main, spec, crashed } = facts;
  if (interrupted === undefined || main.end === undefined || !exited) return [];
  const lastMs = runs.map(({ knowledge, ended, triggers }) =>
    knowledge.is === 'known' ? (ended?.atMs ?? Infinity) : Math.max(0, ...triggers.map(({ atMs }) => atMs)),
  );
  const knownMs = Math.max(interrupted.atMs, ...lastMs);
  // Timers, any of which may be late, check whether the thread pool is busy. A dead runner leaves time for a flush.
  const isUnhurried = crashed.some(({ kind }) => kind === 'worker_killed');
  const lateMs = 2 * spec.clocks.main.timerLateMs + (isUnhurried ? UNHURRIED_FLUSH_MS : 0);
  const heldMs = stalledMs(facts, 'main', knownMs, main.end.atMs) + heldByLookupsMs(facts, 'main');
  const tookMs = Math.round(main.end.atMs - knownMs);
  return tookMs > spec.runner.flushMs + TOLERANCE_MS + lateMs + heldMs
    ? [`main kept running for ${tookMs} ms with nothing left to do`]
    : [];
}

/** The longest flush if no live runner has sent a signal. */
const UNHURRIED_FLUSH_MS = 5_000;
