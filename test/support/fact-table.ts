// The order in which main may record facts about a run, and the implications of each fact.
import type { DurableFact, Stop } from '../../src/run/state/facts.ts';
import { JOB, PIPELINE } from './service.ts';

type Posting = 'POST may be sent' | 'POST may be sent, after a lost response';

/** The state of a run that is implied by all facts recorded so far. */
export type Truth =
  | 'new'
  | 'claimed'
  | 'claimed earlier'
  | Posting
  | 'response was lost'
  | 'unknown'
  | 'in progress'
  | 'to be cancelled'
  | 'left'
  | 'lost'
  | 'detached'
  | 'finished'
  | 'not queued'
  | `${Posting}, stopped: ${Stop['policy']}`;

type Kind = DurableFact['kind'] | `stopped: ${Stop['policy']}`;
type Next = Readonly<Partial<Record<Kind, Truth | 'same'>>>;

/** The implications of a stop for each policy. */
const stops = (cancel: Truth | 'same', leave = cancel, awaited = cancel): Next => ({
  'stopped: cancel': cancel,
  'stopped: leave': leave,
  'stopped: await': awaited,
});
const stopsWhile = (posting: Posting): Next =>
  stops(`${posting}, stopped: cancel`, `${posting}, stopped: leave`, `${posting}, stopped: await`);

const NOTHING_CHANGES = stops('same');
const ENDS: Next = { detached: 'detached', finished: 'finished' };
const IN_PROGRESS: Next = { ...stops('to be cancelled', 'left', 'same'), lost: 'lost', ...ENDS };
const STOPPED_POST: Next = { refused: 'not queued', unknown: 'unknown', ...NOTHING_CHANGES };

/** A refusal proves nothing about the earlier POST, so main records the result as unknown. */
const DOUBTED_POST: Next = { unknown: 'unknown', ...NOTHING_CHANGES };

/** The facts that main may record next about one run, and their implications. A stop may apply to all runs. */
export const FACT_TABLE: Readonly<Record<Truth, Next>> = {
  new: { intent: 'POST may be sent', refused: 'same', ...stops('not queued') },
  claimed: IN_PROGRESS,
  'claimed earlier': { ...IN_PROGRESS, not_resumed: 'new' },
  // Main repeats the POST after a rejected token or a response proving that the service did not process it.
  'POST may be sent': {
    intent: 'same',
    queued: 'in progress',
    refused: 'new',
    unknown: 'response was lost',
    ...stopsWhile('POST may be sent'),
  },
  'POST may be sent, after a lost response': {
    intent: 'same',
    queued: 'in progress',
    unknown: 'response was lost',
    ...stopsWhile('POST may be sent, after a lost response'),
  },
  'POST may be sent, stopped: cancel': { ...STOPPED_POST, queued: 'to be cancelled' },
  'POST may be sent, stopped: leave': { ...STOPPED_POST, queued: 'left' },
  'POST may be sent, stopped: await': { ...STOPPED_POST, queued: 'in progress', ...stopsWhile('POST may be sent') },
  'POST may be sent, after a lost response, stopped: cancel': { ...DOUBTED_POST, queued: 'to be cancelled' },
  'POST may be sent, after a lost response, stopped: leave': { ...DOUBTED_POST, queued: 'left' },
  'POST may be sent, after a lost response, stopped: await': {
    ...DOUBTED_POST,
    queued: 'in progress',
    ...stopsWhile('POST may be sent, after a lost response'),
  },
  // Main sends the trigger again only with `on-lost-response: retry`.
  'response was lost': { intent: 'POST may be sent, after a lost response', ...stops('unknown') },
  unknown: NOTHING_CHANGES,
  'in progress': IN_PROGRESS,
  'to be cancelled': { ...ENDS, ...NOTHING_CHANGES },
  left: { finished: 'finished', ...NOTHING_CHANGES },
  lost: NOTHING_CHANGES,
  detached: NOTHING_CHANGES,
  finished: NOTHING_CHANGES,
  'not queued': { refused: 'same', ...NOTHING_CHANGES },
};

/** A durable fact of this kind. */
export function factOf(kind: Kind): DurableFact {
  switch (kind) {
    case 'claimed':
    case 'queued':
      return { kind, jobId: JOB };
    case 'intent':
      return { kind, pipeline: { id: PIPELINE, name: 'Orders' }, wall: 0 };
    case 'finished':
      return { kind, job: { id: JOB, status: 'completed', statusMessage: null } };
    case 'stopped':
    case 'stopped: cancel':
    case 'stopped: leave':
    case 'stopped: await': {
      const policy = kind === 'stopped: leave' ? 'leave' : kind === 'stopped: await' ? 'await' : 'cancel';
      return { kind: 'stopped', stop: { reason: { kind: 'timeout', afterMs: 1 }, policy, at: 0 } };
    }
    case 'not_resumed':
    case 'refused':
    case 'unknown':
    case 'detached':
    case 'lost':
      return { kind };
  }
}

export function kindOf(fact: DurableFact): Kind {
  return fact.kind === 'stopped' ? `stopped: ${fact.stop.policy}` : fact.kind;
}

/** The state after another fact; undefined if the table does not permit the fact. */
export function truthAfter(truth: Truth, fact: DurableFact): Truth | undefined {
  const next = FACT_TABLE[truth][kindOf(fact)];
  return next === 'same' ? truth : next;
}
