import { fateOf } from '../expected-fate.ts';
import { type History, hasLostState } from '../history.ts';
import { isRead } from '../stdout-read.ts';

/**
 * A post with nothing to do does nothing: no request, no line.
 */
export function silence(history: History): string[] {
  const { facts } = history;
  const { post, main } = facts;
  if (post === undefined || !history.exited) return [];
  if ((main.end?.step ?? Infinity) > post.startedStep) return [];
  const open = history.runs.some((run) => {
    if (run.knowledge.is === 'doubt') return run.knowledge.pending;
    return run.ended === undefined && run.jobs.some((job) => fateOf(history, run, job).is !== 'leave');
  });
  // What could not be written down cannot be known to be over.
  const failed = facts.writes.some(({ failed }) => failed);
  // Without a state, it sees to all steps of its job.
  if (open || failed || (facts.hasNeighbours && hasLostState(facts))) return [];
  const sent = facts.requests.filter(({ on }) => on === 'post').length;
  const said = post.lines.length + post.annotations.length;
  // It repeats the warnings of a main that the runner had given up, or whose state it has lost.
  const mayRepeat = !isRead(facts, 'main') || hasLostState(facts);
  return sent > 0 || (said > 0 && !mayRepeat)
    ? [`post sent ${sent} requests and said ${said} things, with nothing to do`]
    : [];
}
