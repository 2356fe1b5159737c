import type { Clock } from '../../../base/clock.ts';
import { formatDuration } from '../../../base/duration.ts';
import { sentences } from '../../../base/file-errors.ts';
import { neutral, oneLine } from '../../../base/safe-text.ts';
import type { Change, News } from '../../../run/state/ledger.ts';
import { begunAt, isOpen, type RunState } from '../../../run/state/run-state.ts';
import type { Account, Problem } from '../../../service/api.ts';
import type { Settings } from '../../inputs/settings.ts';
import { endingOf } from '../endings.ts';
import { endedHow, failureOf, nameOf, runOf, statusWord } from '../words.ts';
import { announcement } from './announcement.ts';
import { beginningWords, changeWords, endedOf, lineAbout, outageWords, signAfterMs, stoppingWords } from './lines.ts';
import { logOfMany } from './log-many.ts';

/** With at most this many runs, the log shows every change of each run. */
const FEW = 20;

/** Maximum number of runs without a final status to log before the final report, which lists all of them. */
const MOST_WITHOUT_END = 20;

/** Creates the live log, which shows the plan and the changes with their times, and never uses collapsed groups. */
export function createLog(settings: Settings, clock: Clock, print: (line: string) => void, runs: readonly RunState[]) {
  let account: Account | undefined;
  let withoutEnd = 0;
  const line = (text: string): void => print(neutral(text));
  const ofRuns = (runs.length > FEW ? logOfMany : logOfFew)(settings, clock, line, runs);
  const about = (run: RunState, text: string): void => line(lineAbout(run, clock.now(), text));
  const retryWords = (problem: Problem, inMs: number, why = ''): string =>
    `${failureOf(problem)} Retrying in ${formatDuration(inMs)}${why}.`;
  const change = ({ fact, run, unwritten }: Change): void => {
    if (unwritten !== undefined) {
      const what = `Could not update the record of ${runOf(run)}: ${oneLine(unwritten.reason)}.`;
      line(sentences(what, unwritten.remedy));
    }
    if ('retryInMs' in fact && fact.retryInMs !== undefined && fact.problem !== undefined) {
      const why = fact.kind === 'unknown' ? ', because on-lost-response is retry, so several runs may be queued' : '';
      about(run, retryWords(fact.problem, fact.retryInMs, why));
    }
    if (fact.kind === 'not_resumed' && fact.job !== undefined) {
      about(run, `run ${fact.job.id} ${endedHow(fact.job.status)}, so the step triggers a new one`);
    }
  };
  const observe = (news: News): void => {
    if (!('notice' in news)) {
      change(news);
      ofRuns(news);
      return;
    }
    switch (news.notice) {
      case 'connected':
        account = news.account;
        return;
      case 'ready':
        for (const text of announcement(settings, account, news.runs)) line(text);
        return;
      case 'retry':
        line(retryWords(news.problem, news.inMs));
        return;
      case 'stopping':
        line(stoppingWords(news.stop, news.runs));
        return;
      case 'run_done':
        ofRuns(news);
        if (!isUnreported(news.run) || withoutEnd >= MOST_WITHOUT_END || !runs.some(isOpen)) return;
        withoutEnd += 1;
        line(endingOf(news.run, settings.plan).line);
        return;
      case 'report_due':
        ofRuns(news);
    }
  };
  return { line, observe };
}

/**
 * Returns whether the log must still show how a run ended, because the step waits for other runs. Finished runs already
 * have a line in the log, and after a stop of all runs, the step ends and reports every run.
 */
function isUnreported({ phase, stop }: RunState): boolean {
  if (stop?.reason.kind === 'fail_fast') return stop.policy === 'await' && phase.at === 'not_queued';
  if (stop !== undefined) return stop.reason.kind === 'queue_timeout';
  return ['lost', 'unknown', 'not_queued', 'unsettled'].includes(phase.at);
}

/** Creates the log of a few runs: a line for each change, and an occasional line for each unchanged run. */
function logOfFew(
  settings: Settings,
  clock: Clock,
  line: (text: string) => void,
  runs: readonly RunState[],
): (news: News) => void {
  const { plan } = settings;
  const lastWords = new Map<RunState, number>();
  const troubles = new Map<RunState, string>();
  const about = (run: RunState, text: string): void => {
    lastWords.set(run, clock.now());
    line(lineAbout(run, clock.now(), text));
  };
  const isQuiet = (run: RunState): boolean => {
    const now = clock.now();
    return now - (lastWords.get(run) ?? -Infinity) >= signAfterMs(now - (begunAt(run) ?? now));
  };
  /** Logs a problem with a run, unless the log has recently mentioned the same problem. */
  const sayTrouble = (run: RunState, problem: Problem, means: string): void => {
    const trouble = failureOf(problem);
    if (troubles.get(run) === trouble && !isQuiet(run)) return;
    troubles.set(run, trouble);
    about(run, `${trouble} ${means}`);
  };

  return (news) => {
    if ('notice' in news) return;
    const { fact, before, run } = news;
    const beginning = beginningWords(news, settings);
    if (beginning !== undefined) about(run, beginning);
    switch (fact.kind) {
      case 'resolved':
        // The announcement already names every pipeline that was known at that time.
        if (before.pipeline !== undefined) line(`${fact.pipeline.id} is the pipeline ${nameOf(run)}.`);
        return;
      case 'seen':
      case 'finished':
        if (fact.confirming) return;
        if (before.outageSince !== undefined) {
          troubles.delete(run);
          about(run, `contact restored after ${formatDuration(clock.now() - before.outageSince)}`);
        }
        if (before.status !== run.status) {
          about(run, `${changeWords(run, before)}${fact.kind === 'finished' ? endedOf(runs, plan) : ''}`);
        } else if (isQuiet(run)) {
          const note = run.status === 'queued' ? ', because no agent has picked up the run yet' : '';
          about(run, `still ${statusWord(run.status)}${note}`);
        }
        return;
      case 'read_failed':
        if (fact.retryInMs !== undefined) return;
        sayTrouble(run, fact.problem, outageWords(fact.sinceMs, plan.maxOutageMs));
        return;
      case 'cancel_failed':
        sayTrouble(run, fact.problem, 'Retrying.');
        return;
      default:
    }
  };
}
