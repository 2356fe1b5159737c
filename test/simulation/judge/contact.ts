import type { Asked } from './asked.ts';
import { GRAIN_MS } from './grain.ts';
import type { Knowledge, RunStory, Stopped, Told } from './story.ts';

/** A read that was not let in is followed at once by the same with a new token: only that one counts. */
function isFollowed(told: Told, reads: readonly Told[], { pollMs }: Asked): boolean {
  const { atMs } = told;
  return (
    told.heard.kind === 'denied' &&
    reads.some(({ request }) => request.atMs >= atMs && request.atMs < atMs + pollMs / 2)
  );
}

interface Contact {
  readonly reads: readonly Told[];
  readonly exchanges: readonly Told[];
  readonly knowledge: Knowledge;
  readonly stop: Stopped | undefined;
  /** A run that was given by its id: it may not exist at all. */
  readonly isAttached: boolean;
}

/**
 * Three rejections of the key over a minute are final. A run may be told of one that another run has heard of, up to two
 * seconds earlier.
 */
const KEY_REJECTED_FOR_MS = 58_000;

/** Three refusals or three empty answers in a row, no good answer for too long, or a key that stays rejected. */
export function lostContact(
  { reads, exchanges, knowledge, stop, isAttached }: Contact,
  asked: Asked,
): RunStory['lost'] {
  if (knowledge.is !== 'known') return { may: false, must: false, step: Infinity, atMs: Infinity };
  const before = ({ atMs }: Told): boolean => atMs <= (stop?.atMs ?? Infinity) + GRAIN_MS;
  const attempts = [...reads, ...exchanges]
    .filter(({ step }) => step > knowledge.step)
    .filter((told) => told.heard.kind !== 'nothing' && before(told) && !isFollowed(told, reads, asked))
    .sort((a, b) => a.step - b.step);
  let goodAtMs = knowledge.atMs;
  let [may, must] = [false, false];
  let [step, at] = [Infinity, Infinity];
  let rejectedAtMs = Infinity;
  const row = { kind: '', lenient: 0, strict: 0 };
  let [bad, isUnseen] = [0, isAttached];
  for (const { request, heard, atMs, step: heardStep } of attempts) {
    if (heard.kind === 'row') {
      goodAtMs = atMs;
      [bad, isUnseen] = [0, false];
      rejectedAtMs = Infinity;
      Object.assign(row, { kind: '', lenient: 0, strict: 0 });
      continue;
    }
    if (request.call === 'exchange' && heard.kind === 'token') continue;
    bad += 1;
    // Where reads are rarer than that, one that fails is no outage yet.
    const isOut = bad > 1 && atMs - goodAtMs >= asked.maxOutageMs - GRAIN_MS;
    const same = heard.kind === row.kind && request.call === 'read';
    if (request.call === 'read') {
      row.strict = same ? row.strict + 1 : 1;
      row.lenient = same ? row.lenient + 1 : 1;
      row.kind = heard.kind;
    } else {
      row.strict = 0;
    }
    const counts = row.kind === 'no' || row.kind === 'none';
    if (heard.kind === 'refused') rejectedAtMs = Math.min(rejectedAtMs, atMs);
    const isKeyWrong = heard.kind === 'refused' && atMs - rejectedAtMs >= KEY_REJECTED_FOR_MS - GRAIN_MS;
    const isNowhere = isUnseen && heard.kind === 'none';
    if (isNowhere && atMs < (stop?.atMs ?? Infinity) - GRAIN_MS) must = true;
    if (isOut || isNowhere || isKeyWrong || (counts && row.lenient >= 3)) {
      may = true;
      step = Math.min(step, heardStep);
      at = Math.min(at, atMs);
    }
    if (request.call === 'read' && counts && row.strict >= 3 && atMs < (stop?.atMs ?? Infinity) - GRAIN_MS) {
      must = true;
    }
  }
  return { may, must, step, atMs: at };
}
