import type { History, RunHistory } from '../history.ts';
import { isReadEarly, statusesOf } from '../statuses.ts';

/** What the outputs say of a run is what the service said of it, at any moment at which they are read. */
export function partial(history: History, run: RunHistory): string[] {
  const { facts } = history;
  const { knowledge } = run;
  const outputs = facts.main.outputs;
  const id = outputs.get('job-id') ?? '';
  const status = outputs.get('job-status') ?? '';
  const found: string[] = [];
  const strange = [...outputs.keys()].filter((key) => !OUTPUTS.has(key));
  if (strange.length > 0) found.push(`unknown outputs: ${strange.join(', ')}`);
  const known = knowledge.is === 'known' ? knowledge.id : '';
  const isPartial = !history.exited || isReadEarly(history);
  const isRight = known === id || (isPartial && known.startsWith(id));
  if (!isRight && id !== '') found.push(`the output job-id is ${id}`);
  const readStep = facts.filesReadStep ?? Infinity;
  const isWhole = !facts.writes.some(({ path, failed }) => path === facts.paths.output && failed);
  const byItself = history.exited && !isReadEarly(history);
  if (byItself && isWhole && knowledge.is === 'known' && id === '') found.push('the output job-id is missing');
  const may = statusesOf(history, run, readStep);
  const mustSay = byItself && isWhole;
  const isTorn = isPartial && [...may].some((one) => one.startsWith(status));
  if ((status !== '' || mustSay) && isWhole && !may.has(status) && !isTorn) {
    found.push(`the output job-status is ${status}, where it should be ${[...may].join(' or ')}`);
  }
  return found;
}

const OUTPUTS: ReadonlySet<string> = new Set([
  'job-id',
  'job-status',
  'outcome',
  'message',
  'status-message',
  'pipeline-id',
  'pipeline-name',
  'duration',
  'results',
]);
